package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

// declinedKey is where a project keeps the statements that a person declined to
// make a rule of.
const declinedKey = "memory-declined"

// maxInstructions bounds an instruction file that is read.
const maxInstructions = 1 << 20

type memoryOptions struct {
	files     []string
	user, all bool
}

func newMemoryCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Find statements of instruction files that could be rules",
		Args:  cli.Args(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cli.Usagef("memory: say scan, decline or forget") },
	}
	o := memoryOptions{}
	scan := &cobra.Command{
		Use:   "scan [FILE..]",
		Short: "List what CLAUDE.md, AGENTS.md and their like say, and what a rule covers",
		Long: "Read the instruction files of the agents in this project (or the given files) and list\n" +
			"their statements that are phrased as instructions about an action and are not yet\n" +
			"covered by a rule (its key from names the statement) nor declined.",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.files = args
			return runMemoryScan(cmd.Context(), e, o)
		},
	}
	scan.Flags().BoolVar(&o.user, "user", false, "the user's own instruction files, too")
	scan.Flags().BoolVar(&o.all, "all", false, "every statement, whatever its status")
	decline := &cobra.Command{
		Use: "decline ID..", Short: "Say that a statement shall not become a rule", Args: cli.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return runMemoryDecline(e, args, true) },
	}
	forget := &cobra.Command{
		Use: "forget ID..", Short: "Take a decline back", Args: cli.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return runMemoryDecline(e, args, false) },
	}
	cmd.AddCommand(scan, decline, forget)
	return cmd
}

// scanned is what memory scan prints as JSON (rules.md 22).
type scanned struct {
	Version    int             `json:"version"`
	Sources    []scanSource    `json:"sources"`
	Statements []scanStatement `json:"statements"`
	Counts     map[string]int  `json:"counts"`
}

type scanSource struct {
	File       string `json:"file"`
	Layer      string `json:"layer"` // user or project: where a rule of it belongs
	Statements int    `json:"statements"`
}

type scanStatement struct {
	hooks.Statement
	Commands []scanCommand `json:"commands"`
	Target   string        `json:"target"` // the rule file it belongs into
	Status   string        `json:"status"` // new, covered, declined
	Rules    []string      `json:"rules"`  // ids of the rules that cover it
}

type scanCommand struct {
	Text      string   `json:"text"`
	Calls     []string `json:"calls"`
	NeedsSpec []string `json:"needs_spec"` // programs without a command spec
}

func runMemoryScan(_ context.Context, e *env, o memoryOptions) error {
	set, problems, err := loadHere(e, nil)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return badFiles(e, problems)
	}
	declined, err := readDeclined(e)
	if err != nil {
		return err
	}
	out := scanned{Version: 1, Sources: []scanSource{}, Statements: []scanStatement{}, Counts: map[string]int{}}
	sources, err := instructionFiles(e, o)
	if err != nil {
		return err
	}
	covering := coveringRules(set)
	for _, src := range sources {
		data, err := os.ReadFile(src.File)
		if err != nil {
			return cli.Input(err)
		}
		if len(data) > maxInstructions {
			data = data[:maxInstructions]
		}
		list := hooks.Statements(src.File, string(data), hooks.IsMemoryOf(src.File))
		src.Statements = len(list)
		out.Sources = append(out.Sources, src)
		for _, s := range list {
			x := scanStatement{Statement: s, Target: ruleFileFor(e, src), Rules: covering(s), Commands: quotedCommands(e, set, s)}
			switch {
			case len(x.Rules) > 0:
				x.Status = "covered"
			case declined[s.ID]:
				x.Status = "declined"
			default:
				x.Status = "new"
			}
			out.Counts[x.Status]++
			if x.Candidate {
				out.Counts["candidates"]++
			}
			if o.all || x.Candidate && x.Status == "new" {
				out.Statements = append(out.Statements, x)
			}
		}
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, out)
	}
	return printScan(e, &out)
}

func printScan(e *env, s *scanned) error {
	var b strings.Builder
	file := ""
	for _, x := range s.Statements {
		if x.File != file {
			file = x.File
			fmt.Fprintln(&b, file)
		}
		text, _, _ := strings.Cut(x.Text, "\n")
		fmt.Fprintf(&b, "  %s  %-8s line %d: %s\n", x.ID, x.Status, x.Line, text)
		for _, c := range x.Commands {
			fmt.Fprintf(&b, "              %s -> %s\n", strings.ReplaceAll(c.Text, "\n", "; "), strings.Join(c.Calls, ", "))
		}
	}
	fmt.Fprintf(&b, "%d files, %d statements to look at; %d covered by a rule, %d declined.\n",
		len(s.Sources), len(s.Statements), s.Counts["covered"], s.Counts["declined"])
	_, err := fmt.Fprint(e.Stdout, b.String())
	return err
}

