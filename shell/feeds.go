package shell

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// fill marks the words that hold a runner's placeholder: what the program gets
// there is known only when the runner runs.
func fill(words []word, hole string, b bound) []word {
	out := make([]word, len(words))
	for i, u := range words {
		out[i] = u
		if hole == "" || !strings.Contains(u.text, hole) || !u.known {
			continue
		}
		var ps []piece
		for j, part := range strings.Split(u.text, hole) {
			if j > 0 {
				ps = append(ps, piece{typed: hole, fed: true, one: true, quoted: true, bound: b})
			}
			if part != "" {
				ps = append(ps, piece{typed: part, text: part, known: true, quoted: true})
			}
		}
		out[i].fed, out[i].pieces, out[i].bound = true, ps, boundOf(ps)
	}
	return out
}

func anyFed(words []word) bool {
	for _, u := range words {
		if u.fed {
			return true
		}
	}
	return false
}

// pathsOf is what the lines of an input can be.
func pathsOf(in input) bound {
	if len(in.globs) > 0 {
		return bound{within: in.globs}
	}
	if in.known {
		words := strings.FieldsFunc(in.text, func(r rune) bool { return isBlank(r) || r == 0 })
		if len(words) > 0 && len(words) <= maxValues && !strings.ContainsAny(in.text, `'"\`) {
			return bound{exact: words}
		}
	}
	return bound{}
}

// xargs walks the command that xargs runs with words from its input.
func (w *walker) xargs(st *state, c ctx, cmd command) {
	const opts = "-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s --max-chars -J -R -S --process-slot-var"
	r := runner{name: "xargs", opts: opts}
	hole := ""
	words := cmd.words[1:]
	i := 0
	file := false
	for ; i < len(words); i++ {
		u := words[i]
		t := u.text
		if !u.known || len(t) < 2 || t[0] != '-' {
			break
		}
		if t == "--" {
			i++
			break
		}
		name, val, glued := strings.Cut(t, "=")
		switch {
		case name == "--replace":
			hole = "{}"
			if glued {
				hole = val
			}
			continue
		case strings.HasPrefix(name, "--max-lines"), strings.HasPrefix(name, "--eof"):
			continue
		case strings.HasPrefix(name, "--"):
			file = file || name == "--arg-file"
			if !glued && has(opts, name) {
				i++
			}
			continue
		}
		for j := 1; j < len(t); j++ {
			letter := "-" + t[j:j+1]
			rest := t[j+1:]
			file = file || letter == "-a"
			if letter == "-i" || letter == "-e" || letter == "-l" {
				if letter == "-i" {
					if hole = "{}"; rest != "" {
						hole = rest
					}
				}
				break
			}
			if !has(r.opts, letter) {
				continue
			}
			if rest == "" && i+1 < len(words) {
				i++
				rest = words[i].text
			}
			if letter == "-I" || letter == "-J" {
				hole = rest
			}
			break
		}
	}
	command := words[min(i, len(words)):]
	in := within(c, "xargs")
	var b bound
	if c.in != nil && !file {
		b = pathsOf(c.in.take())
	}
	in.in = &input{}
	in.feed = &feed{all: true, bound: b, dir: st.dir}
	in.repeated = c.repeated
	if len(command) == 0 {
		c.out.lose(c)
		return
	}
	w.fed(st, in, cmd, fill(command, hole, b), hole != "")
	c.out.lose(c)
}

// fedName says whether a word that a runner puts in names the subcommand: git
// of "xargs git".
func (w *walker) fedName(c ctx, cmd command) bool {
	if c.feed == nil {
		return false
	}
	words := w.specWords(cmd)
	i := slices.IndexFunc(cmd.words, func(u word) bool { return u.fed })
	if i < 0 && c.feed.all && !c.feed.placed {
		i = len(words)
	}
	if i < 1 {
		return false
	}
	return w.specs.Parse(append(words[:i:i], spec.Word{Text: "{}"})).DynamicTool
}

// fed walks a command some words of which come from a runner's input.
func (w *walker) fed(st *state, c ctx, cmd command, words []word, placed bool) {
	if len(words) == 0 {
		return
	}
	if words[0].fed {
		words[0] = word{typed: words[0].text, text: words[0].text, dyn: false, pos: words[0].pos}
	}
	if placed && c.feed != nil {
		f := *c.feed
		f.placed = true
		c.feed = &f
	}
	w.run(st.clone(), c, w.subCommand(cmd, words, false), "")
}

// parallel walks the command that GNU parallel runs: its words are joined and
// read by a shell, with the inputs in place of {} or behind.
func (w *walker) parallel(st *state, c ctx, cmd command) {
	const opts = "-j --jobs -a --arg-file -S --sshlogin --slf --sshloginfile -C --colsep -d --delimiter -I -n --max-args -N -L --max-lines -P --max-procs -s --max-chars --delay --joblog --results --timeout --tmpdir --tempdir --retries --halt --load --memfree --nice --basefile --bf --return --trc --wd --workdir --env --tagstring --block --recstart --recend --shebang-wrap --seqreplace --rpl --arg-sep --profile -J -E"
	r := runner{name: "parallel", opts: opts}
	words := cmd.words[1:]
	var inputs []word
	listed := false
	for i, u := range words {
		if u.known && (u.text == ":::" || u.text == ":::+") {
			listed = true
			inputs, words = words[i+1:], words[:i]
			break
		}
		if u.known && (u.text == "::::" || u.text == "::::+") {
			words = words[:i]
			break
		}
	}
	a := r.parse(words)
	in := within(c, "parallel")
	var b bound
	if listed && allKnown(inputs) && len(inputs) > 0 && len(inputs) <= maxValues {
		for _, u := range inputs {
			if u.text != ":::" {
				b.exact = append(b.exact, u.text)
			}
		}
	} else if !listed && c.in != nil {
		b = pathsOf(c.in.take())
	}
	in.in = &input{}
	c.out.lose(c)
	if len(a.command) == 0 {
		// The inputs are the commands.
		if !listed {
			w.note("dynamic-script", cmd.src, cmd.pos)
			return
		}
		for _, u := range inputs {
			w.again(st.clone(), in, []word{u}, cmd.pos)
		}
		return
	}
	command := fill(a.command, "{}", b)
	if len(command) == 1 && strings.ContainsAny(command[0].text, " \t\n;|&<>()$`\"'") {
		w.again(st.clone(), in, command, cmd.pos)
		return
	}
	in.feed = &feed{all: true, bound: b, dir: st.dir}
	w.fed(st, in, cmd, command, anyFed(command))
}

// fdExec walks fd -x and fd -X.
func (w *walker) fdExec(st *state, c ctx, cmd command) bool {
	words := cmd.words[1:]
	b := bound{within: fdWithin(words)}.absolute(st.dir)
	ran := false
	for i := 0; i < len(words); i++ {
		switch words[i].text {
		case "-x", "--exec", "-X", "--exec-batch":
		default:
			continue
		}
		var command []word
		for i++; i < len(words) && words[i].text != ";"; i++ {
			command = append(command, words[i])
		}
		if len(command) == 0 {
			continue
		}
		ran = true
		in := within(c, "fd")
		in.in = &input{}
		filled := command
		for _, hole := range []string{"{}", "{/}", "{//}", "{.}", "{/.}"} {
			hb := b
			if hole != "{}" {
				hb = bound{}
			}
			if !anyFed(filled) {
				filled = fill(command, hole, hb)
			}
		}
		in.feed = &feed{bound: b, dir: st.dir, all: !anyFed(filled)}
		w.fed(st, in, cmd, filled, anyFed(filled))
	}
	if ran {
		c.out.lose(c)
	}
	return ran
}

// fdWithin is where the files that fd finds are. Its pattern is a regular
// expression unless --glob says otherwise, so only extensions narrow it.
func fdWithin(words []word) []string {
	var ops []string
	ext := ""
	glob := false
	for i := 0; i < len(words); i++ {
		t := words[i].text
		switch {
		case !words[i].known:
			return nil
		case t == "-x" || t == "-X" || t == "--exec" || t == "--exec-batch":
			i = len(words)
		case t == "-g" || t == "--glob":
			glob = true
		case (t == "-e" || t == "--extension") && i+1 < len(words):
			i++
			ext = words[i].text
		case has("-d --max-depth -t --type -E --exclude -c --color -S --size -o --owner -j --threads --min-depth --exact-depth --changed-within --changed-before", t):
			i++
		case t == "-C" || strings.HasPrefix(t, "--base-directory") || strings.HasPrefix(t, "--search-path"):
			return nil
		case strings.HasPrefix(t, "-"):
		default:
			ops = append(ops, t)
		}
	}
	last := "*"
	if ext != "" {
		last = "*." + quoteGlob(ext)
	}
	if glob && len(ops) > 0 && !strings.Contains(ops[0], "/") {
		last = ops[0]
	}
	roots := []string{"."}
	if len(ops) > 1 {
		roots = ops[1:]
	}
	var globs []string
	for _, r := range roots {
		d := strings.TrimSuffix(r, "/")
		globs = append(globs, d+"/"+last, d+"/*/"+last)
	}
	return globs
}
