package shell

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// A command is a simple command with its words expanded.
type command struct {
	words []word // the program first
	env   []pair
	rs    redirections
	src   string
	pos   int
	tool  string     // a tool of ours, for which there is no program: redirect
	args  trace.Args // its arguments
	// external: started by a runner, which knows no functions and aliases; here:
	// in the shell itself, by command or builtin.
	external, here bool
}

// emit lists a command and returns its index in the chain; what it runs is
// listed by the caller. -1: the chain is full.
func (w *walker) emit(st *state, c ctx, cmd command) (int, spec.Parsed) {
	if len(w.calls) >= maxCalls {
		if !w.full {
			w.full = true
			w.noteLimit("the line has more calls than are listed", w.req.Command)
		}
		return -1, spec.Parsed{}
	}
	p := w.reading(cmd)
	call := trace.Call{Tool: p.Tool, Args: p.Args, Source: cmd.src}
	cli := &trace.CLI{
		Source:      cmd.src,
		Operator:    c.op,
		Conditional: w.conditional(st, c),
		Repeated:    c.repeated,
		Background:  c.back,
		Depth:       c.depth,
		Wrappers:    c.wrappers,
		Remote:      c.remote,
		UnknownArgs: p.UnknownArgs,
		Opaque:      p.Opaque,
		Unspecced:   !p.Matched,
	}
	if c.pipeline != c.beside {
		cli.Pipeline = c.pipeline
	}
	if n := len(c.wrappers); n > 0 {
		cli.Wrapper = c.wrappers[n-1]
	}
	call.CLI = cli
	f := fieldWriter{w: w, st: st, c: c, cmd: &cmd, call: &call}
	f.base = f.baseOf(p.Roles)
	f.fields(p)
	f.argv(p)
	f.dynamic(p)
	f.redirects()
	f.effects(p)
	f.feed()
	f.finish(p)
	f.beside()
	if len(cmd.env) > 0 {
		cli.Env = make(map[string]string, len(cmd.env))
		for _, e := range cmd.env {
			cli.Env[e.name] = e.show
		}
	}
	if p.DynamicTool {
		w.note("dynamic-command", cmd.src, cmd.pos)
	}
	w.calls = append(w.calls, call)
	for i := range c.redirs {
		*c.redirs[i].took = true
	}
	return len(w.calls) - 1, p
}

// reading is the command as its spec reads it.
func (w *walker) reading(cmd command) spec.Parsed {
	if cmd.tool != "" {
		args := cmd.args
		if args == nil {
			args = trace.Args{}
		}
		return spec.Parsed{Tool: cmd.tool, Args: args, Matched: cmd.tool == "redirect"}
	}
	return w.specs.Parse(w.specWords(cmd))
}

func (w *walker) specWords(cmd command) []spec.Word {
	sw := make([]spec.Word, len(cmd.words))
	for i, u := range cmd.words {
		sw[i] = u.spec()
	}
	return sw
}

// A fieldWriter turns what a spec read into the fields of a call.
type fieldWriter struct {
	w     *walker
	st    *state
	c     ctx
	cmd   *command
	call  *trace.Call
	base  dir // of relative paths: the directory, moved by options as git -C
	alt   []alternative
	typed []alternative // values that the peer shows as typed
}

// An alternative is a field's text that may be put another way: another name of
// a path, or the spelling of the line.
type alternative struct{ field, text, other string }

// baseOf is the directory after the options that move it.
func (f *fieldWriter) baseOf(roles []spec.Role) dir {
	base := f.st.dir
	for _, r := range roles {
		if r.Role != "cwd" {
			continue
		}
		base = f.moved(base, r.Value)
	}
	return base
}

func (f *fieldWriter) moved(base dir, v spec.Value) dir {
	u, ok := f.word(v)
	if ok && !u.known && len(u.bound.exact) != 1 {
		return dir{path: base.path}
	}
	to := v.Text
	if ok && !u.known {
		to = u.bound.exact[0]
	}
	if strings.HasPrefix(to, "/") {
		return at(clean(to))
	}
	moved := dir{path: join(base.path, to), known: base.known}
	for _, a := range base.alts {
		moved.alts = append(moved.alts, join(a, to))
	}
	return moved
}

// word is the word a value was found in.
func (f *fieldWriter) word(v spec.Value) (word, bool) {
	if v.Word < 0 || v.Word >= len(f.cmd.words) {
		return word{}, false
	}
	return f.cmd.words[v.Word], true
}

