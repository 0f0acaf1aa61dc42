package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/internal/version"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/trace"
)

type checkOptions struct {
	steps   []string
	rules   []string
	add     []string
	without []string
	auto    bool
	file    string
	status  int
	write   bool
}

func newCheckCmd(e *env) *cobra.Command {
	o := checkOptions{}
	cmd := &cobra.Command{
		Use:   "check STEP..",
		Short: "Try calls against the rules; nothing is run or recorded",
		Long: "Replay steps against the rules in force, in an empty memory (never the real one).\n" +
			"A STEP is a command line, or a tool with its arguments: 'Write {\"file_path\": \"a\"}'.\n" +
			"In front of it may stand what is expected (deny: allow: ask: stop: note:) and fail:\n" +
			"for a command that ends with status 1. Also user:, finish:, session: NAME, sleep: 10m.\n" +
			"Allowed steps count as run. The exit status is 1 when an expectation fails.",
		Example: "  agentltl-hook check 'git push -f' 'git push'\n  agentltl-hook check 'deny: git push -f' 'allow: git push'",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.steps = args
			return runCheck(cmd.Context(), e, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.rules, "rules", nil, "use only this rule `FILE` (may be repeated)")
	f.StringArrayVar(&o.add, "add", nil, "use this rule `FILE` as well (may be repeated)")
	f.StringArrayVar(&o.without, "without", nil, "leave out the rule of this `ID`, a built-in too (may be repeated)")
	f.BoolVar(&o.auto, "auto", false, "as in an automatic permission mode")
	f.StringVar(&o.file, "file", "", "read the steps from this `FILE` (- for stdin): text, or JSON")
	f.IntVar(&o.status, "status", 0, "exit status `N` of the steps that run")
	f.BoolVar(&o.write, "write", false, "let disk steps change files below the project")
	return cmd
}

// runCheck plays the steps and reports each.
func runCheck(ctx context.Context, e *env, o checkOptions) error {
	c := &checker{e: e, o: o}
	if err := c.read(); err != nil {
		return err
	}
	if len(c.file.Steps) == 0 {
		return cli.WithHint(cli.Usagef("check: nothing to check"), "agentltl-hook check 'git push -f'")
	}
	if err := c.open(); err != nil {
		return err
	}
	var all []checked
	failed := 0
	for _, s := range c.file.Steps {
		r, err := c.play(ctx, s)
		if err != nil {
			return err
		}
		if s.Hidden() {
			continue
		}
		r.I = len(all)
		if !r.OK {
			failed++
		}
		all = append(all, r)
	}
	if err := c.report(all, failed); err != nil {
		return err
	}
	if failed > 0 {
		return cli.ErrFinding
	}
	return nil
}

// A checker is one run of check.
type checker struct {
	e        *env
	o        checkOptions
	file     hooks.StepFile
	dir      string // working directory and session's folder
	root     string
	pipeline *hooks.Pipeline
	player   *hooks.Player
}

// read collects the steps of the arguments and of the file.
func (c *checker) read() error {
	if c.o.file != "" {
		data, err := readInput(c.e, c.o.file)
		if err != nil {
			return cli.Input(err)
		}
		place := strings.NewReplacer("$ROOT", c.e.Dir, "$HOMEDIR", c.e.Home())
		if c.file, err = hooks.ReadSteps(data, place); err != nil {
			return cli.Input(fmt.Errorf("%s: %w", c.o.file, err))
		}
	}
	for _, text := range c.o.steps {
		s, err := hooks.ParseStep(text)
		if err != nil {
			return cli.Usagef("check: %w", err)
		}
		c.file.Steps = append(c.file.Steps, s)
	}
	for i := range c.file.Steps {
		s := &c.file.Steps[i]
		s.Auto = s.Auto || c.o.auto
		if s.Status == nil && c.o.status != 0 {
			s.Status = &c.o.status
		}
	}
	return nil
}

// readInput reads a file, or stdin for "-".
func readInput(e *env, path string) ([]byte, error) {
	if path == "-" {
		var b strings.Builder
		buf := make([]byte, 64<<10)
		for {
			n, err := e.Stdin.Read(buf)
			b.Write(buf[:n])
			if err != nil {
				return []byte(b.String()), nil //nolint:nilerr // the end of the input
			}
		}
	}
	return os.ReadFile(e.Path(path))
}

// open builds the pipeline of the check: the files are found as a hook would
// find them, unless some are given.
func (c *checker) open() error {
	c.dir = filepath.Join(c.e.Dir, filepath.FromSlash(c.file.Dir))
	c.root = rules.GitRoot(c.dir)
	p, err := localPipeline(c.e, c.harness())
	if err != nil {
		return err
	}
	p.Without = c.o.without
	if c.harness() != c.e.Harness && c.file.Harness != "claude-code" {
		// Steps that name a harness mean its name alone; of the built-in rules only
		// Claude Code's are theirs (vectors/README.md, rules).
		p.Without = append(slices.Clip(p.Without), guard.MemoryFirst)
	}
	switch {
	case len(c.o.rules) > 0:
		for _, f := range c.o.rules {
			p.Only = append(p.Only, c.e.Path(f))
		}
	case c.file.Rules != nil:
		p.Files = []rules.File{{Layer: rules.ProjectFile, Path: filepath.Join(c.root, rules.FileName), Text: []byte(*c.file.Rules)}}
	}
	for _, f := range c.o.add {
		p.Add = append(p.Add, c.e.Path(f))
	}
	c.pipeline = p
	c.player = hooks.NewPlayer(p, c.dir, c.e.Now())
	return c.problems()
}

// harness is the one the steps name, else that of the command line.
func (c *checker) harness() string {
	if c.file.Harness != "" && c.e.Harness == "" {
		return c.file.Harness
	}
	return c.e.Harness
}

// problems of the rule files end a check, unless its steps are about them.
func (c *checker) problems() error {
	for _, s := range c.file.Steps {
		if s.Do == "load" {
			return nil
		}
	}
	_, problems := c.pipeline.Load(c.dir)
	if len(problems) > 0 {
		return badFiles(c.e, problems)
	}
	return nil
}

// localPipeline is the pipeline of commands: the files of this folder as a hook
// of the harness would find them, nothing else.
func localPipeline(e *env, name string) (*hooks.Pipeline, error) {
	p := &hooks.Pipeline{Home: e.Home(), Env: map[string]string{"HOME": e.Home()}, Program: version.String(), Now: e.Now}
	switch name {
	case "", "generic", "plain":
		p.Profile = hooks.Profile{Name: "generic", Agent: "the agent", UserDir: ".agentltl", ShellTools: map[string]string{"Bash": "command", "PowerShell": "command"}}
		if name == "plain" {
			p.Profile.Name = "plain"
		}
	default:
		a := harness.Find(name)
		if a == nil {
			return nil, unknownHarness(name)
		}
		p.Profile = a.Profile()
	}
	p.StateDir = stateDir(e)
	p.UserDirs = nonEmpty(sharedDir(e), harnessDir(e, p.Profile))
	if f := e.Getenv("AGENTLTL_USER_FILE"); f != "" {
		p.UserFile = e.Path(f)
	}
	return p, nil
}

// play plays one step; those about files are the command's own.
func (c *checker) play(ctx context.Context, s hooks.Step) (checked, error) {
	switch s.Do {
	case "disk":
		return c.disk(s)
	case "load":
		return c.load(s)
	}
	out, err := c.player.Play(ctx, s)
	if err != nil {
		return checked{}, err
	}
	return checkedOf(s, out), nil
}

// disk changes a file below the project root.
func (c *checker) disk(s hooks.Step) (checked, error) {
	if !c.o.write {
		return checked{}, cli.WithHint(cli.Usagef("check: the steps change files"), "pass --write to let them, below %s", c.root)
	}
	path := filepath.Join(c.root, filepath.FromSlash(s.Path))
	if rel, err := filepath.Rel(c.root, path); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return checked{}, cli.Input(fmt.Errorf("disk step outside the project: %s", s.Path))
	}
	var err error
	if s.File == nil {
		err = os.Remove(path)
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = os.WriteFile(path, []byte(*s.File), 0o644)
	}
	return checked{Do: "disk", Step: s.Path, OK: true}, err
}

