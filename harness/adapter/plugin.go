package adapter

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/internal/edit"
)

// Our plugin and the marketplace it comes from are called alike in every harness.
const (
	Marketplace = "agentltl"
	PluginID    = "agentltl@" + Marketplace
)

// A Plugin is what differs between the harnesses whose own program installs our
// plugin from the marketplace.
type Plugin struct {
	Harness  string // Profile.Name
	Program  string // the harness's own
	Env      []string
	Add      string // "plugin <Add> agentltl@agentltl" installs it
	Remove   string
	Settings string     // the file in which the program notes it
	Made     [][]string // what it adds there
	// Cut takes that out again.
	Cut    func(src []byte, made [][]string) ([]byte, error)
	Tree   []PluginFile
	Others []string // the harnesses that share the marketplace
	On     bool     // it is enabled
	// Replace takes out the hooks that the plugin stands in for: both would judge
	// every call.
	Replace  func() ([]Change, error)
	After    func(program string) error // nil: nothing more to do
	Note     string                     // to the change of Settings
	Warnings []string                   // once it is installed
	Next     []string                   // what else the person does who installs it by hand
}

// InstallPlugin writes the marketplace and lets the harness install the plugin
// from it.
func (o InstallOptions) InstallPlugin(p Plugin) (Report, error) {
	var r Report
	var err error
	if r.Changed, err = o.writeMarketplace(p.Harness, p.Tree); err != nil {
		return r, err
	}
	replaced, err := p.Replace()
	if err != nil {
		return r, err
	}
	for _, c := range replaced {
		if c.Action != "unchanged" {
			r.Changed = append(r.Changed, c)
		}
	}
	program := o.Find(p.Program)
	if program == "" || o.DryRun {
		r.Next = append(r.Next, p.Program+" plugin marketplace add "+Quote(o.MarketplaceDir()),
			p.Program+" plugin "+p.Add+" "+PluginID)
		r.Next = append(r.Next, p.Next...)
		return r, nil
	}
	c, err := o.Track(p.Harness, p.Settings, p.Made, func() error {
		if err := o.commandLine(p.Env, program, "plugin", "marketplace", "add", o.MarketplaceDir()); err != nil {
			return err
		}
		if err := o.commandLine(p.Env, program, "plugin", p.Add, PluginID); err != nil {
			return err
		}
		if p.After == nil {
			return nil
		}
		return p.After(program)
	})
	if err != nil {
		_, _ = o.removeMarketplace(p.Harness, p.Tree, p.Others)
		return r, err
	}
	c.Note = p.Note
	r.Changed = append(r.Changed, c)
	r.Warnings = append(r.Warnings, p.Warnings...)
	return r, nil
}

// RemovePlugin lets the harness forget plugin and marketplace, then takes the
// files away.
func (o InstallOptions) RemovePlugin(p Plugin) (Report, error) {
	var r Report
	if p.On || o.Launcher(p.Harness) != "" {
		program := o.Find(p.Program)
		switch {
		case o.DryRun:
			r.Changed = append(r.Changed, Change{Path: p.Settings, Action: "would change", Note: "plugin " + PluginID})
		case program == "":
			r.Next = append(r.Next, p.Program+" plugin "+p.Remove+" "+PluginID, p.Program+" plugin marketplace remove "+Marketplace)
		default:
			// Either may be gone already; what counts is the settings file.
			_ = o.commandLine(p.Env, program, "plugin", p.Remove, PluginID)
			_ = o.commandLine(p.Env, program, "plugin", "marketplace", "remove", Marketplace)
			c, err := o.UndoTracked(p.Settings, p.Cut)
			if err != nil {
				return r, err
			}
			r.Changed = append(r.Changed, c)
		}
	}
	gone, err := o.removeMarketplace(p.Harness, p.Tree, p.Others)
	r.Changed = append(r.Changed, gone...)
	return r, err
}

// JSONPluginMade is what Claude Code and Copilot CLI add to their settings for
// the plugin.
func JSONPluginMade() [][]string {
	return [][]string{
		{"enabledPlugins", PluginID}, {"extraKnownMarketplaces", Marketplace}, {"enabledPlugins"}, {"extraKnownMarketplaces"},
	}
}

// CutJSONPlugin takes [JSONPluginMade] out of a settings file.
func CutJSONPlugin(src []byte, made [][]string) ([]byte, error) {
	j, err := edit.ParseJSON(src)
	if err != nil {
		return nil, err
	}
	found := false
	for _, p := range [][]string{{"enabledPlugins", PluginID}, {"extraKnownMarketplaces", Marketplace}} {
		if _, ok := j.Get(p...); ok {
			found = true
			if err := j.Remove(p...); err != nil {
				return nil, err
			}
		}
		gone, err := j.Prune(madeOr(made, p[0]), p[0])
		if err != nil {
			return nil, err
		}
		found = found || gone
	}
	if !found {
		return src, nil
	}
	return j.Bytes(), nil
}

// commandLine runs one command of a harness's own program, such as "plugin
// install", and words its failure.
func (o InstallOptions) commandLine(env []string, args ...string) error {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	res, err := o.Exec(ctx, Command{Args: args, Env: env, Dir: o.Home})
	name := filepath.Base(args[0]) + " " + strings.Join(args[1:], " ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if res.Status != 0 {
		return fmt.Errorf("%s: exit status %d: %s", name, res.Status,
			Cut(OneLine(string(res.Stderr)+" "+string(res.Stdout)), 300))
	}
	return nil
}
