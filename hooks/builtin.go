package hooks

import (
	"crypto/sha256"
	"embed"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// builtins are the rule files of the program itself for this harness: rules as
// any other, of the layer below all (rules.md 13). Lists that depend on the
// harness or on where this installation keeps its files are filled in.
func (p *Pipeline) builtins() []rules.File {
	var out []rules.File
	add := func(id string, lists map[string][]string) {
		if slices.Contains(p.Without, id) {
			return
		}
		text, err := builtinFiles.ReadFile("builtin/" + id + ".yaml")
		if err != nil {
			panic("hooks: no built-in " + id)
		}
		s := string(text)
		for name, list := range lists {
			s = strings.ReplaceAll(s, "$"+name, flow(list))
		}
		out = append(out, rules.File{
			Layer: rules.BuiltIn, Path: "built-in:" + id, Text: []byte(s), Digest: sha256.Sum256([]byte(s)),
		})
	}
	add(guard.ProtectGuard, map[string][]string{"FILES": p.guardFiles()})
	if len(p.Profile.MemoryFiles) > 0 {
		add(guard.MemoryFirst, map[string][]string{"FILES": p.Profile.MemoryFiles})
	}
	if p.Profile.Subagents == SubagentsUnhooked {
		add(guard.NoUnguarded, nil)
	}
	return out
}

// flow writes a list as YAML on one line.
func flow(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// guardFiles are the files whose change could weaken the guard: rule files and
// packs, hook registrations, plugin folders and switches of every harness, our
// own store, keys and program path (trust.md 6).
func (p *Pipeline) guardFiles() []string {
	files := []string{
		rules.FileName, "*/.agentltl/packs/*", "/etc/agentltl/*", "/Library/Application Support/agentltl/*",
		"*/.config/agentltl/*", "*/.local/state/agentltl/*",
		"*/.claude/settings.json", "*/.claude/settings.local.json", "*/.claude/plugins/*",
		"/etc/claude-code/*", "/Library/Application Support/ClaudeCode/*",
		"*/.codex/config.toml", "*/.codex/hooks.json", "*/.codex/plugins/*", "/etc/codex/*",
		"*/.copilot/*", "*/.github/hooks/*", "*/.github/copilot/settings.json", "*/.github/copilot/settings.local.json",
		"*/.vibe/*",
	}
	for _, d := range append([]string{p.StateDir}, p.UserDirs...) {
		if d == "" || !path.IsAbs(d) || strings.ContainsAny(d, "*?[") {
			continue
		}
		// Of a harness's own folder only the files that register or switch hooks: the
		// agent keeps its notes there as well.
		if slices.Contains(p.UserDirs[min(1, len(p.UserDirs)):], d) {
			files = append(files, d+"/settings.json", d+"/settings.local.json", d+"/plugins/*", d+"/hooks.json", d+"/hooks/*", d+"/config.toml", d+"/config.json", d+"/hooks.toml")
			continue
		}
		files = append(files, d+"/*")
	}
	return files
}
