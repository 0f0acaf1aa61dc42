package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/internal/version"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

type translateOptions struct {
	line            string
	cwd, root, home string
	dialect         string
	fs, batch       bool
}

func newTranslateCmd(e *env) *cobra.Command {
	o := translateOptions{}
	cmd := &cobra.Command{
		Use:   "translate LINE",
		Short: "Show the structured calls of a shell command",
		Long: "Show what a command line would run, as the calls that rules name: one a line, with its\n" +
			"arguments as JSON. The exit status is 1 when a part of the line cannot be read.\n" +
			"The disk is not looked at unless --fs says so.",
		Example: "  agentltl-hook translate 'cd app && git push -f'",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.batch {
				return cli.Args(0, 0)(cmd, args)
			}
			return cli.Args(1, 1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.line = args[0]
			}
			return runTranslate(cmd.Context(), e, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.cwd, "cwd", "", "`DIR` the line runs in (default: the working directory)")
	f.StringVar(&o.root, "root", "", "`DIR` of the project (default: --cwd)")
	f.StringVar(&o.home, "home", "", "home `DIR` (default: $HOME)")
	f.StringVar(&o.dialect, "dialect", "bash", "shell `LANGUAGE`: bash, sh, zsh, pwsh")
	f.BoolVar(&o.fs, "fs", false, "look at the disk: scripts, globs, links")
	f.BoolVar(&o.batch, "batch", false, "read JSON lines from stdin and answer each")
	return cmd
}

// runTranslate reads one line, or a batch of them.
func runTranslate(_ context.Context, e *env, o translateOptions) error {
	base, err := o.request(e)
	if err != nil {
		return err
	}
	if o.batch {
		return answerLines(e.Stdin, e.Stdout, func(line []byte) any { return translateLine(line, base) })
	}
	base.Command = o.line
	res := shell.Translate(base)
	if e.JSON {
		err = cli.WriteJSON(e.Stdout, res.JSON(nil, version.String()))
	} else {
		err = printCalls(e.Stdout, res)
	}
	if err == nil && len(res.Unresolved) > 0 {
		return cli.ErrFinding
	}
	return err
}

// request is what every line of the command starts from.
func (o translateOptions) request(e *env) (shell.Request, error) {
	switch shell.Dialect(o.dialect) {
	case shell.Bash, shell.POSIX, shell.Zsh, shell.Pwsh:
	default:
		return shell.Request{}, cli.Usagef("translate: unknown dialect %q (bash, sh, zsh, pwsh)", o.dialect)
	}
	r := shell.Request{
		Dir: e.Dir, Home: o.home, Dialect: shell.Dialect(o.dialect), Fresh: true, Specs: localSpecs(e),
	}
	if o.cwd != "" {
		r.Dir = e.Path(o.cwd)
	}
	r.Root = r.Dir
	if o.root != "" {
		r.Root = e.Path(o.root)
	}
	if r.Home == "" {
		r.Home = e.Home()
	}
	if o.fs {
		r.FS = shell.Disk{}
	}
	return r, nil
}

// localSpecs are the command specs in force here: those of the rule files too,
// as far as these can be read.
func localSpecs(e *env) *spec.Set {
	p, err := localPipeline(e, e.Harness)
	if err != nil {
		return nil
	}
	set, _ := p.LoadUnchecked(e.Dir)
	return specsOf(set)
}

func specsOf(set *rules.Set) *spec.Set {
	if set == nil {
		return nil
	}
	return set.Specs
}

// translateCase is a line of translate --batch (rules.md 22.1).
type translateCase struct {
	ID      json.RawMessage   `json:"id"`
	Command *string           `json:"command"`
	Cwd     string            `json:"cwd"`
	Root    string            `json:"root"`
	Home    string            `json:"home"`
	Env     map[string]string `json:"env"`
	Dialect shell.Dialect     `json:"dialect"`

	// Keys of recorded cases that say nothing to us.
	Kind   json.RawMessage `json:"kind"`
	Cat    json.RawMessage `json:"cat"`
	Note   json.RawMessage `json:"note"`
	Expect json.RawMessage `json:"expect"`
}

// translateLine answers one line of the batch.
func translateLine(line []byte, r shell.Request) any {
	var in translateCase
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return batchError{lineID(line), batchMessage{err.Error()}}
	}
	if in.ID == nil {
		in.ID = json.RawMessage("null")
	}
	if in.Command == nil {
		return batchError{in.ID, batchMessage{"no command"}}
	}
	r.Command, r.Env = *in.Command, in.Env
	if in.Cwd != "" {
		r.Dir = in.Cwd
	}
	if in.Root != "" {
		r.Root = in.Root
	}
	if in.Home != "" {
		r.Home = in.Home
	}
	switch in.Dialect {
	case "":
	case shell.Bash, shell.POSIX, shell.Zsh, shell.Pwsh:
		r.Dialect = in.Dialect
	default:
		return batchError{in.ID, batchMessage{fmt.Sprintf("unknown dialect %q", in.Dialect)}}
	}
	return shell.Translate(r).JSON(in.ID, "")
}

// printCalls writes one call a line, then what could not be read.
func printCalls(w io.Writer, res shell.Result) error {
	for i := range res.Calls {
		if _, err := fmt.Fprintln(w, callLine(&res.Calls[i])); err != nil {
			return err
		}
	}
	for _, u := range res.Unresolved {
		if _, err := fmt.Fprintf(w, "unresolved (%s): %s\n  %s\n", u.Code, oneLine(u.Source), u.Reason); err != nil {
			return err
		}
	}
	return nil
}

// sayingArgs are the arguments that say something.
func sayingArgs(in trace.Args) map[string]any {
	args := map[string]any{}
	for k, v := range in {
		switch v := v.(type) {
		case bool:
			if !v {
				continue
			}
		case []any:
			if len(v) == 0 {
				continue
			}
		}
		args[k] = v
	}
	return args
}

// callLine is a call for people: tool, arguments that say something, and where
// it stands.
func callLine(c *trace.Call) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("  ", c.CLI.Depth))
	b.WriteString(c.Tool)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(sayingArgs(c.Args)); err == nil {
		b.WriteByte(' ')
		b.WriteString(strings.TrimSpace(text.String()))
	}
	for _, f := range []struct {
		on   bool
		word string
	}{
		{c.CLI.Conditional, "conditional"},
		{c.CLI.Repeated, "repeated"},
		{c.CLI.Background, "background"},
		{c.CLI.Remote != "", "remote"},
		{c.CLI.Opaque != "", "opaque"},
	} {
		if f.on {
			b.WriteString(" " + f.word)
		}
	}
	return b.String()
}

func oneLine(s string) string {
	if before, _, ok := strings.Cut(s, "\n"); ok {
		return before + " ..."
	}
	return s
}