// fields rewrites the arguments: paths become absolute, words that the peer
// would not have expanded are shown as typed, what is not certain is named.
func (f *fieldWriter) fields(p spec.Parsed) {
	// A glob, or what is none or several words, stands for one operand: what
	// comes of it shifts the others.
	shifted := false
	for _, fd := range p.Fields {
		if len(fd.From) == 0 {
			continue
		}
		shown := make([]string, len(fd.From))
		for i, v := range fd.From {
			if fd.Path {
				shown[i] = f.path(fd, v)
			} else {
				shown[i] = f.plain(fd, v)
			}
		}
		switch have := f.call.Args[fd.Name].(type) {
		case string:
			f.call.Args[fd.Name] = shown[len(shown)-1]
			if u, ok := f.word(fd.From[len(fd.From)-1]); ok && (u.glob || u.split && !p.UnknownArgs) && u.text == fd.From[len(fd.From)-1].Text {
				shifted = true
			}
		case []any:
			l := make([]any, len(have))
			for i := range have {
				l[i] = have[i]
				if i < len(shown) {
					l[i] = shown[i]
				}
			}
			f.call.Args[fd.Name] = l
		}
	}
	if !shifted {
		return
	}
	for _, fd := range p.Fields {
		if len(fd.From) == 0 {
			continue
		}
		if fd.Path {
			f.unknownPath(fd.Name)
		} else {
			f.certainty(fd.Name, "unknown")
		}
	}
}

// argv rewrites the words of a command that no spec covers.
func (f *fieldWriter) argv(p spec.Parsed) {
	l, ok := f.call.Args["argv"].([]any)
	if !ok || f.cmd.args != nil && f.cmd.tool == "unknown_command" || len(l) != len(f.cmd.words)-1 || slices.ContainsFunc(p.Fields, func(fd spec.Field) bool { return fd.Name == "argv" }) {
		return
	}
	fd := spec.Field{Name: "argv"}
	for i := range l {
		l[i] = f.plain(fd, spec.Value{Text: f.cmd.words[i+1].text, Word: i + 1})
	}
}

// plain is a value of a field that holds no paths.
func (f *fieldWriter) plain(fd spec.Field, v spec.Value) string {
	u, ok := f.word(v)
	if !ok {
		return v.Text
	}
	if !u.known {
		f.certainty(fd.Name, "unknown")
		f.bound(v.Text, u, v)
		return v.Text
	}
	switch {
	case u.fed:
		f.certainty(fd.Name, "unknown")
	case u.glob:
		f.certainty(fd.Name, "glob")
		if v.Text == u.text && f.c.remote == "" {
			f.setBound(v.Text, f.w.globBound(f.base, u.text)) // of a program without a spec, it may be files
		}
	}
	typed := u.shownPart(v.Text)
	if run := f.joined(v); len(run) > 1 {
		typed = joinShown(run)
	}
	if typed != v.Text {
		f.typed = append(f.typed, alternative{fd.Name, v.Text, typed})
	}
	return v.Text
}

// joined are the words whose texts one value joins: what find runs.
func (f *fieldWriter) joined(v spec.Value) []word {
	for i, text := v.Word, ""; i >= 0 && i < len(f.cmd.words) && len(text) < len(v.Text); i++ {
		if text += f.cmd.words[i].text; text == v.Text {
			return f.cmd.words[v.Word : i+1]
		}
		text += " "
	}
	return nil
}

func joinShown(words []word) string {
	l := make([]string, len(words))
	for i, u := range words {
		l[i] = u.shownPart(u.text)
	}
	return strings.Join(l, " ")
}

// path is a value of a path field.
func (f *fieldWriter) path(fd spec.Field, v spec.Value) string {
	base := f.base
	if fd.Start {
		base = f.st.dir
	}
	if v.Plain {
		return f.plain(fd, v)
	}
	r := f.resolve(base, v)
	f.place(fd.Name, r)
	if u, ok := f.word(v); ok {
		if u.dyn {
			f.setBound(u.dynamic(), r.bound) // rules look up the word as typed, too
		}
		if typed := u.shownPart(u.text); typed != u.text {
			f.typed = append(f.typed, alternative{"argv", u.text, typed})
			if fd.Typed {
				f.typed = append(f.typed, alternative{fd.Name, v.Text, u.shownPart(v.Text)})
			}
		}
	}
	for _, p := range f.w.otherNames(r.shown) {
		f.alt = append(f.alt, alternative{fd.Name, r.shown, p})
	}
	return r.shown
}

// place notes what is not certain about a path.
func (f *fieldWriter) place(field string, r resolved) {
	if r.unknown {
		f.unknownPath(field)
	}
	if r.glob {
		f.certainty(field, "glob")
	}
	if len(r.alts) > 0 {
		f.certainty(field, "maybe-cwd")
		f.setBound(r.shown, bound{exact: append([]string{r.shown}, r.alts...)})
	}
	f.setBound(r.shown, r.bound)
}

// resolve makes a value absolute. What runs elsewhere has paths of its own.
func (f *fieldWriter) resolve(base dir, v spec.Value) resolved {
	u := f.valueWord(v)
	if f.c.remote != "" {
		return resolved{shown: u.shown(), unknown: !u.known || u.shape == soft, glob: u.glob}
	}
	r := f.w.resolve(base, u)
	if v.Word < 0 && hasGlob(v.Text) && slices.ContainsFunc(f.cmd.words, func(u word) bool { return u.glob }) {
		r.glob = true
	}
	if u.fed {
		r.unknown = true
		r.bound = u.bound.absolute(base)
	}
	return r
}

