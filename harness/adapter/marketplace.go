package adapter

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A PluginFile is one rendered file of a plugin tree.
type PluginFile struct {
	Path string // relative to the marketplace
	Data []byte
	Exec bool
}

// PluginTree takes over what package plugins renders, which this package does
// not import.
func PluginTree[F ~struct {
	Path string
	Data []byte
	Exec bool
}](files []F, err error) ([]PluginFile, error) {
	var out []PluginFile
	for _, f := range files {
		out = append(out, PluginFile(f))
	}
	return out, err
}

// MarketplaceDir is where install puts the marketplace that harnesses read the
// plugin from.
func (o InstallOptions) MarketplaceDir() string { return filepath.Join(o.SharedDir, "marketplace") }

// Launcher is the plugin's launcher where install put it, "" if the plugin came
// from elsewhere.
func (o InstallOptions) Launcher(harness string) string {
	p := filepath.Join(o.MarketplaceDir(), harness, "bin", "launch")
	if !IsFile(p) {
		return ""
	}
	return p
}

// writeMarketplace writes a harness's files of the marketplace.
func (o InstallOptions) writeMarketplace(harness string, tree []PluginFile) ([]Change, error) {
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

// removeMarketplace takes a harness's files away; those of the marketplace
// itself only with the last harness.
func (o InstallOptions) removeMarketplace(harness string, tree []PluginFile, others []string) ([]Change, error) {
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
