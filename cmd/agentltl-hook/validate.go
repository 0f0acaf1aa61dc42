package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/rules"
)

type validateOptions struct {
	files  []string
	strict bool
}

func newValidateCmd(e *env) *cobra.Command {
	o := validateOptions{}
	cmd := &cobra.Command{
		Use:   "validate [FILE..]",
		Short: "Load the rule files and list the rules, or every problem",
		Long: "Load the rule files in force here, or the given ones alone, and list the rules with\n" +
			"mode, memory, layer and origin, the settings, and what was ignored. Every problem is\n" +
			"told with file and line; the exit status is 2 then.",
		Example: "  agentltl-hook validate\n  agentltl-hook validate --strict team/AGENTLTL.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.files = args
			return runValidate(cmd.Context(), e, o)
		},
	}
	cmd.Flags().BoolVar(&o.strict, "strict", false, "exit with 1 when there are warnings")
	return cmd
}

// validated is what validate prints as JSON (rules.md 22).
type validated struct {
	Version  int              `json:"version"`
	Files    []validatedFile  `json:"files"`
	Rules    []validatedRule  `json:"rules"`
	Settings map[string]any   `json:"settings"`
	Groups   map[string]any   `json:"groups,omitempty"`
	Notices  []string         `json:"notices,omitempty"`
	Warnings []lintFinding    `json:"warnings"`
	Problems []checkedProblem `json:"problems"`
}

type validatedFile struct {
	Path  string `json:"path"`
	Layer string `json:"layer"`
}

type validatedRule struct {
	ID       string      `json:"id"`
	Kind     string      `json:"kind"`
	Mode     string      `json:"mode"`
	Scope    string      `json:"scope"`
	Layer    string      `json:"layer"`
	Source   string      `json:"source"`
	Rev      int         `json:"rev,omitempty"` // of the packaged entry
	File     string      `json:"file,omitempty"`
	Line     int         `json:"line,omitempty"`
	Summary  string      `json:"summary"`
	Formula  string      `json:"formula,omitempty"`
	When     string      `json:"when,omitempty"`
	Why      string      `json:"why,omitempty"`
	Fix      string      `json:"fix,omitempty"`
	From     []fromEntry `json:"from,omitempty"`
	Shadow   bool        `json:"shadow,omitempty"`
	Locked   bool        `json:"locked,omitempty"`
	ReviewBy string      `json:"review_by,omitempty"`
	Group    string      `json:"group,omitempty"`
	Fallback bool        `json:"fallback,omitempty"` // judged by the whole trace (formulas.md 8.6)
}

type fromEntry struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	ID   string `json:"id,omitempty"`
	Text string `json:"text,omitempty"`
}

func runValidate(_ context.Context, e *env, o validateOptions) error {
	set, problems, err := loadHere(e, o.files)
	if err != nil {
		return err
	}
	v := validated{Version: 1, Files: []validatedFile{}, Rules: []validatedRule{}, Warnings: []lintFinding{}, Problems: problemList(problems)}
	for _, f := range set.Files {
		v.Files = append(v.Files, validatedFile{f.Path, f.Layer.String()})
	}
	for _, n := range set.Told {
		text := n.Text
		if rest, ok := strings.CutPrefix(text, "it "); ok {
			text = shortPath(e, n.Path) + " " + rest
		}
		v.Notices = append(v.Notices, text)
	}
	if len(problems) == 0 {
		v.fill(set)
		for _, f := range rules.Lint(set, e.Now()) {
			if f.Level != rules.LevelI {
				v.Warnings = append(v.Warnings, lintFindingOf(f))
			}
		}
	}
	if err := printValidated(e, &v); err != nil {
		return err
	}
	switch {
	case len(problems) > 0 && e.JSON:
		return &cli.Error{Status: cli.Usage}
	case len(problems) > 0:
		return badFiles(e, problems)
	case o.strict && len(v.Warnings) > 0:
		return cli.ErrFinding
	}
	return nil
}

// badFiles is the error of rule files that do not load, their paths as short as
// elsewhere in the output.
func badFiles(e *env, problems rules.Problems) error {
	short := slices.Clone(problems)
	for i := range short {
		short[i].Pos.File = shortPath(e, short[i].Pos.File)
	}
	return cli.Input(short)
}

// loadHere loads the files in force in the working directory, or the given ones.
func loadHere(e *env, files []string) (*rules.Set, rules.Problems, error) {
	p, err := localPipeline(e, e.Harness)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		p.Only = append(p.Only, e.Path(f))
	}
	set, problems := p.Load(e.Dir)
	return set, problems, nil
}

