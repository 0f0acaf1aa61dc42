package adapter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A PluginFile is one rendered file of a plugin tree.
type PluginFile struct {
	Path string // relative to the marketplace
	Data []byte
	Exec bool
}

// MarketplaceDir is where install puts the marketplace that harnesses read the
// plugin from.
func (o InstallOptions) MarketplaceDir() string { return filepath.Join(o.SharedDir, "marketplace") }

// WriteMarketplace writes a harness's files of the marketplace.
func (o InstallOptions) WriteMarketplace(harness string, tree []PluginFile) ([]Change, error) {
	var files []File
	for _, f := range tree {
		mode := os.FileMode(0o644)
		if f.Exec {
			mode = 0o755
		}
		files = append(files, File{
			Path: filepath.Join(o.MarketplaceDir(), filepath.FromSlash(f.Path)), New: f.Data, Mode: mode,
		})
	}
	changed, err := o.Apply(harness, files)
	return summary(o.MarketplaceDir(), changed), err
}

// RemoveMarketplace takes a harness's files away; those of the marketplace
// itself only with the last harness.
func (o InstallOptions) RemoveMarketplace(harness string, tree []PluginFile, others []string) ([]Change, error) {
	var changed []Change
	for _, f := range tree {
		top, _, _ := strings.Cut(f.Path, "/")
		if top != harness && o.anyPlugin(others) {
			continue
		}
		c, err := o.Undo(filepath.Join(o.MarketplaceDir(), filepath.FromSlash(f.Path)), nil)
		if err != nil {
			return summary(o.MarketplaceDir(), changed), err
		}
		changed = append(changed, c)
	}
	return summary(o.MarketplaceDir(), changed), nil
}

func (o InstallOptions) anyPlugin(harnesses []string) bool {
	for _, h := range harnesses {
		if st, err := os.Stat(filepath.Join(o.MarketplaceDir(), h)); err == nil && st.IsDir() {
			return true
		}
	}
	return false
}

// summary is one change for a whole folder: nobody wants to read thirty lines.
func summary(dir string, changed []Change) []Change {
	counts := map[string]int{}
	for _, c := range changed {
		counts[c.Action]++
	}
	for _, action := range []string{
		"created", "changed", "removed", "restored", "would create", "would change", "would remove", "would restore",
	} {
		if n := counts[action]; n > 0 {
			return []Change{{Path: dir, Action: action, Note: fmt.Sprintf("%d files", n)}}
		}
	}
	return []Change{{Path: dir, Action: "unchanged"}}
}

// NotStrict is the trouble with a file whose program reads plain JSON only.
func NotStrict(path, program string) error {
	return fmt.Errorf("%s holds comments or trailing commas: %s ignores such a file without a word, and hooks in it with the rest; "+
		"take them out first; nothing was changed", path, program)
}

// CommandLine runs one command of a harness's own program, such as "plugin
// install", and words its failure.
func (o InstallOptions) CommandLine(env []string, args ...string) error {
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
