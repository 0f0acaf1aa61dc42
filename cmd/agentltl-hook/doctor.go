package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/internal/version"
)

type finding = adapter.Finding

func newDoctorCmd(e *env) *cobra.Command {
	fleet := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that the hooks run and the rules load",
		Long: "Look at everything that has to be right for the rules to hold: the program, the hooks\n" +
			"of each harness, rule files, the store. The registered commands are tried with a harmless\n" +
			"call. Exit status 1 if a check fails.",
		Args: cli.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), e, fleet) },
	}
	cmd.Flags().BoolVar(&fleet, "fleet", false, "for machines: without a project, in two seconds")
	return cmd
}

func runDoctor(ctx context.Context, e *env, fleet bool) error {
	d := newDoctor(e)
	var checks []finding
	if fleet {
		checks = d.fleet()
	} else {
		checks = d.all(ctx)
	}
	failed := slices.ContainsFunc(checks, func(f finding) bool { return f.Severity == adapter.Bad })
	if err := printChecks(e, checks, fleet); err != nil {
		return err
	}
	if failed {
		return cli.ErrFinding
	}
	return nil
}

func printChecks(e *env, checks []finding, fleet bool) error {
	if fleet {
		return printFleet(e, checks)
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, struct {
			Version int       `json:"version"`
			Checks  []finding `json:"checks"`
		}{1, checks})
	}
	wide := 0
	for _, c := range checks {
		wide = max(wide, len(c.ID))
	}
	for _, c := range checks {
		if e.Quiet && c.Severity == adapter.OK {
			continue
		}
		fmt.Fprintf(e.Stdout, "%-4s  %-*s  %s\n", c.Severity, wide, c.ID, c.Detail)
		if c.Fix != "" {
			fmt.Fprintf(e.Stdout, "%-4s  %-*s  fix: %s\n", "", wide, "", c.Fix)
		}
	}
	return nil
}

// A doctor holds what the checks share.
type doctor struct {
	e        *env
	adapters []adapter.Adapter
	options  map[string]adapter.InstallOptions
	regs     map[string][]adapter.Registration
	found    map[string]bool // the harness's own program is on PATH
}

func newDoctor(e *env) *doctor {
	d := &doctor{
		e: e, options: map[string]adapter.InstallOptions{}, regs: map[string][]adapter.Registration{}, found: map[string]bool{},
	}
	program, err := ownProgram(e)
	if err != nil {
		program = ""
	}
	for _, a := range harness.All() {
		if a.Command() == "" || (e.Harness != "" && harness.Find(e.Harness) != a) {
			continue
		}
		name := a.Profile().Name
		o := adapterOptions(e, a)
		o.Program = program
		d.adapters = append(d.adapters, a)
		d.options[name], d.regs[name] = o, a.Registrations(o)
		d.found[name] = e.Look(a.Command()) != ""
	}
	return d
}

// here are the adapters whose harness is found or registered.
func (d *doctor) here() []adapter.Adapter {
	return slices.DeleteFunc(slices.Clone(d.adapters), func(a adapter.Adapter) bool {
		name := a.Profile().Name
		return !d.found[name] && len(d.regs[name]) == 0
	})
}

// all makes every check of rules.md 22.5, in its order.
func (d *doctor) all(ctx context.Context) []finding {
	checks := []finding{d.binary(ctx), d.version(ctx)}
	// The harnesses' own programs take their time to say their version.
	adapters := d.here()
	results := make([][]finding, len(adapters))
	var wait sync.WaitGroup
	for i, a := range adapters {
		wait.Go(func() { results[i] = d.harness(a) })
	}
	wait.Wait()
	for _, r := range results {
		checks = append(checks, r...)
	}
	l := d.load()
	checks = append(checks, d.managed(l)...)
	checks = append(checks, d.rules(l)...)
	checks = append(checks, d.store()...)
	checks = append(checks, d.state()...)
	return append(checks, d.pause(), check("evidence.chain", adapter.OK, "evidence is off", ""),
		check("metrics.file", adapter.OK, "metrics are off", ""))
}

