package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/rules"
)

// stepSuffix is how step files are found.
const stepSuffix = ".agentltl-test.yaml"

type testOptions struct {
	paths    []string
	junit    string
	github   bool
	coverage bool
	strict   bool
}

func newTestCmd(e *env) *cobra.Command {
	o := testOptions{}
	cmd := &cobra.Command{
		Use:   "test [PATH..]",
		Short: "Run step files and the examples of the rule files in force",
		Long: "Run the step files (*" + stepSuffix + ") below PATH (default .) and every example of the\n" +
			"rule files in force. Each case starts from an empty memory. The exit status is 1 on a\n" +
			"failure, with --strict also for a rule that nothing ever refused.",
		Example: "  agentltl-hook test\n  agentltl-hook test --coverage --strict\n  agentltl-hook test --junit report.xml --github",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			return runTest(cmd.Context(), e, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.junit, "junit", "", "write a JUnit report to this `FILE`")
	f.BoolVar(&o.github, "github", false, "print failures as annotations of a workflow")
	f.BoolVar(&o.coverage, "coverage", false, "list rules that no step or example refused, or that never let a call pass")
	f.BoolVar(&o.strict, "strict", false, "fail when a rule was never refused")
	return cmd
}

// runTest runs all and reports.
func runTest(ctx context.Context, e *env, o testOptions) error {
	t := &tester{e: e, o: o, seen: map[string]*covered{}}
	if err := t.examples(); err != nil {
		return err
	}
	files, err := t.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := t.file(ctx, f); err != nil {
			return err
		}
	}
	if err := t.report(files); err != nil {
		return err
	}
	if t.failures() > 0 || o.strict && t.uncovered() > 0 {
		return cli.ErrFinding
	}
	return nil
}

// A tester collects what the cases came to.
type tester struct {
	e     *env
	o     testOptions
	cases []testedCase
	ran   int // examples
	bad   []failedExample
	seen  map[string]*covered
	order []string
}

type testedCase struct {
	File   string       `json:"file"`
	Line   int          `json:"line"`
	Name   string       `json:"name"`
	OK     bool         `json:"ok"`
	Failed []failedStep `json:"failed"`
}

type failedStep struct {
	Step     string `json:"step"`
	Line     int    `json:"line"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Rule     string `json:"rule,omitempty"`
	Text     string `json:"text"`
}

type failedExample struct {
	Rule    string `json:"rule"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Problem string `json:"problem"`
}

// covered counts what was seen of one rule.
type covered struct {
	Rule    string  `json:"rule"`
	Source  string  `json:"source"`
	Line    int     `json:"line,omitempty"`
	Refused int     `json:"refused"`
	Passed  int     `json:"passed"`
	Never   *string `json:"never"`
}

// examples runs the examples of the files in force; they are judged as they are
// when a file is loaded.
func (t *tester) examples() error {
	p, err := localPipeline(t.e, t.e.Harness)
	if err != nil {
		return err
	}
	set, problems := p.LoadUnchecked(t.e.Dir)
	if len(problems) > 0 {
		return badFiles(t.e, problems)
	}
	judge := p.Judge(rules.GitRoot(t.e.Dir))
	for i := range set.Rules {
		r := &set.Rules[i]
		t.cover(r)
		for _, ex := range r.Examples {
			t.ran++
			if problem := judge(set, r, ex); problem != "" {
				t.bad = append(t.bad, failedExample{Rule: r.ID, File: r.Pos.File, Line: ex.Line, Problem: problem})
				continue
			}
			if c := t.seen[r.ID]; c != nil && ex.Refused {
				c.Refused++
			} else if c != nil {
				c.Passed++
			}
		}
	}
	return nil
}

// cover starts the account of a rule; built-ins are not the file's to test.
func (t *tester) cover(r *rules.Rule) {
	if r.Layer == rules.BuiltIn || t.seen[r.ID] != nil {
		return
	}
	t.seen[r.ID] = &covered{Rule: r.ID, Source: r.Source, Line: r.Pos.Line}
	t.order = append(t.order, r.ID)
}

