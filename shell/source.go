package shell

import (
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// source walks a file that the shell reads commands from.
func (w *walker) source(st *state, c ctx, cmd command) {
	named := cmd
	named.tool, named.args = "source", trace.Args{"argv": valueList(cmd.words[1:])}
	i := w.listedOnly(st, c, named)
	args := cmd.words[1:]
	if len(args) > 0 && args[0].known && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	f := args[0]
	in := within(w.opened(st, c, cmd), "source "+f.typed)
	if isStdin(f) {
		w.stdinScript(st, in, cmd)
		return
	}
	text, ok, sure := "", false, false
	if f.file != nil {
		text, ok, sure = *f.file, true, true
	} else if f.known || !strings.HasPrefix(f.typed, "<(") {
		before := len(w.unresolved)
		text, ok, sure = w.scriptAt(st, c, f, cmd)
		if !ok && len(w.unresolved) > before {
			in.out.lose(in)
			w.forgetAll(st)
			return
		}
	}
	switch {
	case !ok:
		w.note("dynamic-script", cmd.src, cmd.pos)
		in.out.lose(in)
		w.forgetAll(st)
		return
	case !sure:
		// Another file may have stood there, run like any script.
		if i >= 0 {
			w.calls[i].CLI.Opaque = "script"
		}
		in.out.lose(in)
		w.forgetAll(st)
	}
	outer, leftFn := st.params, st.leftFn
	if len(args) > 1 {
		w.setParams(st, args[1:])
	}
	in.script = nil
	if strings.Contains(f.text, "/") { // others are looked for on PATH
		in.script = &f
	}
	// A return in the file leaves the file.
	in.fn = &fnInfo{saved: map[string]variable{}}
	w.inPrefix(st, cmd, func(st *state) { w.maybeScript(st, in, text, cmd.pos, sure) })
	for _, r := range in.fn.returns {
		*st = *w.join(st, r)
	}
	st.returned, st.leftFn = false, leftFn
	if len(args) > 1 {
		st.params = outer
	}
}