// valueWord is the value as a word of its own: what follows = in --file=$X.
func (f *fieldWriter) valueWord(v spec.Value) word {
	u, ok := f.word(v)
	if !ok {
		return literal(v.Text, f.cmd.pos)
	}
	return u.part(v.Text)
}

// part is the tail of a word that an option leaves as its value.
func (u word) part(value string) word {
	if value == u.text {
		return u
	}
	head, ok := strings.CutSuffix(u.text, value)
	if !ok {
		return literal(value, u.pos)
	}
	typed := u.shownPart(value)
	if !u.known {
		u = u.cut(len(head)) // its pieces, too: a line is put together of them
	}
	u.typed, u.text = typed, value
	cut := func(l []string) []string {
		var out []string
		for _, s := range l {
			if t, ok := strings.CutPrefix(s, head); ok {
				out = append(out, t)
			}
		}
		return out
	}
	u.bound = bound{exact: cut(u.bound.exact), within: cut(u.bound.within)}
	return u
}

func (f *fieldWriter) certainty(field, what string) {
	m := f.call.CLI.Fields
	if m == nil {
		m = map[string]string{}
		f.call.CLI.Fields = m
	}
	if rank(what) > rank(m[field]) {
		m[field] = what
	}
}

func rank(certainty string) int {
	return slices.Index([]string{"", "maybe-cwd", "glob", "unknown"}, certainty)
}

func (f *fieldWriter) unknownPath(field string) {
	cli := f.call.CLI
	if !slices.Contains(cli.UnknownPaths, field) {
		cli.UnknownPaths = append(cli.UnknownPaths, field)
	}
}

func (f *fieldWriter) bound(shown string, u word, v spec.Value) {
	f.setBound(shown, u.part(v.Text).bound.absolute(f.base))
}

// beside adds the reading without the specs of a rule file that may not weaken
// the rules of a higher layer, as another form (trust.md 3).
func (f *fieldWriter) beside() {
	if f.cmd.tool != "" {
		return
	}
	q, ok := f.w.specs.Beside(f.w.specWords(*f.cmd))
	if !ok {
		return
	}
	other := *f
	call := trace.Call{Tool: q.Tool, Args: q.Args, CLI: &trace.CLI{}}
	other.call, other.alt, other.typed = &call, nil, nil
	other.base = other.baseOf(q.Roles)
	other.fields(q)
	other.argv(q)
	for _, k := range []string{"redirect_to", "overwrite_to", "redirect_from", "unknown_paths"} {
		if v, ok := f.call.Args[k]; ok {
			call.Args[k] = v
		}
	}
	f.call.Forms = append(f.call.Forms, trace.Form{Tool: call.Tool, Args: call.Args})
	f.call.CLI.UnknownArgs = f.call.CLI.UnknownArgs || q.UnknownArgs
}

func (f *fieldWriter) setBound(shown string, b bound) {
	if b.none() {
		return
	}
	if f.call.CLI.Bounds == nil {
		f.call.CLI.Bounds = map[string]trace.Bound{}
	}
	if _, ok := f.call.CLI.Bounds[shown]; !ok {
		f.call.CLI.Bounds[shown] = trace.Bound{Exact: b.exact, Within: b.within}
	}
}

// dynamic lists the words that the shell would still expand. What find runs is
// one word of it.
func (f *fieldWriter) dynamic(p spec.Parsed) {
	runs := map[int][]word{}
	for _, fd := range p.Fields {
		if p.Tool != "find" || fd.Name != "exec" {
			continue
		}
		for _, v := range fd.From {
			if run := f.joined(v); run != nil {
				runs[v.Word] = run
			}
		}
	}
	cli := f.call.CLI
	if l, _ := f.cmd.args["argv"].([]any); f.cmd.tool == "test" && len(f.cmd.words) == 1 && len(l) == 1 {
		// [[ ... ]], whose text the peer has as one word
		if inside, _ := l[0].(string); strings.ContainsAny(inside, "$`") {
			cli.DynamicArgs = append(cli.DynamicArgs, inside)
		}
	}
	for i := 0; i < len(f.cmd.words); i++ {
		u := f.cmd.words[i]
		if run := runs[i]; run != nil {
			i += len(run) - 1
			if slices.ContainsFunc(run, func(u word) bool { return u.dyn }) {
				cli.DynamicArgs = append(cli.DynamicArgs, joinShown(run))
			}
			continue
		}
		if u.dyn {
			cli.DynamicArgs = append(cli.DynamicArgs, u.dynamic())
		}
	}
}

func (u word) dynamic() string {
	switch {
	case u.shownDyn != "":
		return u.shownDyn
	case u.known && u.shape == plain:
		return u.text
	}
	return u.typed
}
