package guard

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// runnable writes a call as something that can be run: a command line that reads
// back as that call, or a tool of the harness with its arguments as JSON. Several
// spellings are tried; one counts only if what it reads as is the call. false:
// there is none.
func (c *check) runnable(call trace.Call) (letter, bool) {
	call.Outcome = nil
	if call.Args == nil {
		call.Args = trace.Args{}
	}
	if isNative(call.Tool) || c.Read == nil {
		if strings.Contains(call.Tool, "*") {
			return letter{}, false
		}
		c.place(&call)
		return letter{call.Tool + " " + trace.Canonical(call.Args), []trace.Call{call}}, true
	}
	for _, line := range spellings(&call) {
		calls, ok := c.Read(line)
		if !ok || !slices.ContainsFunc(calls, func(x trace.Call) bool { return stands(&x, &call) }) {
			continue
		}
		return letter{line, calls}, true
	}
	return letter{}, false
}

// stands says whether what was read is the wanted call, in its own form or
// another.
func stands(got, want *trace.Call) bool {
	if got.Tool == want.Tool && covers(got.Args, want.Args) {
		return true
	}
	return slices.ContainsFunc(got.Forms, func(f trace.Form) bool { return f.Tool == want.Tool && covers(f.Args, want.Args) })
}

// place gives a call the working directory of the refused one.
func (c *check) place(call *trace.Call) {
	if len(c.chain) > 0 && call.Dir == "" {
		call.Dir = c.chain[0].Dir
	}
}

// isNative says whether a name is a harness's own tool and no command.
func isNative(tool string) bool {
	return strings.HasPrefix(tool, "mcp__") || strings.Contains(tool, ".") || tool != "" && tool[0] >= 'A' && tool[0] <= 'Z'
}

// covers says whether got has all arguments of want.
func covers(got, want trace.Args) bool {
	for k, w := range want {
		g, ok := got[k]
		if !ok {
			return false
		}
		list, isList := g.([]any)
		if _, wantList := w.([]any); isList && !wantList {
			if !slices.ContainsFunc(list, func(e any) bool { return sameText(e, w) }) {
				return false
			}
			continue
		}
		if !sameText(g, w) {
			return false
		}
	}
	return true
}

// sameText compares values, a path by its end as well: what a line names
// relative to the working directory reads back absolute.
func sameText(got, want any) bool {
	if trace.Equal(got, want) {
		return true
	}
	g, ok1 := got.(string)
	w, ok2 := want.(string)
	return ok1 && ok2 && w != "" && strings.HasSuffix(g, "/"+strings.TrimPrefix(w, "./"))
}

// spellings are command lines that could stand for a call of a tool name made of
// command and subcommands: git_push is `git push`, pip_install `pip install`,
// docker_compose_up `docker compose up`.
func spellings(call *trace.Call) []string {
	parts := strings.Split(call.Tool, "_")
	if slices.Contains(parts, "") {
		return []string{call.Tool}
	}
	var heads []string
	for _, sep := range [][2]string{{" ", " "}, {"_", "_"}, {"-", "-"}, {" ", "-"}, {"-", " "}} {
		head := parts[0]
		if len(parts) > 1 {
			head += sep[0] + strings.Join(parts[1:], sep[1])
		}
		if !slices.Contains(heads, head) {
			heads = append(heads, head)
		}
	}
	var out []string
	for _, h := range heads {
		for _, tail := range tails(call.Args) {
			out = append(out, strings.TrimSpace(h+tail))
		}
	}
	return out
}

// tails are the arguments as options by their names, then as words.
func tails(a trace.Args) []string {
	named, words := "", ""
	keys := make([]string, 0, len(a))
	for k := range a {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		flag := " --" + strings.ReplaceAll(k, "_", "-")
		for _, v := range listOf(a[k]) {
			switch v := v.(type) {
			case nil:
			case bool:
				if v {
					named, words = named+flag, words+flag
				}
			default:
				w := " " + quote(valueText(v))
				words += w
				if k == "argv" {
					named += w
				} else {
					named += flag + w
				}
			}
		}
	}
	if named == words {
		return []string{words}
	}
	return []string{words, named}
}

func listOf(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

// quote writes a word for a shell.
func quote(w string) string {
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plainRune(r, "-_./:=@%+,") }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
