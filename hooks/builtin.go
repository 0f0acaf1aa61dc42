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
	"github.com/agentltl/agentltl-hook/trace"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// A builtin is one embedded rule file with the list that is filled in for
// $FILES: it depends on the harness, or on where this installation keeps its files.
type builtin struct {
	id    string
	files []string
}

func (p *Pipeline) builtinList() []builtin {
	out := []builtin{{guard.ProtectGuard, p.guardFiles()}}
	if len(p.Profile.MemoryFiles) > 0 {
		out = append(out, builtin{guard.MemoryFirst, p.Profile.MemoryFiles})
	}
	if p.Profile.Subagents == SubagentsUnhooked {
		out = append(out, builtin{id: guard.NoUnguarded})
	}
	return slices.DeleteFunc(out, func(b builtin) bool { return slices.Contains(p.Without, b.id) })
}

// builtins are the rule files of the program itself for this harness: rules as
// any other, of the layer below all (rules.md 13). Their texts are made only when
// they are to be parsed; the digest names them all the same.
func (p *Pipeline) builtins(texts bool) []rules.File {
	var out []rules.File
	for _, b := range p.builtinList() {
		text, err := builtinFiles.ReadFile("builtin/" + b.id + ".yaml")
		if err != nil {
			panic("hooks: no built-in " + b.id)
		}
		f := rules.File{Layer: rules.BuiltIn, Path: "built-in:" + b.id, Digest: digest(text, b.files)}
		if texts {
			f.Text = []byte(strings.ReplaceAll(string(text), "$FILES", flow(b.files)))
		}
		out = append(out, f)
	}
	return out
}

// digest names a text with a list.
func digest(text []byte, list []string) (sum [32]byte) {
	h := sha256.New()
	h.Write(text)
	for _, s := range list {
		h.Write([]byte{0})
		h.Write([]byte(s))
	}
	h.Sum(sum[:0])
	return sum
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

// A gate says, from the texts of a call alone, whether a built-in rule about files
// can have something to say: only then is the rule decoded, and a call whose files
// are not known is asked about only when it names one of them.
type gate struct {
	id      string
	needles []string
}

// gates are those of the built-ins in force.
func (p *Pipeline) gates() []gate {
	needles := literals(p.guardFiles())
	for _, n := range []string{"agentltl", "claude", "codex", "copilot", "vibe", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "VIBE_HOME"} {
		needles = addNeedle(needles, n)
	}
	out := []gate{{guard.ProtectGuard, needles}}
	if len(p.Profile.MemoryFiles) > 0 {
		out = append(out, gate{guard.MemoryFirst, literals(p.Profile.MemoryFiles)})
	}
	return out
}

// literals are the longest literal parts of globs: a text that a glob matches
// holds its one.
func literals(globs []string) []string {
	var out []string
	for _, g := range globs {
		longest := ""
		for _, part := range strings.FieldsFunc(g, func(r rune) bool { return strings.ContainsRune("*?[]", r) }) {
			if part = strings.Trim(part, "/"); len(part) > len(longest) {
				longest = part
			}
		}
		out = addNeedle(out, longest)
	}
	return out
}

// addNeedle leaves out what another one finds as well.
func addNeedle(list []string, n string) []string {
	if n == "" || slices.ContainsFunc(list, func(o string) bool { return strings.Contains(n, o) }) {
		return list
	}
	return append(slices.DeleteFunc(list, func(o string) bool { return strings.Contains(o, n) }), n)
}

// maxNeedleText is the longest text that can be a path or an option.
const maxNeedleText = 8 << 10

// touched says whether a call has a text with one of the needles.
func (g *gate) touched(c *trace.Call) bool {
	if g.args(c.Args) || slices.ContainsFunc(c.Forms, func(f trace.Form) bool { return g.args(f.Args) || g.text(f.Tool) }) || g.text(c.Tool) {
		return true
	}
	if c.CLI != nil {
		for k, v := range c.CLI.Env {
			if g.text(k) || g.text(v) {
				return true
			}
		}
		for _, r := range c.CLI.Redirects {
			if g.text(r.Target) {
				return true
			}
		}
	}
	return slices.ContainsFunc(c.Effects, func(e trace.Effect) bool { return g.text(e.Target) })
}

func (g *gate) args(a trace.Args) bool {
	for _, v := range a {
		if g.value(v) {
			return true
		}
	}
	return false
}

func (g *gate) value(v any) bool {
	switch v := v.(type) {
	case string:
		return g.text(v)
	case []any:
		return slices.ContainsFunc(v, g.value)
	case map[string]any:
		return g.args(v)
	}
	return false
}

func (g *gate) text(s string) bool {
	return len(s) <= maxNeedleText && slices.ContainsFunc(g.needles, func(n string) bool { return strings.Contains(s, n) })
}

// hideBuiltins leaves out the built-ins where calls are recorded: they judge each
// call alone and have nothing to remember.
func (r *run) hideBuiltins() {
	for _, id := range []string{guard.ProtectGuard, guard.MemoryFirst, guard.NoUnguarded} {
		r.set.Hide(id)
	}
}

// guarded says whether a rule of somebody's, stronger than log, is in force: only
// then do unseen subagents matter. It is asked only where subagents are unseen.
func (r *run) guarded() bool {
	if r.p.Profile.Subagents != SubagentsUnhooked {
		return true
	}
	return slices.ContainsFunc(r.listed(), func(l rules.Listed) bool {
		return l.Layer != rules.BuiltIn && (l.Mode > rules.Log || l.Finally) && !l.Shadow
	})
}

// steersSubagent says whether a call starts a subagent or speaks to one.
func steersSubagent(c trace.Call) bool {
	return c.Tool == "Task" || c.Tool == "subagent.spawn" || c.Tool == "subagent.sendMessage"
}

// closeGates hides the built-ins that have nothing to say about the calls, and
// tells the judge which call each of the others is about.
func (r *run) closeGates(j *guard.Judge, calls []trace.Call) {
	if !slices.ContainsFunc(calls, steersSubagent) || !r.guarded() {
		r.set.Hide(guard.NoUnguarded)
	}
	open := map[string]*gate{}
	for _, g := range r.p.gates() {
		if slices.ContainsFunc(calls, func(c trace.Call) bool { return g.touched(&c) }) {
			open[g.id] = &g
			continue
		}
		r.set.Hide(g.id)
	}
	j.Spares = func(id string, c *trace.Call) bool {
		g, ok := open[id]
		return ok && !g.touched(c)
	}
}
