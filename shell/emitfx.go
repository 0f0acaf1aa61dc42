package shell

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// redirects adds the redirection fields, those of the groups around first: they
// were opened first.
func (f *fieldWriter) redirects() {
	var to, over, from []any
	unknownTo, unknownFrom := false, false
	all := slices.Concat(f.c.redirs, f.cmd.rs.list)
	for i := range all {
		r := &all[i]
		if i >= len(f.c.redirs) {
			r.sure = !f.call.CLI.Conditional
		}
		f.call.CLI.Redirects = append(f.call.CLI.Redirects, r.shown())
		if !r.reads() && !r.writes() {
			continue
		}
		p := f.w.resolve(r.base, r.target)
		if r.writes() {
			to = append(to, p.shown)
			unknownTo = unknownTo || p.unknown
			if r.truncates() && !isNull(p.shown) {
				over = append(over, p.shown)
			}
		}
		if r.reads() {
			from = append(from, p.shown)
			unknownFrom = unknownFrom || p.unknown
		}
		f.redirectCertainty(r, p)
		f.redirectEffects(r, p)
	}
	put := func(name string, l []any, unknown bool) {
		if len(l) == 0 {
			return
		}
		if f.call.Args == nil {
			f.call.Args = trace.Args{}
		}
		f.call.Args[name] = l
		if unknown {
			f.unknownPath(name)
		}
	}
	put("redirect_to", to, unknownTo)
	put("overwrite_to", over, unknownTo && len(over) > 0)
	put("redirect_from", from, unknownFrom)
}

func (f *fieldWriter) redirectCertainty(r *redir, p resolved) {
	names := []string{}
	if r.writes() {
		names = append(names, "redirect_to")
		if r.truncates() {
			names = append(names, "overwrite_to")
		}
	}
	if r.reads() {
		names = append(names, "redirect_from")
	}
	for _, n := range names {
		if p.glob {
			f.certainty(n, "glob")
		}
		if len(p.alts) > 0 {
			f.certainty(n, "maybe-cwd")
		}
	}
	if len(p.alts) > 0 {
		f.setBound(p.shown, bound{exact: append([]string{p.shown}, p.alts...)})
	}
	f.setBound(p.shown, p.bound)
	for _, other := range f.w.otherNames(p.shown) {
		for _, n := range names {
			f.alt = append(f.alt, alternative{n, p.shown, other})
		}
	}
}

// shown is the redirection as cli.redirects has it.
func (r *redir) shown() trace.Redirect {
	target := r.target.text
	if !r.target.known || r.target.shape != plain || r.target.tilde {
		target = r.target.typed
	}
	return trace.Redirect{Op: r.op, Target: target, FD: r.fd}
}

func (f *fieldWriter) redirectEffects(r *redir, p resolved) {
	if host, ok := strings.CutPrefix(p.shown, "/dev/tcp/"); ok {
		f.effect("net", strings.Split(host, "/")[0], r.sure && !p.unknown, false)
		return
	}
	if host, ok := strings.CutPrefix(p.shown, "/dev/udp/"); ok {
		f.effect("net", strings.Split(host, "/")[0], r.sure && !p.unknown, false)
		return
	}
	if isNull(p.shown) || strings.HasPrefix(r.target.typed, "<(") || strings.HasPrefix(r.target.typed, ">(") {
		return
	}
	if r.writes() {
		op := "append"
		switch {
		case r.truncates():
			op = "truncate"
		case r.op == "<>":
			op = "write"
		}
		f.placed(op, p, r.sure, false)
	}
	if r.reads() {
		f.placed("read", p, r.sure, false)
	}
}

// effects adds what the spec says the command does to files.
func (f *fieldWriter) effects(p spec.Parsed) {
	for _, e := range p.Effects {
		for _, v := range e.Targets {
			sure := f.c.remote == "" && !f.call.CLI.Conditional && !f.call.CLI.Repeated && !e.Maybe
			if e.Op == "net" || v.Plain {
				u, ok := f.word(v)
				f.effect(e.Op, v.Text, sure && (!ok || u.known && !u.glob), e.Recursive)
				continue
			}
			base := f.base
			if e.Start {
				base = f.st.dir
			}
			f.placed(e.Op, f.resolve(base, v), sure, e.Recursive)
		}
	}
}

// placed adds an effect on a path, at each place where it may be.
func (f *fieldWriter) placed(op string, p resolved, sure, recursive bool) {
	sure = sure && !p.unknown && !p.glob && len(p.alts) == 0
	switch {
	case len(p.bound.exact) == 1 && p.unknown:
		f.effect(op, p.bound.exact[0], false, recursive)
	case p.unknown && !p.bound.none():
		for _, t := range p.bound.exact {
			f.effect(op, t, false, recursive)
		}
		for _, t := range p.bound.within {
			f.effect(op, t, false, recursive)
		}
	default:
		f.effect(op, p.shown, sure, recursive)
		for _, t := range p.alts {
			f.effect(op, t, false, recursive)
		}
		for _, t := range f.w.otherNames(p.shown) {
			if op != "delete" || recursive {
				f.effect(op, t, sure, recursive)
			}
		}
	}
}

func (f *fieldWriter) effect(op, target string, sure, recursive bool) {
	e := trace.Effect{Op: op, Target: target, Certainty: "maybe", Recursive: recursive}
	if sure {
		e.Certainty = "sure"
	}
	if !slices.Contains(f.call.Effects, e) {
		f.call.Effects = append(f.call.Effects, e)
	}
}

// A feed is what a runner puts into the words of the command it runs.
type feed struct {
	all    bool  // any words may hold them: xargs
	placed bool  // they stand in place of {}
	bound  bound // what they can be
	dir    dir   // where they were found
}

// feed says what a runner adds to the command's words.
func (f *fieldWriter) feed() {
	fd := f.c.feed
	cli := f.call.CLI
	if fd != nil && fd.all {
		cli.AllPathsUnknown = true
		if !slices.ContainsFunc(f.cmd.words, func(u word) bool { return u.known && u.text == "--" }) {
			cli.UnknownArgs = true
		}
		f.setBound("*", fd.bound.absolute(f.base))
	}
}

// showUnknown lists the path fields that are not certain among the arguments.
func (f *fieldWriter) showUnknown() {
	cli := f.call.CLI
	switch {
	case cli.AllPathsUnknown:
		f.call.Args["unknown_paths"] = true
	case len(cli.UnknownPaths) > 0:
		l := make([]any, len(cli.UnknownPaths))
		for i, s := range cli.UnknownPaths {
			l[i] = s
		}
		f.call.Args["unknown_paths"] = l
	}
}

// finish writes what is known only when all fields are there.
func (f *fieldWriter) finish(p spec.Parsed) {
	cli := f.call.CLI
	if p.PathsUnknown && !f.diffRead() {
		cli.AllPathsUnknown = true
	}
	if f.call.Args == nil {
		f.call.Args = trace.Args{}
	}
	f.showUnknown()
	for _, n := range p.Unsure {
		f.certainty(n, "unknown")
	}
	f.call.Forms = p.NamedForms(f.call.Args)
	f.otherForms()
}
