package spec

import (
	"path"
	"slices"
	"strings"
)

// effects makes the effects of the spec's entries (shell.md 6).
func (p *parser) effects() {
	c := p.top().cmd
	for _, e := range c.Effects {
		if !p.holds(e.When) {
			continue
		}
		out := Effect{Op: e.Op, Recursive: e.Recursive == "true" || e.Recursive != "" && p.isSet(e.Recursive)}
		for _, name := range e.Fields {
			out.Targets = append(out.Targets, p.targets(e.Op, name, &out)...)
		}
		if e.Op == "send" {
			out.Op = "read"
		}
		if len(out.Targets) > 0 {
			p.out.Effects = append(p.out.Effects, out)
		}
	}
	p.putUploads()
	p.onlyReads(c)
	for _, name := range c.Derive {
		switch name {
		case "copy_effects":
			p.copyEffects()
		case "link_effects":
			p.linkEffects()
		case "compress_effects":
			p.compressEffects()
		case "extract_effects":
			p.extractEffects()
		case "sed_effects":
			p.sedEffects()
		case "git_mv":
			p.gitMove()
		case "git_clean":
			p.gitClean()
		case "wget_effects":
			p.wgetEffects()
		}
	}
}

// onlyReads: whatever the unknown words of a command that only reads turn out to
// be, it reads them.
func (p *parser) onlyReads(c *Command) {
	if !p.maybe || len(p.out.Effects) > 0 || len(c.Effects) == 0 {
		return
	}
	for _, e := range c.Effects {
		if e.Op != "read" && e.Op != "net" && e.Op != "send" {
			return
		}
	}
	var words []Value
	for i, w := range p.words {
		if i > 0 && !w.Known {
			words = append(words, Value{Text: w.Text, Word: i})
		}
	}
	p.add("read", false, true, words...)
}

// holds answers a "when": a field that is set, or "!field"; several joined by
// "," must all hold, joined by "|" one is enough.
func (p *parser) holds(when string) bool {
	if when == "" {
		return true
	}
	for part := range strings.SplitSeq(when, ",") {
		ok := false
		for alt := range strings.SplitSeq(part, "|") {
			name, not := strings.CutPrefix(alt, "!")
			ok = ok || p.isSet(name) != not
		}
		if !ok {
			return false
		}
	}
	return true
}

// targets are the values of a field as targets of an effect. Streams are none,
// an address gives its host.
func (p *parser) targets(op, name string, e *Effect) (out []Value) {
	s := p.lookup(name)
	if s == nil || !s.set {
		return nil
	}
	if op == "send" {
		return p.sent(name, s)
	}
	e.Start = e.Start || s.kind(name) == StartPath
	for _, v := range s.vals {
		switch {
		case op == "net":
			if name == "args" && len(out) > 0 {
				return out // host, then ports
			}
			if h := host(v.Text); h != "" {
				out = append(out, Value{Text: h, Word: v.Word, Plain: true})
			}
			continue
		case v.Text == "-" || v.Text == "":
			continue
		case s.kind(name) == AnyHost && remote(v.Text):
			continue
		}
		out = append(out, v)
	}
	return out
}

func (p *parser) lookup(dest string) *slot {
	for _, f := range slices.Backward(p.frames) {
		if s := f.slots[dest]; s != nil {
			return s
		}
	}
	return nil
}

// host is the host of a URL, of user@host, or of host:path.
func host(s string) string {
	if _, after, ok := strings.Cut(s, "://"); ok {
		s = after
	} else if i := strings.IndexAny(s, ":/"); i == 0 {
		return ""
	}
	s, _, _ = strings.Cut(s, "/")
	s, _, _ = strings.Cut(s, "?")
	if _, after, ok := cutLast(s, "@"); ok {
		s = after
	}
	if h, after, ok := strings.Cut(strings.TrimPrefix(s, "["), "]"); ok && (after == "" || after[0] == ':') {
		return h
	}
	s, _, _ = strings.Cut(s, ":")
	return s
}

