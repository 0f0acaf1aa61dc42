package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/atomicfile"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/trace"
)

type initOptions struct {
	path      string
	preset    string
	contracts bool
	force     bool
	schema    bool
}

// presets are what init can start with; empty switches nothing on.
func presets() []string { return []string{"starter", "strict", "ops", "quality", "empty"} }

func newInitCmd(e *env) *cobra.Command {
	o := initOptions{}
	cmd := &cobra.Command{
		Use:   "init [PATH]",
		Short: "Write a first AGENTLTL.yaml",
		Long: "Write a first AGENTLTL.yaml here, or at PATH: a preset of packaged rules, one rule in\n" +
			"full to start from, and what happens to command lines that cannot be read. Then the\n" +
			"shell of this repository's own workflows, Makefile and package scripts is tried on it.",
		Example: "  agentltl-hook init\n  agentltl-hook init --preset strict",
		Args:    cli.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.path = args[0]
			}
			return runInit(cmd.Context(), e, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.preset, "preset", "starter", "what to start with: `"+strings.Join(presets(), "|")+"`")
	f.BoolVar(&o.contracts, "contracts", false, "add a commented example of contracts")
	f.BoolVar(&o.force, "force", false, "overwrite a file that is there")
	f.BoolVar(&o.schema, "schema", false, "write the JSON Schema beside it, for editors")
	return cmd
}

func runInit(ctx context.Context, e *env, o initOptions) error {
	text, err := initText(o)
	if err != nil {
		return err
	}
	path := e.Path(o.path)
	if st, err := os.Stat(path); o.path == "" || err == nil && st.IsDir() {
		path = filepath.Join(path, rules.FileName)
		if o.path == "" {
			path = filepath.Join(e.Dir, rules.FileName)
		}
	}
	if _, err := os.Lstat(path); err == nil && !o.force {
		return cli.WithHint(cli.Findingf("%s is there already", shortPath(e, path)), "--force overwrites it; agentltl-hook use ID.. adds a packaged rule")
	}
	if err := atomicfile.Write(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	written := []string{path}
	if o.schema {
		schema := filepath.Join(filepath.Dir(path), schemaFile)
		if err := atomicfile.Write(schema, rules.Schema(), 0o644); err != nil {
			return fmt.Errorf("write %s: %w", schema, err)
		}
		written = append(written, schema)
	}
	tried, err := tryScripts(ctx, e, path)
	if err != nil {
		return err
	}
	return tellInit(e, o, written, tried)
}

// schemaFile is what --schema writes beside the rule file.
const schemaFile = "agentltl.schema.json"

// initText is the new file.
func initText(o initOptions) (string, error) {
	known := false
	for _, p := range presets() {
		known = known || p == o.preset
	}
	if !known {
		err := cli.Usagef("init: there is no preset %q; presets: %s", o.preset, strings.Join(presets(), ", "))
		if n := cli.Nearest(o.preset, presets()); n != "" {
			err = cli.WithHint(err, "did you mean %s?", n)
		}
		return "", err
	}
	var b strings.Builder
	if o.schema { // editors cannot look up the schema's own name, a urn
		fmt.Fprintf(&b, "# yaml-language-server: $schema=./%s\n", schemaFile)
	}
	b.WriteString(initHead)
	if o.preset != "empty" {
		fmt.Fprintf(&b, initUse, o.preset)
	}
	b.WriteString(initRules)
	if o.contracts {
		b.WriteString(initContracts)
	}
	return b.String(), nil
}

const initHead = `# Rules for the tool calls of coding agents in this repository.
# agentltl-hook validate lists them, check 'git push -f' tries a call, explain says why.
settings:
  unparseable: {auto: deny} # command lines that cannot be read, when nobody can be asked
`

const initUse = `
# Packaged rules: agentltl-hook library lists them, library ID shows one in full.
use: [%s]
`

const initRules = `
rules:
  - id: no-force-push
    never:
      - {tool: git_push, with: {force: true}}
      - {tool: git_push, where: {refspecs: "+*"}}
    why: A force push rewrites history that others have, and can destroy their work.
    fix: Push without --force, or use --force-with-lease after the user agreed.
    examples:
      refused: [git push -f, "git push origin +main"]
      allowed: [git push, git push --force-with-lease]
`

const initContracts = `
# Contracts: limits and orders over the tools of your own servers and agents.
#  - id: quote-before-pay
#    must_precede: [mcp__shop__get_quote, mcp__shop__pay]
#    why: Nobody pays a price that was not asked for.
#  - id: pay-budget
#    at_most_total: {call: mcp__shop__pay, field: amount, limit: 500}
#    mode: ask
#  - id: calm-polling
#    rate_limit: {call: mcp__shop__status, times: 10, per: 60s}
`

// A triedScript is a piece of the repository's own shell that the new file would
// not let through.
type triedScript struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Rule   string `json:"rule"`
	Action string `json:"action"`
	Text   string `json:"text"`
}

type triedScripts struct {
	Count   int           `json:"count"`
	Refused []triedScript `json:"refused"`
}

// tryScripts plays the repository's own shell, unattended, each piece on an
// empty memory.
func tryScripts(ctx context.Context, e *env, path string) (triedScripts, error) {
	root := rules.GitRoot(filepath.Dir(path))
	out := triedScripts{Refused: []triedScript{}}
	for _, s := range rules.Scripts(os.DirFS(root)) {
		out.Count++
		p, err := localPipeline(e, e.Harness)
		if err != nil {
			return out, err
		}
		p.Only = []string{path}
		played, err := hooks.NewPlayer(p, root, e.Now()).Play(ctx, hooks.Step{
			Do: "call", Text: s.Text, Tool: "Bash", Input: trace.Args{"command": s.Text}, Auto: true,
		})
		if err != nil {
			return out, err
		}
		if played.Action != "none" {
			out.Refused = append(out.Refused, triedScript{s.File, s.Line, played.Rule, played.Action, s.Text})
		}
	}
	return out, nil
}

func tellInit(e *env, o initOptions, written []string, tried triedScripts) error {
	if e.JSON {
		return cli.WriteJSON(e.Stdout, struct {
			Version int          `json:"version"`
			Files   []string     `json:"files"`
			Preset  string       `json:"preset"`
			Scripts triedScripts `json:"scripts"`
		}{1, written, o.preset, tried})
	}
	w := e.Stdout
	for _, f := range written {
		fmt.Fprintf(w, "wrote %s\n", shortPath(e, f))
	}
	if tried.Count > 0 {
		fmt.Fprintf(w, "tried on it: %s of this repository's own workflows, Makefile and package scripts, unattended: %d would not run as they are\n",
			count(tried.Count, "piece of shell", "pieces of shell"), len(tried.Refused))
	}
	for _, s := range tried.Refused {
		rule := s.Rule
		if rule == "" {
			rule = "cannot be read"
		}
		line, _, _ := strings.Cut(strings.TrimSpace(s.Text), "\n")
		fmt.Fprintf(w, "  %s:%d: %s (%s): %s\n", s.File, s.Line, s.Action, rule, line)
	}
	_, err := fmt.Fprintf(w, "next: agentltl-hook check 'cd app && git push -f' 'git push'\n")
	return err
}