func (v *validated) fill(set *rules.Set) {
	v.Settings = describeSet(set).Settings
	for i := range set.Rules {
		r := &set.Rules[i]
		x := validatedRule{
			ID: r.ID, Kind: r.Kind, Mode: r.Mode.String(), Scope: r.Scope.String(), Layer: r.Layer.String(), Source: r.Source,
			Line: r.Pos.Line, Summary: r.Summary, Why: r.Why, Fix: r.Fix, Shadow: r.Shadow, Locked: r.Locked, ReviewBy: r.ReviewBy, Group: r.Group,
		}
		if r.Layer != rules.BuiltIn {
			x.File = r.Pos.File
		}
		if id, ok := strings.CutPrefix(r.Source, "library:"); ok {
			if entry, ok := rules.LibraryEntry(id); ok {
				x.Rev = entry.Rev
			}
		}
		if r.Formula != nil {
			x.Formula, x.Fallback = r.Formula.String(), ltl.Fallback(r.Formula)
		}
		if r.When != nil {
			x.When = r.When.String()
		}
		for _, f := range r.From {
			x.From = append(x.From, fromEntry(f))
		}
		v.Rules = append(v.Rules, x)
	}
	for name, ids := range set.Groups {
		if v.Groups == nil {
			v.Groups = map[string]any{}
		}
		v.Groups[name] = ids
	}
}

func printValidated(e *env, v *validated) error {
	if e.JSON {
		return cli.WriteJSON(e.Stdout, v)
	}
	w := e.Stdout
	if len(v.Files) == 0 {
		_, err := fmt.Fprintln(w, "no AGENTLTL.yaml here, in the user's folders or above: no rules are in force (agentltl-hook init writes one)")
		return err
	}
	for _, f := range v.Files {
		fmt.Fprintf(w, "%s (%s)\n", shortPath(e, f.Path), f.Layer)
	}
	for _, n := range v.Notices {
		fmt.Fprintf(w, "NOTICE %s\n", n)
	}
	if len(v.Problems) > 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s\n", count(len(v.Rules), "rule", "rules"))
	printRules(w, v.Rules)
	fmt.Fprintf(w, "\nsettings: unread lines %s (auto: %s), retries %v, report %v, finish_retries %v\n",
		v.Settings["unparseable"].(map[string]any)["interactive"], v.Settings["unparseable"].(map[string]any)["auto"],
		v.Settings["retries"], v.Settings["report"], v.Settings["finish_retries"])
	for _, f := range v.Warnings {
		if slices.ContainsFunc(v.Notices, func(n string) bool { return strings.HasSuffix(n, strings.TrimPrefix(f.Message, "it")) }) {
			continue // told above
		}
		fmt.Fprintf(w, "%s %s\n", levelWord(f.Level), f.text(e))
	}
	return nil
}

func printRules(w io.Writer, list []validatedRule) {
	for _, r := range list {
		origin := r.Source
		if r.Layer != r.Source && !strings.HasPrefix(r.Source, r.Layer) {
			origin = r.Layer + ", " + r.Source
		}
		var marks []string
		if r.Scope == "project" {
			marks = append(marks, "whole project")
		}
		if r.Shadow {
			marks = append(marks, "shadow")
		}
		if r.Locked {
			marks = append(marks, "locked")
		}
		if r.Fallback {
			marks = append(marks, "judged by the whole trace, its cost grows with it")
		}
		fmt.Fprintf(w, "  %s [%s] (%s): %s\n", guard.Name(r.ID), strings.Join(append([]string{r.Mode}, marks...), ", "), origin, r.Summary)
		if r.When != "" {
			fmt.Fprintf(w, "      when: %s\n", r.When)
		}
		if r.Why != "" {
			fmt.Fprintf(w, "      why: %s\n", strings.ReplaceAll(r.Why, "\n", "\n           "))
		}
		for _, f := range r.From {
			fmt.Fprintf(w, "      from: %s\n", f)
		}
	}
}

func (f fromEntry) String() string {
	var parts []string
	switch {
	case f.File != "" && f.Line > 0:
		parts = append(parts, fmt.Sprintf("%s:%d", f.File, f.Line))
	case f.File != "":
		parts = append(parts, f.File)
	}
	if f.ID != "" {
		parts = append(parts, f.ID)
	}
	if f.Text != "" {
		parts = append(parts, fmt.Sprintf("%q", f.Text))
	}
	return strings.Join(parts, " ")
}

func levelWord(level string) string {
	switch level {
	case "E":
		return "ERROR"
	case "I":
		return "INFO"
	}
	return "WARNING"
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// shortPath shows a path below the working directory, or the home folder, the
// short way.
func shortPath(e *env, path string) string {
	if rel, err := filepath.Rel(e.Dir, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return rel
	}
	if home := e.Home(); home != "" {
		if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
			return filepath.Join("~", rest)
		}
	}
	return path
}