func check(id, severity, detail, fix string) finding {
	if severity == adapter.OK {
		fix = ""
	}
	return finding{ID: id, Severity: severity, Detail: detail, Fix: fix}
}

// judged makes a finding of a list of troubles.
func judged(id, severity string, troubles []string, good, fix string) finding {
	if len(troubles) == 0 {
		return check(id, adapter.OK, good, "")
	}
	return check(id, severity, strings.Join(troubles, "; "), fix)
}

// programs are the programs that hooks name, each once; without hooks our own.
func (d *doctor) programs() []string {
	var out []string
	for _, a := range d.adapters {
		for _, r := range d.regs[a.Profile().Name] {
			if len(r.Words) > 0 && !slices.Contains(out, r.Words[0]) {
				out = append(out, r.Words[0])
			}
		}
	}
	if len(out) == 0 {
		if p, err := ownProgram(d.e); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// versionOf runs a program that hooks name.
func (d *doctor) versionOf(ctx context.Context, program string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if !filepath.IsAbs(program) {
		found := d.e.Look(program)
		if found == "" {
			return "", fmt.Errorf("%s is not on PATH", program)
		}
		program = found
	}
	res, err := runProgram(d.e)(ctx, adapter.Command{Args: []string{program, "version", "--json"}})
	if err != nil {
		return "", err
	}
	var v versionInfo
	if res.Status != 0 || json.Unmarshal(res.Stdout, &v) != nil || v.Program == "" {
		return "", fmt.Errorf("%s does not say its version: exit status %d", program, res.Status)
	}
	return v.Program, nil
}

func (d *doctor) binary(ctx context.Context) finding {
	var troubles []string
	for _, p := range d.programs() {
		if _, err := d.versionOf(ctx, p); err != nil {
			troubles = append(troubles, err.Error())
		}
	}
	return judged("binary", adapter.Bad, troubles, strings.Join(d.programs(), ", "), "agentltl-hook install")
}

// version compares this program with the registered ones, the plugins' manifests
// and the store of this project.
func (d *doctor) version(ctx context.Context) finding {
	own := version.String()
	var troubles []string
	for _, p := range d.programs() {
		if v, err := d.versionOf(ctx, p); err == nil && v != own {
			troubles = append(troubles, fmt.Sprintf("the hooks run %s %s, this is %s", p, v, own))
		}
	}
	for _, a := range d.adapters {
		name := a.Profile().Name
		if v := manifestVersion(d.options[name], name); v != "" && v != strings.TrimPrefix(own, "v") && !isDevel(own) {
			troubles = append(troubles, fmt.Sprintf("the plugin for %s is %s, this is %s", name, v, own))
		}
	}
	info, err := d.project().Inspect()
	switch {
	case isNewer(err):
		return check("version", adapter.Bad, err.Error(), "update agentltl-hook to the version that wrote the store")
	case err == nil && info.Format != "" && info.Program != "" && newerThan(info.Program, own):
		troubles = append(troubles, fmt.Sprintf("this project's store was made by %s, this is %s", info.Program, own))
	}
	return judged("version", adapter.Warn, troubles, own, "agentltl-hook install, with the newest program")
}

// manifestVersion is the version in an installed plugin's manifest.
func manifestVersion(o adapter.InstallOptions, name string) string {
	manifest := map[string]string{
		"claude-code": ".claude-plugin/plugin.json", "copilot-cli": "plugin.json", "codex": ".codex-plugin/plugin.json",
	}[name]
	if manifest == "" {
		return ""
	}
	b, err := os.ReadFile(filepath.Join(o.MarketplaceDir(), name, filepath.FromSlash(manifest)))
	if err != nil {
		return ""
	}
	var m struct{ Version string }
	if json.Unmarshal(b, &m) != nil {
		return ""
	}
	return m.Version
}

func isDevel(v string) bool { return strings.HasPrefix(v, "devel") || strings.HasPrefix(v, "v0.0.0-") }