func (p *parser) add(op string, recursive, maybe bool, targets ...Value) {
	if len(targets) > 0 {
		p.out.Effects = append(p.out.Effects, Effect{Op: op, Targets: targets, Recursive: recursive, Maybe: maybe})
	}
}

// copyEffects: cp, mv, install, scp, rsync. The destination is written, and
// where it may be a folder, so is the source's name below it.
func (p *parser) copyEffects() {
	f := p.top()
	if f.on("directories") {
		return // install -d makes folders
	}
	recursive := f.on("recursive") || f.on("archive")
	var sources, hosts []Value
	for _, v := range f.many("sources") {
		if f.slots["sources"].kind("sources") == AnyHost && remote(v.Text) {
			hosts = append(hosts, v)
		} else {
			sources = append(sources, v)
		}
	}
	dir, into := f.one("destination_dir")
	dst, ok := f.one("destination")
	isDir := into || len(f.many("sources")) > 1 || strings.HasSuffix(dst.Text, "/") || dst.Text == "." || strings.HasSuffix(dst.Text, "/.") || dst.Text == ".."
	if into {
		dst, ok = dir, true
	}
	move := f.cmd.Name == "mv"
	if move {
		p.add("delete", true, false, sources...)
	} else {
		p.add("read", recursive, false, sources...)
	}
	away := ok && !into && f.slots["destination"].kind("destination") == AnyHost && remote(dst.Text)
	if away {
		hosts = append(hosts, dst)
	}
	for _, v := range hosts {
		p.add("net", false, false, Value{Text: host(v.Text), Word: v.Word, Plain: true})
	}
	if !ok || away {
		return
	}
	if !into || f.on("no_target_directory") {
		p.add("write", recursive || move, false, dst)
	}
	if f.on("no_target_directory") {
		return
	}
	for _, s := range f.many("sources") {
		name := path.Base(s.Text)
		if remote(s.Text) {
			_, name, _ = cutLast(s.Text, ":")
			name = path.Base(name)
		}
		if name == "." || name == ".." || name == "/" || strings.HasSuffix(s.Text, "/") && f.cmd.Name == "rsync" {
			continue
		}
		p.add("write", recursive || move, !isDir, Value{Text: strings.TrimSuffix(dst.Text, "/") + "/" + name, Word: dst.Word})
	}
}

// linkEffects: the last of several operands is written, or one named like the
// only one.
func (p *parser) linkEffects() {
	f := p.top()
	paths := f.many("paths")
	if d, ok := f.one("target_dir"); ok {
		for _, v := range paths {
			p.add("write", false, false, Value{Text: path.Join(d.Text, path.Base(v.Text)), Word: v.Word})
		}
		return
	}
	switch n := len(paths); n {
	case 0:
	case 1:
		p.add("write", false, false, Value{Text: path.Base(paths[0].Text), Word: paths[0].Word})
	default:
		last := paths[n-1]
		p.add("write", false, n > 2, last)
		for _, v := range paths[:n-1] {
			p.add("write", false, n == 2 && !strings.HasSuffix(last.Text, "/") && last.Text != ".", Value{Text: path.Join(last.Text, path.Base(v.Text)), Word: v.Word})
		}
	}
}

