package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/internal/version"
)

type installOptions struct {
	names                          []string
	user, project, plugin, managed bool
	only, allowEnv, experimental   bool
	dryRun, force                  bool
}

func newInstallCmd(e *env) *cobra.Command {
	o := installOptions{}
	cmd := &cobra.Command{
		Use:   "install [HARNESS..]",
		Short: "Register the hooks with a coding agent",
		Long: "Write this program's hooks into the settings of the named harnesses (default: those\n" +
			"found here), with absolute paths and nothing else changed. What the files held is kept:\n" +
			"\"agentltl-hook uninstall\" gives it back.",
		Args: cli.Args(0, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.names = args
			return runInstall(e, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, "in the user's own settings (the default)")
	f.BoolVar(&o.project, "project", false, "in this project's settings, for everybody who works on it")
	f.BoolVar(&o.plugin, "plugin", false, "as a plugin of the harness")
	f.BoolVar(&o.managed, "managed", false, "in the machine's managed settings, which no switch reaches (root)")
	f.BoolVar(&o.only, "only", false, "with --managed: no other hook runs (Claude Code)")
	f.BoolVar(&o.allowEnv, "allow-env", false, "the hooks read the environment (for tests)")
	f.BoolVar(&o.experimental, "experimental", false, "on Windows: install although nothing is enforced there yet")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be done")
	f.BoolVar(&o.force, "force", false, "do not ask, and replace a plugin registration")
	return cmd
}

// An installed is what was done for one harness, as --json prints it.
type installed struct {
	Harness  string           `json:"harness"`
	Changed  []adapter.Change `json:"changed"`
	Warnings []string         `json:"warnings,omitempty"`
	Next     []string         `json:"next"`
}

func runInstall(e *env, o installOptions) error {
	if err := checkInstall(o); err != nil {
		return err
	}
	adapters, err := installTargets(e, o.names)
	if err != nil {
		return err
	}
	var done []installed
	for _, a := range adapters {
		io, err := o.forHarness(e, a)
		if err != nil {
			return err
		}
		if io.NoPeers, err = askPeers(e, o, a, io); err != nil {
			return err
		}
		r, err := a.Install(io)
		if m, ok := errors.AsType[*adapter.ManualError](err); ok {
			return cli.Findingf("%s: %w", a.Profile().Name, m)
		}
		if twice, ok := errors.AsType[*adapter.TwiceError](err); ok {
			name := a.Profile().Name
			return cli.WithHint(cli.Findingf("%s: %w", name, twice), "keep the plugin, or take it out first: agentltl-hook uninstall %s", name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", a.Profile().Name, err)
		}
		if !o.managed {
			if err := keepProgram(io, &r); err != nil {
				return fmt.Errorf("%s: %w", a.Profile().Name, err)
			}
			linkProgram(e, io, &r)
		}
		done = append(done, installed{a.Profile().Name, r.Changed, r.Warnings, r.Next})
	}
	if err := printInstalled(e, done); err != nil || e.JSON || e.Quiet || o.dryRun {
		return err
	}
	_, err = fmt.Fprintln(e.Stdout, "Sessions started from now on are checked. agentltl-hook doctor looks whether all is in place.")
	return err
}

func checkInstall(o installOptions) error {
	n := 0
	for _, b := range []bool{o.user, o.project, o.plugin, o.managed} {
		if b {
			n++
		}
	}
	switch {
	case n > 1:
		return cli.Usagef("install: --user, --project, --plugin and --managed exclude each other")
	case o.only && !o.managed:
		return cli.Usagef("install: --only goes with --managed")
	case o.managed && len(o.names) == 0:
		return cli.WithHint(cli.Usagef("install: --managed wants a harness"), "agentltl-hook install --managed claude-code")
	case runtime.GOOS == "windows" && !o.experimental:
		return cli.WithHint(cli.Usagef("install: nothing is enforced on Windows yet"),
			"--experimental installs all the same")
	}
	return nil
}

// installTargets are the adapters of the names, or of the harnesses found here.
func installTargets(e *env, names []string) ([]adapter.Adapter, error) {
	if len(names) == 0 && e.Harness != "" {
		names = []string{e.Harness}
	}
	var out []adapter.Adapter
	for _, n := range names {
		a := harness.Find(n)
		if a == nil || a.Command() == "" {
			return nil, unknownHarness(n)
		}
		out = append(out, a)
	}
	if len(names) > 0 {
		return out, nil
	}
	for _, a := range harness.All() {
		if a.Command() != "" && e.Look(a.Command()) != "" {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, cli.WithHint(cli.Findingf("no coding agent was found on PATH"),
			"name one: agentltl-hook install claude-code")
	}
	return out, nil
}

// forHarness fills the adapter's options from the environment of this command.
func (o installOptions) forHarness(e *env, a adapter.Adapter) (adapter.InstallOptions, error) {
	program, err := ownProgram(e)
	if err != nil {
		return adapter.InstallOptions{}, err
	}
	io := adapterOptions(e, a)
	io.Program = program
	io.Project, io.Plugin, io.Managed, io.Only = o.project, o.plugin, o.managed, o.only
	io.AllowEnv, io.Force, io.DryRun = o.allowEnv, o.force, o.dryRun
	if !e.JSON && e.Terminal(cli.In) && e.Terminal(cli.Err) {
		io.Confirm = func(question string, lines []string) (bool, error) {
			for _, l := range lines {
				fmt.Fprintf(e.Stderr, "%s: %s\n", a.Profile().Name, l)
			}
			return confirm(e, question+" [y/N] ")
		}
	}
	if io.StateDir == "" || io.UserDir == "" {
		return io, errors.New("there is no home folder to install into")
	}
	return io, nil
}

// adapterOptions are the folders and means that install, uninstall and doctor
// give an adapter.
func adapterOptions(e *env, a adapter.Adapter) adapter.InstallOptions {
	return adapter.InstallOptions{
		StateDir:  stateDir(e),
		SharedDir: sharedDir(e),
		UserDir:   harnessDir(e, a.Profile()),
		Home:      e.Home(),
		Root:      projectRoot(e.Dir),
		Version:   version.String(),
		Getenv:    e.Getenv,
		Look:      e.Look,
		Random:    randomHex,
		Now:       e.Now,
		Run:       runProgram(e),
	}
}

// ownProgram is the path to register: the one PATH leads to, if it is this
// program (it outlives updates), else where this program lies.
func ownProgram(e *env) (string, error) {
	exe, err := e.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if p := e.Look(commandName); filepath.IsAbs(p) && p != (adapter.InstallOptions{StateDir: stateDir(e)}).Linked() {
		a, errA := os.Stat(p)
		b, errB := os.Stat(exe)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return p, nil
		}
	}
	return exe, nil
}

// projectRoot is the git root above dir, else dir.
func projectRoot(dir string) string {
	for d := dir; d != ""; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if filepath.Dir(d) == d {
			break
		}
	}
	return dir
}

// askPeers finds the Python plugins of the same name and asks whether to switch
// them off: both would judge every call.
func askPeers(e *env, o installOptions, a adapter.Adapter, io adapter.InstallOptions) (bool, error) {
	if o.managed || o.force {
		return o.force && !o.managed, nil
	}
	peers := a.Peers(io)
	if len(peers) == 0 || o.dryRun || e.JSON || !e.Terminal(cli.In) || !e.Terminal(cli.Err) {
		return false, nil
	}
	for _, p := range peers {
		fmt.Fprintf(e.Stderr, "%s: %s\n", a.Profile().Name, p)
	}
	return confirm(e, "Switch it off? Both would judge every call. [y/N] ")
}

// confirm asks a person at the terminal.
func confirm(e *env, question string) (bool, error) {
	fmt.Fprint(e.Stderr, question)
	line, err := bufio.NewReader(e.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

// commandName is the name people and launchers call this program by.
const commandName = "agentltl-hook"

// linkProgram makes the program findable by its name if it is not yet. Hooks do
// not need that: they name it by its path.
func linkProgram(e *env, o adapter.InstallOptions, r *adapter.Report) {
	if runtime.GOOS == "windows" || o.Home == "" || e.Look(commandName) != "" {
		return
	}
	folder := filepath.Join(o.Home, ".local", "bin")
	c, err := o.LinkProgram(filepath.Join(folder, commandName))
	switch {
	case err != nil:
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s is not on PATH, and no link to it could be made: %v", commandName, err))
	case c.Action != "unchanged":
		r.Changed = append(r.Changed, c)
		if !slices.Contains(filepath.SplitList(e.Getenv("PATH")), folder) {
			r.Next = append(r.Next, fmt.Sprintf("add %s to PATH, to run %s by its name", folder, commandName))
		}
	}
}

// programRecord is the name under which the program's path is kept beside what
// was installed for harnesses.
const programRecord = "program"

// keepProgram writes the program's path where plugin launchers look for it
// (trust.md 5).
func keepProgram(o adapter.InstallOptions, r *adapter.Report) error {
	changed, err := o.Apply(programRecord, []adapter.File{{
		Path: filepath.Join(o.SharedDir, "program"), New: []byte(o.Program + "\n"), Mode: 0o644,
	}})
	for _, c := range changed {
		if c.Action != "unchanged" {
			c.Note = "tells plugins where this program is"
			r.Changed = append(r.Changed, c)
		}
	}
	return err
}

func printInstalled(e *env, done []installed) error {
	if e.JSON {
		for i := range done {
			if done[i].Next == nil {
				done[i].Next = []string{}
			}
		}
		if len(done) == 1 {
			return cli.WriteJSON(e.Stdout, struct {
				Version int `json:"version"`
				installed
			}{1, done[0]})
		}
		return cli.WriteJSON(e.Stdout, struct {
			Version  int         `json:"version"`
			Installs []installed `json:"installs"`
		}{1, done})
	}
	for _, d := range done {
		for _, c := range d.Changed {
			line := fmt.Sprintf("%s: %s %s", d.Harness, c.Action, c.Path)
			if c.Note != "" {
				line += " (" + c.Note + ")"
			}
			fmt.Fprintln(e.Stdout, line)
		}
		for _, w := range d.Warnings {
			fmt.Fprintf(e.Stderr, "%s: %s: %s\n", e.Name, d.Harness, w)
		}
		for _, n := range d.Next {
			fmt.Fprintf(e.Stdout, "%s: next: %s\n", d.Harness, n)
		}
	}
	return nil
}