// instructionFiles lists the files to read: the given ones, else those that the
// agents read in this project, and with --user those of the person.
func instructionFiles(e *env, o memoryOptions) ([]scanSource, error) {
	var out []scanSource
	if len(o.files) > 0 {
		for _, f := range o.files {
			out = append(out, scanSource{File: e.Path(f), Layer: "project"})
		}
		return out, nil
	}
	root := rules.GitRoot(e.Dir)
	add := func(layer string, patterns ...string) error {
		for _, p := range patterns {
			found, err := filepath.Glob(p)
			if err != nil {
				return err
			}
			for _, f := range found {
				if st, err := os.Stat(f); err == nil && st.Mode().IsRegular() {
					out = append(out, scanSource{File: f, Layer: layer})
				}
			}
		}
		return nil
	}
	at := func(dir string, names ...string) []string {
		for i, n := range names {
			names[i] = filepath.Join(escapeGlob(dir), filepath.FromSlash(n))
		}
		return names
	}
	err := add("project", at(root, "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/*.md",
		"AGENTS.md", "AGENTS.override.md", "GEMINI.md", ".github/copilot-instructions.md", ".github/instructions/*.instructions.md")...)
	if err != nil {
		return nil, err
	}
	home := e.Home()
	if home == "" {
		return out, nil
	}
	// The agent's own notes about this project lie in the user's folder.
	notes := strings.NewReplacer("/", "-", "\\", "-", ".", "-", "_", "-").Replace(root)
	if err := add("project", at(home, ".claude/projects/"+notes+"/memory/*.md")...); err != nil {
		return nil, err
	}
	if o.user {
		err = add("user", at(home, ".claude/CLAUDE.md", ".claude/rules/*.md", ".codex/AGENTS.md", ".codex/AGENTS.override.md",
			".copilot/copilot-instructions.md", ".vibe/AGENTS.md")...)
	}
	return out, err
}

func escapeGlob(dir string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(dir)
}

// coveringRules finds the rules that name a statement in their key from.
func coveringRules(set *rules.Set) func(hooks.Statement) []string {
	return func(s hooks.Statement) []string {
		ids := []string{}
		for i := range set.Rules {
			r := &set.Rules[i]
			if slices.ContainsFunc(r.From, func(f rules.From) bool {
				return f.ID == s.ID || f.ID == "" && f.Text != "" && hooks.StatementID(f.Text) == s.ID
			}) {
				ids = append(ids, r.ID)
			}
		}
		return ids
	}
}

// ruleFileFor is the file a rule made of a statement belongs into.
func ruleFileFor(e *env, src scanSource) string {
	if src.Layer == "user" {
		return filepath.Join(sharedDir(e), rules.FileName)
	}
	if file, _ := rules.Upwards(e.Dir); file != "" {
		return file
	}
	return filepath.Join(rules.GitRoot(e.Dir), rules.FileName)
}

// quotedCommands reads the code of a statement as command lines; what names no
// known program and has no words is no command.
func quotedCommands(e *env, set *rules.Set, s hooks.Statement) []scanCommand {
	out := []scanCommand{}
	for _, code := range s.Code {
		r := shell.Translate(shell.Request{Command: code, Dir: e.Dir, Root: rules.GitRoot(e.Dir), Home: e.Home(), Specs: set.Specs})
		c := scanCommand{Text: code, Calls: []string{}, NeedsSpec: []string{}}
		for _, call := range r.Calls {
			c.Calls = append(c.Calls, call.Tool)
			if call.CLI != nil && call.CLI.Unspecced && !slices.Contains(c.NeedsSpec, call.Tool) {
				c.NeedsSpec = append(c.NeedsSpec, call.Tool)
			}
		}
		if len(c.Calls) == 0 || len(c.NeedsSpec) == len(c.Calls) && !strings.ContainsAny(code, " \n") {
			continue
		}
		out = append(out, c)
	}
	return out
}

// projectStore is the store of the working directory's project.
func projectStore(e *env) *store.Session {
	root := rules.GitRoot(e.Dir)
	if p, err := localPipeline(e, e.Harness); err == nil {
		root = p.StoreRoot(e.Dir)
	}
	return store.Open(store.Options{Dir: stateDir(e), Root: root, Now: e.Now()})
}

func readDeclined(e *env) (map[string]bool, error) {
	var ids []string
	err := projectStore(e).View(func(tx state.Tx) error {
		if data, ok := tx.Value(state.Project, declinedKey); ok {
			return json.Unmarshal(data, &ids)
		}
		return nil
	})
	declined := map[string]bool{}
	for _, id := range ids {
		declined[id] = true
	}
	return declined, err
}

func runMemoryDecline(e *env, ids []string, decline bool) error {
	for _, id := range ids {
		if len(id) != 10 || strings.Trim(id, "0123456789abcdef") != "" {
			return cli.WithHint(cli.Usagef("memory: %q is no statement id", id), "agentltl-hook memory scan lists them")
		}
	}
	absent := 0
	err := projectStore(e).Update(func(tx state.Tx) error {
		var kept []string
		if data, ok := tx.Value(state.Project, declinedKey); ok {
			if err := json.Unmarshal(data, &kept); err != nil {
				return err
			}
		}
		for _, id := range ids {
			i := slices.Index(kept, id)
			switch {
			case decline && i < 0:
				kept = append(kept, id)
			case !decline && i >= 0:
				kept = slices.Delete(kept, i, i+1)
			case !decline:
				absent++
			}
		}
		slices.Sort(kept)
		data, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		return tx.PutValue(state.Project, declinedKey, data)
	})
	if err != nil {
		return err
	}
	if absent > 0 {
		return cli.Findingf("%d of these were not declined", absent)
	}
	return nil
}