// checked is one step as check --json prints it.
type checked struct {
	I         int              `json:"i"`
	Do        string           `json:"do"`
	Step      string           `json:"step"`
	Call      *checkedCall     `json:"call,omitempty"`
	Result    string           `json:"result,omitempty"`
	Action    string           `json:"action,omitempty"`
	Rule      *string          `json:"rule"`
	Mode      string           `json:"mode,omitempty"`
	Note      *bool            `json:"note,omitempty"`
	Text      string           `json:"text"`
	Context   string           `json:"context"`
	Calls     []string         `json:"calls,omitempty"`
	Leaks     []string         `json:"leaks,omitempty"`
	Recorded  *bool            `json:"recorded,omitempty"`
	Announced *bool            `json:"announced,omitempty"`
	Rules     any              `json:"rules,omitempty"`
	Files     any              `json:"files,omitempty"`
	Settings  any              `json:"settings,omitempty"`
	Problems  []checkedProblem `json:"problems,omitempty"`
	Expected  string           `json:"expected,omitempty"`
	OK        bool             `json:"ok"`
	Reason    string           `json:"reason"`
}

type checkedCall struct {
	Tool  string     `json:"tool"`
	Input trace.Args `json:"input"`
}

type checkedProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
}

// checkedOf is a played step as it is printed.
func checkedOf(s hooks.Step, p hooks.Played) checked {
	c := checked{
		Do: s.Do, Step: s.Text, Text: p.Text, Context: p.Context, Expected: p.Expected, OK: p.OK, Reason: p.Reason,
	}
	switch s.Do {
	case "call":
		c.Call = &checkedCall{p.Tool, p.Input}
		c.Result, c.Action, c.Mode = p.Result, p.Action, p.Mode
		if p.Rule != "" {
			c.Rule = &p.Rule
		}
		c.Note, c.Recorded = &p.Note, &p.Recorded
		c.Calls, c.Leaks = p.Calls, p.Leaks
	case "finish":
		c.Result, c.Action = p.Result, p.Action
		c.Rules = p.Rules
		if p.Rules == nil {
			c.Rules = []string{}
		}
	case "start":
		c.Announced = &p.Announced
	}
	return c
}
