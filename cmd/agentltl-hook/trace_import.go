package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/trace"
)

type importOptions struct {
	file    string
	session string
	project bool
}

func newTraceImportCmd(e *env) *cobra.Command {
	o := importOptions{}
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Append calls from JSON lines, as if they had run",
		Long: "Append calls to a session's and the project's trace, as if they had run, and let the\n" +
			"rules in force count them: for moving in, tests and benchmarks. A line of FILE is\n" +
			"{\"tool\", \"args\", \"status\"?, \"t\"?, \"result\"?, \"id\"?}; t is RFC 3339 text or seconds since 1970.\n" +
			"The session is the one used last, or \"import\" where there is none.",
		Args: cli.Args(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.file = args[0]
			return runTraceImport(e, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "session `ID` that gets the calls")
	f.BoolVar(&o.project, "project", false, "the project's trace; every session's calls are in it anyway")
	return cmd
}

// importBatch calls are recorded in one transaction, which holds their pages in
// memory.
const importBatch = 1_000

func runTraceImport(e *env, o importOptions) error {
	// The whole file is read before anything is recorded.
	total, err := o.each(e.Path(o.file), func([]trace.Call) error { return nil })
	if err != nil {
		return err
	}
	x, err := records(e, o.session)
	if err != nil {
		return err
	}
	if o.session == "" && x.Session() == "default" {
		if x, err = records(e, "import"); err != nil {
			return err
		}
	}
	if _, err := o.each(e.Path(o.file), o.record(e, x)); err != nil {
		return storeTrouble(err)
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, struct {
			Version  int    `json:"version"`
			Imported int    `json:"imported"`
			Session  string `json:"session"`
		}{1, total, x.Session()})
	}
	fmt.Fprintf(e.Stdout, "%s imported into session %s\n", cli.Count(total, "call"), flat(x.Session()))
	return nil
}

func (o *importOptions) record(e *env, x *hooks.Records) func([]trace.Call) error {
	now, harness := e.Now(), e.Harness
	return func(calls []trace.Call) error {
		for i := range calls {
			if calls[i].Time.IsZero() {
				calls[i].Time = now
			}
			if calls[i].Harness == "" {
				calls[i].Harness = harness
			}
		}
		return x.Import(calls)
	}
}

// each reads the file in batches.
func (o *importOptions) each(path string, fn func([]trace.Call) error) (total int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, cli.Input(fmt.Errorf("trace import: %w", err))
	}
	defer func() { _ = f.Close() }()
	in := bufio.NewReaderSize(f, 64<<10)
	batch := make([]trace.Call, 0, importBatch)
	for line := 1; ; line++ {
		text, rerr := in.ReadString('\n')
		if rerr != nil && !errors.Is(rerr, io.EOF) {
			return total, rerr
		}
		if len(text) > 1 || rerr == nil && text != "\n" {
			c, err := importedCall(text)
			if err != nil {
				return total, cli.Input(fmt.Errorf("%s:%d: %w", o.file, line, err))
			}
			batch = append(batch, c)
		}
		if len(batch) == importBatch || rerr != nil && len(batch) > 0 {
			if err := fn(slices.Clone(batch)); err != nil {
				return total, err
			}
			total += len(batch)
			batch = batch[:0]
		}
		if rerr != nil {
			return total, nil
		}
	}
}

// importedCall reads one line.
func importedCall(text string) (c trace.Call, err error) {
	v, err := trace.DecodeJSON([]byte(text))
	if err != nil {
		return c, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return c, errors.New("no JSON object")
	}
	c.Outcome = &trace.Outcome{}
	for k, v := range m {
		switch k {
		case "tool":
			c.Tool, ok = v.(string)
		case "args":
			var args map[string]any
			args, ok = v.(map[string]any)
			c.Args = args
		case "status":
			ok = v == nil || setStatus(&c, v)
		case "t":
			c.Time, ok = importedTime(v)
		case "result":
			c.Outcome.Result = &v
		case "id":
			c.ID, ok = v.(string)
		case "agent":
			c.Agent, ok = v.(string)
		case "source":
			c.Source, ok = v.(string)
		case "harness":
			c.Harness, ok = v.(string)
		case "session", "unchecked": // as "trace --json" prints a call
		default:
			return c, fmt.Errorf("unknown key %q", k)
		}
		if !ok {
			return c, fmt.Errorf("%q has a value of another type", k)
		}
	}
	if c.Tool == "" {
		return c, errors.New(`"tool" missing`)
	}
	if c.Args == nil {
		c.Args = trace.Args{}
	}
	return c, nil
}

func setStatus(c *trace.Call, v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	i, err := strconv.Atoi(string(n))
	c.Outcome.Status = &i
	return err == nil
}

func importedTime(v any) (time.Time, bool) {
	switch v := v.(type) {
	case nil:
		return time.Time{}, true
	case string:
		t, err := time.Parse(time.RFC3339Nano, v)
		return t, err == nil || v == ""
	case json.Number:
		f, err := v.Float64()
		s, frac := math.Modf(f)
		return time.Unix(int64(s), int64(frac*1e9)), err == nil && math.Abs(f) < 1<<40
	default:
		return time.Time{}, false
	}
}