// files lists the step files below the paths, in order.
func (t *tester) files() ([]string, error) {
	paths := t.o.paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var out []string
	for _, p := range paths {
		root := t.e.Path(p)
		st, err := os.Stat(root)
		if err != nil {
			return nil, cli.Input(err)
		}
		if !st.IsDir() {
			out = append(out, root)
			continue
		}
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != root && (d.Name() == ".git" || d.Name() == "node_modules"):
				return fs.SkipDir
			case !d.IsDir() && strings.HasSuffix(d.Name(), stepSuffix):
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			return nil, cli.Input(err)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// file runs the cases of one step file.
func (t *tester) file(ctx context.Context, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return cli.Input(err)
	}
	doc, problems := rules.ReadStepDoc(path, text)
	if len(problems) > 0 {
		return badFiles(t.e, problems)
	}
	for _, c := range doc.Cases {
		out, err := t.run(ctx, path, doc, c)
		if err != nil {
			return err
		}
		t.cases = append(t.cases, out)
	}
	return nil
}

// run plays one case.
func (t *tester) run(ctx context.Context, path string, doc rules.StepDoc, c rules.StepCase) (testedCase, error) {
	out := testedCase{File: path, Line: c.Line, Name: c.Name, OK: true, Failed: []failedStep{}}
	steps, err := stepsOf(path, c)
	if err != nil {
		return out, err
	}
	ch := &checker{e: t.e, o: checkOptions{without: c.Without}, file: hooks.StepFile{Harness: doc.Harness, Dir: doc.Dir}}
	for _, s := range steps {
		ch.file.Steps = append(ch.file.Steps, s.Step)
	}
	if doc.Rules != "" {
		if text, ok := rulesText(path, doc.Rules); ok {
			ch.file.Rules = &text
		} else {
			return out, cli.Input(fmt.Errorf("%s: no rule file %s", path, doc.Rules))
		}
	}
	if err := ch.open(); err != nil {
		return out, err
	}
	set, _ := ch.pipeline.LoadUnchecked(ch.dir)
	for i := range set.Rules {
		t.cover(&set.Rules[i])
	}
	ch.pipeline.Watch = t.watch
	for _, s := range steps {
		got, err := ch.play(ctx, s.Step)
		if err != nil {
			return out, err
		}
		if got.OK {
			continue
		}
		f := failedStep{Step: got.Step, Line: s.line, Expected: got.Expected, Got: got.Result, Text: got.Reason}
		if got.Rule != nil {
			f.Rule = *got.Rule
		}
		out.OK, out.Failed = false, append(out.Failed, f)
	}
	return out, nil
}

// lineStep is a step with its line.
type lineStep struct {
	hooks.Step
	line int
}

// stepsOf reads a case's steps; a bare line expects allow.
func stepsOf(path string, c rules.StepCase) ([]lineStep, error) {
	var out []lineStep
	for _, item := range c.Steps {
		var s hooks.Step
		var err error
		if item.Do != nil {
			s, err = hooks.ReadStep(item.Do)
		} else {
			s, err = hooks.ParseStep(item.Text)
			if s.Do == "call" && s.Want == nil {
				s.Want = &hooks.StepWant{Result: "allow"}
			}
		}
		if err == nil && s.Do == "disk" {
			err = errors.New("disk steps are for check --write")
		}
		if err != nil {
			return nil, cli.Input(fmt.Errorf("%s:%d: %w", path, item.Line, err))
		}
		out = append(out, lineStep{s, item.Line})
	}
	return out, nil
}

// rulesText is the text of a case's rule file: the text itself, or of the file
// named beside the step file.
func rulesText(path, text string) (string, bool) {
	if strings.ContainsAny(text, "\n:") {
		return text, true
	}
	b, err := os.ReadFile(filepath.Join(filepath.Dir(path), filepath.FromSlash(text)))
	return string(b), err == nil
}