// compressEffects: gzip and its kin put f.gz in the place of f, or the other
// way round.
func (p *parser) compressEffects() {
	f := p.top()
	ext := map[string]string{"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}[f.cmd.Name]
	name := Normalize(Base(p.words[0].Text))
	unpack := f.on("decompress") || strings.HasPrefix(name, "un") || strings.HasPrefix(name, "gun") || strings.HasPrefix(name, "bun")
	cat := f.on("stdout") || strings.HasSuffix(name, "cat") || f.on("test") || f.on("list")
	keep := f.on("keep") || f.cmd.Name == "zstd" && !f.on("remove")
	for _, v := range f.many("paths") {
		if v.Text == "-" {
			continue
		}
		if cat || keep {
			p.add("read", false, false, v)
		}
		if cat {
			continue
		}
		if !keep {
			p.add("delete", f.on("recursive"), false, v)
		}
		out := v
		if unpack {
			out.Text = strings.TrimSuffix(v.Text, ext)
			if t, ok := strings.CutSuffix(v.Text, ".tgz"); ok {
				out.Text = t + ".tar"
			}
		} else {
			out.Text += ext
		}
		p.add("write", f.on("recursive"), out.Text == v.Text, out)
	}
}

// extractEffects: tar and unzip write below a folder; their members are not
// known.
func (p *parser) extractEffects() {
	f := p.top()
	dir, ok := f.one("directory")
	if !ok {
		dir = Value{Text: ".", Word: -1}
	}
	archive, named := f.one("file")
	if a, ok := f.one("archive"); ok {
		archive, named = a, true
	}
	named = named && archive.Text != "-"
	reads, writes := f.on("extract") || f.on("list") || f.cmd.Name == "unzip" || f.cmd.Name == "x", f.on("extract")
	if f.cmd.Name == "unzip" || f.cmd.Name == "x" {
		writes = !f.on("list") && !f.on("test") && !f.on("pipe")
	}
	if named && reads {
		p.out.Effects = append(p.out.Effects, Effect{Op: "read", Targets: []Value{archive}, Start: true})
	}
	if writes && !f.on("to_stdout") {
		p.out.Effects = append(p.out.Effects, Effect{Op: "write", Targets: []Value{dir}, Recursive: true, Start: true})
	}
	if named && (f.on("create") || f.on("append") || f.on("update") || f.on("delete")) {
		op := "write"
		p.out.Effects = append(p.out.Effects, Effect{Op: op, Targets: []Value{archive}, Start: true})
		if !f.on("delete") {
			p.add("read", true, false, f.many("paths")...)
		}
		if f.on("remove_files") {
			p.add("delete", true, false, f.many("paths")...)
		}
	}
}

// gitMove: git mv takes its operands as mv does.
func (p *parser) gitMove() {
	paths := p.top().many("paths")
	if len(paths) < 2 || p.top().on("dry_run") {
		return
	}
	last := paths[len(paths)-1]
	p.add("delete", true, false, paths[:len(paths)-1]...)
	p.add("write", true, len(paths) > 2, last)
	for _, v := range paths[:len(paths)-1] {
		p.add("write", true, len(paths) == 2, Value{Text: path.Join(last.Text, path.Base(v.Text)), Word: last.Word})
	}
}

// gitClean deletes what git does not track: which files is not known from the
// words.
func (p *parser) gitClean() {
	f := p.top()
	if f.on("dry_run") {
		return
	}
	paths := f.many("paths")
	if len(paths) == 0 {
		paths = []Value{{Text: ".", Word: -1}}
	}
	p.add("delete", true, true, paths...)
}

// wgetEffects: without -O a file is named after the URL, under -P.
func (p *parser) wgetEffects() {
	f := p.top()
	if _, named := f.one("output_document"); named || f.on("spider") {
		return
	}
	dir, ok := f.one("directory_prefix")
	if !ok {
		dir = Value{Text: ".", Word: -1}
	}
	if f.on("recursive") || f.on("mirror") || f.on("page_requisites") {
		p.add("write", true, false, dir)
		return
	}
	for _, u := range f.many("urls") {
		name := fileOf(u.Text)
		if name == "" {
			name = "index.html"
		}
		p.add("write", false, true, Value{Text: path.Join(dir.Text, name), Word: u.Word})
	}
	if _, ok := f.one("input_file"); ok {
		p.add("write", true, true, dir)
	}
}

// fileOf is the last element of a URL's path.
func fileOf(url string) string {
	if _, after, ok := strings.Cut(url, "://"); ok {
		url = after
	}
	url, _, _ = strings.Cut(url, "?")
	url, _, _ = strings.Cut(url, "#")
	_, file, _ := cutLast(url, "/")
	if !strings.Contains(url, "/") {
		return ""
	}
	return file
}
