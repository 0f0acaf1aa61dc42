// Package plugins holds the plugin trees of the harnesses, embedded: manifests,
// hooks, the launcher and skills. It renders them; installing is the adapters'
// work. It makes no API promise.
package plugins

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Without "all:" the folders that begin with a dot, which hold the manifests,
// would be left out.
//
//go:embed all:claudecode all:copilot all:codex all:marketplace shared
var trees embed.FS

// A File is one rendered file, its path relative to the tree's root.
type File struct {
	Path string
	Data []byte
	Exec bool
}

// Marketplace renders the folder that a harness takes as a marketplace: the
// manifests of all of them and the plugin of that one, below its name.
func Marketplace(harness, version string) ([]File, error) {
	files, err := render("marketplace", version, "")
	if err != nil {
		return nil, err
	}
	plugin, err := Plugin(harness, version)
	if err != nil {
		return nil, err
	}
	for _, f := range plugin {
		f.Path = path.Join(harness, f.Path)
		files = append(files, f)
	}
	return files, nil
}

// Others are the harnesses that share the marketplace with that one.
func Others(harness string) []string {
	var names []string
	for _, k := range kinds() {
		if k.harness != harness {
			names = append(names, k.harness)
		}
	}
	return names
}

// A kind is the plugin of one harness.
type kind struct {
	harness string
	tree    string // its folder here
	prefix  string // of the names of skills
}

// kinds lists the plugins. A new one is a folder, its name in trees and a line here.
func kinds() []kind {
	return []kind{
		{"claude-code", "claudecode", ""},
		{"copilot-cli", "copilot", "agentltl-"},
		{"codex", "codex", ""},
	}
}

// Plugin renders one harness's plugin.
func Plugin(harness, version string) ([]File, error) {
	i := slices.IndexFunc(kinds(), func(k kind) bool { return k.harness == harness })
	if i < 0 {
		return nil, fmt.Errorf("there is no plugin for %s", harness)
	}
	k := kinds()[i]
	files, err := render(k.tree, version, "")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"README.md", "LICENSE"} {
		b, err := trees.ReadFile("shared/" + name)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Path: name, Data: b})
	}
	launch, err := trees.ReadFile("shared/launch")
	if err != nil {
		return nil, err
	}
	files = append(files, File{Path: "bin/launch", Data: launch, Exec: true})
	skills, err := Skills(k.prefix)
	if err != nil {
		return nil, err
	}
	for _, f := range skills {
		f.Path = path.Join("skills", f.Path)
		files = append(files, f)
	}
	return files, nil
}

// Skills renders the skills, each in a folder of its name. prefix goes in front
// of the names where a harness does not put the plugin's name there itself.
func Skills(prefix string) ([]File, error) {
	return render("shared/skills", "", prefix)
}

// render reads a tree with its placeholders replaced; prefix goes in front of
// each path too.
func render(tree, version, prefix string) ([]File, error) {
	fill := strings.NewReplacer("@VERSION@", plain(version), "@PREFIX@", prefix)
	var files []File
	err := fs.WalkDir(trees, tree, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := trees.ReadFile(p)
		if err != nil {
			return err
		}
		rel := prefix + strings.TrimPrefix(p, tree+"/")
		files = append(files, File{Path: rel, Data: []byte(fill.Replace(string(b)))})
		return nil
	})
	return files, err
}

// plain is a version as manifests want it: digits and dots first.
func plain(version string) string {
	v := strings.TrimPrefix(version, "v")
	if v == "" || v[0] < '0' || v[0] > '9' {
		return "0.0.0"
	}
	return v
}
