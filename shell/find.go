package shell

import "strings"

// A findArgs is what the words of find come to.
type findArgs struct {
	roots []word
	names []string // each file that find writes or hands on has one of these names; none: any
	execs []findExec
	other bool // it writes something else than paths
	// it goes through symbolic links
	follows bool
}

type findExec struct {
	words []word
	dir   bool // -execdir, -okdir
}

// A findWay is a part of find's expression between two -o: what stands in front
// of its first action holds for every file that gets there.
type findWay struct {
	name string // a -name in front of the action
	acts bool
}

// readFind reads an expression of find. Without an action every file that any
// way accepts is written, with one only what comes to an action: the folders of
// a "-path x -prune -o" are not.
func readFind(words []word) findArgs {
	var f findArgs
	rest := words[f.readRoots(words):]
	ways, plain, depth, negated := []findWay{{}}, true, 0, false
	for i := 0; i < len(rest); i++ {
		u := rest[i]
		way := &ways[len(ways)-1]
		if !u.known {
			plain = false // it may be anything, -o as well
			continue
		}
		not := negated
		negated = false
		switch t := u.text; t {
		case "(":
			depth++
		case ")":
			depth--
		case "!", "-not":
			negated = !not
		case ",":
			plain = false
		case "-o", "-or":
			if depth == 0 {
				ways = append(ways, findWay{})
			}
		case "-name":
			i++
			if i < len(rest) && rest[i].known && depth == 0 && !not && !way.acts && way.name == "" {
				way.name = rest[i].text
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			way.acts, plain = true, plain && depth == 0
			var e findExec
			e, i = readExec(rest, i)
			f.execs = append(f.execs, e)
		case "-print", "-print0", "-delete":
			way.acts, plain = true, plain && depth == 0
		case "-ls", "-printf":
			way.acts, plain, f.other = true, plain && depth == 0, true
		case "-fprint", "-fprint0", "-fls":
			way.acts, plain = true, plain && depth == 0
		case "-follow":
			f.follows = true
		case "-files0-from":
			f.roots = append(f.roots, word{}) // folders that a file names
		}
		switch {
		case findTakesOne(u.text):
			if i++; i < len(rest) && !rest[i].known && rest[i].split {
				plain = false
			}
		case u.text == "-fprintf":
			way.acts, plain = true, plain && depth == 0
			i += 2
		}
	}
	if plain && depth == 0 {
		f.names = namesOf(ways)
	}
	return f
}

// readRoots takes the folders in front of the expression and says how many words
// that were.
func (f *findArgs) readRoots(words []word) int {
	i := 0
	for ; i < len(words); i++ {
		t := words[i].text
		if t == "-H" || t == "-L" || t == "-P" || strings.HasPrefix(t, "-O") {
			f.follows = f.follows || t == "-L"
			continue
		}
		if t == "-D" {
			i++
			continue
		}
		if words[i].known && (strings.HasPrefix(t, "-") || t == "(" || t == "!" || t == ")" || t == ",") {
			break
		}
		f.roots = append(f.roots, words[i])
	}
	return min(i, len(words))
}

// readExec takes the command of an -exec at i and gives the index of its end.
func readExec(words []word, i int) (findExec, int) {
	e := findExec{dir: strings.HasSuffix(words[i].text, "dir")}
	for i++; i < len(words); i++ {
		if t := words[i].text; t == ";" || t == "+" && len(e.words) > 0 && e.words[len(e.words)-1].text == "{}" {
			break
		}
		e.words = append(e.words, words[i])
	}
	return e, i
}

// namesOf are the names of what find writes or hands on; none if a way leaves
// them open.
func namesOf(ways []findWay) []string {
	acts := false
	for _, y := range ways {
		acts = acts || y.acts
	}
	var names []string
	for _, y := range ways {
		switch {
		case acts && !y.acts:
		case y.name == "" || strings.Contains(y.name, "/"):
			return nil
		default:
			names = append(names, y.name)
		}
	}
	return names
}

// findTakesOne says whether a test or option of find has one argument, which is
// no part of the expression whatever it looks like. -name is read on its own.
func findTakesOne(t string) bool {
	switch t {
	case "-amin", "-anewer", "-atime", "-cmin", "-cnewer", "-context", "-ctime", "-files0-from", "-fprint", "-fprint0", "-fls",
		"-fstype", "-gid", "-group", "-ilname", "-iname", "-inum", "-ipath", "-iregex", "-iwholename", "-links", "-lname",
		"-maxdepth", "-mindepth", "-mmin", "-mtime", "-newer", "-path", "-perm", "-printf", "-regex", "-regextype",
		"-samefile", "-size", "-type", "-uid", "-used", "-user", "-wholename", "-xtype":
		return true
	}
	return strings.HasPrefix(t, "-newer") && len(t) == len("-newerXY")
}

// within is where the files that find finds are.
func (f findArgs) within() []string {
	roots := f.roots
	if len(roots) == 0 {
		roots = []word{literal(".", 0)}
	}
	var globs []string
	for _, u := range roots {
		if !u.known && len(u.bound.exact) != 1 {
			return nil
		}
		root := u.text
		if !u.known {
			root = u.bound.exact[0]
		}
		if !u.glob {
			root = quoteGlob(root)
		}
		dir := strings.TrimSuffix(root, "/") + "/"
		if len(f.names) == 0 {
			globs = append(globs, root, dir+"*")
		}
		for _, n := range f.names {
			globs = append(globs, dir+n, dir+"*/"+n)
			if match(n, lastElem(strings.TrimSuffix(u.text, "/"))) {
				globs = append(globs, root)
			}
		}
	}
	return globs
}

// findExec walks the commands of -exec and its like.
func (w *walker) findExec(st *state, c ctx, cmd command) bool {
	f := readFind(cmd.words[1:])
	if len(f.execs) == 0 {
		return false
	}
	b := bound{within: w.found(st, f)}.absolute(st.dir)
	for _, e := range f.execs {
		if len(e.words) == 0 {
			continue
		}
		in := within(c, "find")
		in.in = &input{}
		in.feed = &feed{bound: b, dir: st.dir}
		child := st.clone()
		if e.dir {
			child.dir = dir{path: st.dir.path}
		}
		words := fill(e.words, "{}", b)
		if words[0].fed {
			words[0] = word{typed: words[0].text, text: words[0].text, pos: words[0].pos}
		}
		w.run(child, in, w.subCommand(cmd, words, false), "")
	}
	if c.out == nil {
		return false
	}
	c.out.lost = true
	return true
}
