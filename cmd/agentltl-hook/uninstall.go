package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/cli"
)

type uninstallOptions struct {
	names                          []string
	user, project, plugin, managed bool
	purge, dryRun                  bool
}

func newUninstallCmd(e *env) *cobra.Command {
	o := uninstallOptions{}
	cmd := &cobra.Command{
		Use:   "uninstall [HARNESS..]",
		Short: "Take the hooks out again",
		Long: "Take this program's hooks out of the settings of the named harnesses (default: all).\n" +
			"A file that is as install left it gets its old bytes back; in an edited one only our\n" +
			"entries go. Without a place, the user's and this project's registration and the plugin go.",
		Args: cli.Args(0, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.names = args
			return runUninstall(e, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, "only from the user's settings")
	f.BoolVar(&o.project, "project", false, "only from this project's settings")
	f.BoolVar(&o.plugin, "plugin", false, "only the plugin")
	f.BoolVar(&o.managed, "managed", false, "from the machine's managed settings (root)")
	f.BoolVar(&o.purge, "purge", false, "remove the stores too: every recorded call")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be done")
	return cmd
}

func runUninstall(e *env, o uninstallOptions) error {
	var adapters []adapter.Adapter
	if len(o.names) > 0 || e.Harness != "" {
		var err error
		if adapters, err = installTargets(e, o.names); err != nil {
			return err
		}
	} else {
		for _, a := range harness.All() {
			if a.Command() != "" {
				adapters = append(adapters, a)
			}
		}
	}
	var done []installed
	for _, a := range adapters {
		r, err := removeFrom(e, o, a)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Profile().Name, err)
		}
		done = append(done, installed{a.Profile().Name, r.Changed, r.Warnings, r.Next})
	}
	io := adapterOptions(e, adapters[0])
	io.DryRun = o.dryRun
	if err := forgetProgram(io, &done[0]); err != nil {
		return err
	}
	if o.purge {
		c, err := purge(stateDir(e), o.dryRun)
		if err != nil {
			return err
		}
		if len(done) > 0 && c.Action != "" {
			done[0].Changed = append(done[0].Changed, c)
		}
	}
	if !e.JSON && !e.Quiet && !slices.ContainsFunc(done, func(d installed) bool { return len(d.Changed)+len(d.Warnings)+len(d.Next) > 0 }) {
		_, err := fmt.Fprintln(e.Stdout, "nothing of agentltl-hook is registered here")
		return err
	}
	return printInstalled(e, done)
}

// forgetProgram takes away the program's path, which is for launchers of plugins,
// and the link to it, along with the last registration of this user.
func forgetProgram(o adapter.InstallOptions, done *installed) error {
	if left := o.Records(); len(left) != 1 || left[0] != programRecord {
		return nil
	}
	link, err := o.UnlinkProgram()
	if err != nil {
		return err
	}
	path, err := o.Undo(filepath.Join(o.SharedDir, "program"), nil)
	if err != nil {
		return err
	}
	for _, c := range []adapter.Change{link, path} {
		if c.Action != "unchanged" {
			done.Changed = append(done.Changed, c)
		}
	}
	return nil
}

// removeFrom takes a harness's registrations out of the places asked for.
func removeFrom(e *env, o uninstallOptions, a adapter.Adapter) (adapter.Report, error) {
	var r adapter.Report
	all := !o.user && !o.project && !o.plugin && !o.managed
	for _, place := range []struct{ on, project, plugin, managed bool }{
		{on: o.plugin || all, plugin: true}, // before the settings that its installation changed
		{on: o.user || all},
		{on: o.project || all, project: true},
		{on: o.managed, managed: true},
	} {
		if !place.on {
			continue
		}
		io := adapterOptions(e, a)
		io.DryRun = o.dryRun
		io.Project, io.Plugin, io.Managed = place.project, place.plugin, place.managed
		one, err := a.Remove(io)
		if err != nil {
			return r, err
		}
		r.Add(one)
	}
	// Places where nothing was say nothing, unless nothing was anywhere.
	var changed []adapter.Change
	for _, c := range r.Changed {
		if c.Action != "unchanged" {
			changed = append(changed, c)
		}
	}
	if len(changed) > 0 || all {
		r.Changed = changed
	}
	return r, nil
}

// purge removes the state folder with everything that was recorded.
func purge(dir string, dry bool) (adapter.Change, error) {
	c := adapter.Change{Path: dir, Action: "removed"}
	if _, err := os.Stat(dir); dir == "" || err != nil {
		return adapter.Change{}, nil //nolint:nilerr // nothing there to purge
	}
	if dry {
		c.Action = "would remove"
		return c, nil
	}
	return c, os.RemoveAll(dir)
}
