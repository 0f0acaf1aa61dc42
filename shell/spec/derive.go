package spec

import (
	"path"
	"slices"
	"strings"
)

// derive runs the derivations the spec names: the small, fixed set of readings
// that options and operands alone do not give (shell.md 5, 6). They work on
// slots, before the arguments are made.
func (p *parser) derive() {
	f := p.top()
	for _, name := range f.cmd.Derive {
		switch name {
		case "git_push":
			gitPush(f)
		case "branch_delete":
			branchDelete(f)
		case "checkout_paths":
			checkoutPaths(f)
		case "curl_output":
			curlOutput(f)
		case "gh_api_method":
			ghAPIMethod(f)
		case "mkfs_type":
			p.mkfsType(f)
		case "variables":
			variables(f)
		case "awk_program":
			p.awkProgram(f)
		case "vim_commands":
			plusCommands(f)
		}
	}
}

// on, one, many and put read and write slots by dest.
func (f *frame) on(dest string) bool {
	s := f.slots[dest]
	return s != nil && s.set && s.on
}

func (f *frame) one(dest string) (Value, bool) {
	s := f.slots[dest]
	if s == nil || !s.set || len(s.vals) == 0 {
		return Value{}, false
	}
	return s.vals[len(s.vals)-1], true
}

func (f *frame) many(dest string) []Value {
	if s := f.slots[dest]; s != nil {
		return s.vals
	}
	return nil
}

func (f *frame) putBool(dest string, on bool) {
	s := f.slot(dest)
	if s.opt == nil {
		s.opt = &Option{Dest: dest, Type: Bool}
	}
	s.set, s.on = s.set || on, on
}

func (f *frame) putList(dest string, vals []Value) {
	s := f.slot(dest)
	s.pos, s.opt, s.set = &Positional{Name: dest, Nargs: "*"}, nil, true
	s.vals = vals
}

func (f *frame) putOne(dest string, v Value) {
	s := f.slot(dest)
	if s.opt == nil {
		s.pos = &Positional{Name: dest}
	}
	s.set, s.vals = true, []Value{v}
}

// gitPush works out which branches of the remote are touched, and that "+ref",
// ":ref" and --mirror force and delete like the flags do.
func gitPush(f *frame) {
	var branches []Value
	unknown := false
	add := func(name string, w int) {
		name = strings.TrimPrefix(name, "refs/heads/")
		if !slices.ContainsFunc(branches, func(v Value) bool { return v.Text == name }) {
			branches = append(branches, Value{Text: name, Word: w})
		}
	}
	refs := f.many("refspecs")
	if _, ok := f.one("repo"); ok && len(refs) == 0 {
		// With --repo the first operand is still the remote; git then has no refspec.
		unknown = true
	}
	for i := 0; i < len(refs); i++ {
		ref := refs[i].Text
		if ref == "tag" && i+1 < len(refs) {
			i++
			continue
		}
		if strings.HasPrefix(ref, "+") {
			f.putBool("force", true)
			ref = ref[1:]
		}
		src, dst, pair := strings.Cut(ref, ":")
		switch {
		case !pair:
			dst = src
		case src == "" && dst != "":
			f.putBool("delete", true)
		}
		switch {
		case dst == "" && pair: // ":" pushes the branches both sides have
			unknown = true
		case dst == "HEAD" || dst == "@":
			unknown = true
		case strings.HasPrefix(dst, "refs/tags/"):
		default:
			add(dst, refs[i].Word)
		}
	}
	if f.on("mirror") {
		f.putBool("force", true)
	}
	if f.on("mirror") || f.on("all") {
		add("*", -1)
	}
	if len(refs) == 0 && !f.on("mirror") && !f.on("all") && !f.on("tags") {
		unknown = true
	}
	f.putList("branches", branches)
	f.putBool("branches_unknown", unknown)
}

// branchDelete: -d with -f is -D.
func branchDelete(f *frame) {
	if f.on("delete") && f.on("force") {
		f.putBool("force_delete", true)
	}
}

// checkoutPaths: an operand that can only be a path is one.
func checkoutPaths(f *frame) {
	paths := slices.Clone(f.many("paths"))
	for _, t := range f.many("targets") {
		if t.Text == "." || strings.HasSuffix(t.Text, "/") || strings.Contains(t.Text, "*") || strings.HasPrefix(t.Text, "./") || strings.HasPrefix(t.Text, "../") || t.Text == ".." {
			paths = append(paths, t)
		}
	}
	if len(paths) > 0 {
		s := f.slot("paths")
		s.pos, s.opt, s.set, s.vals = &Positional{Name: "paths", Nargs: "*"}, nil, true, paths
	}
}

// curlOutput: -O writes the last element of each URL, under --output-dir.
func curlOutput(f *frame) {
	dir, _ := f.one("output_dir")
	if !f.on("remote_name") && !f.on("remote_name_all") {
		if o, ok := f.one("output"); ok && dir.Text != "" && o.Text != "-" && !path.IsAbs(o.Text) {
			f.putOne("output", Value{Text: path.Join(dir.Text, o.Text), Word: o.Word})
		}
		return
	}
	var outs []Value
	for _, u := range f.many("urls") {
		file := fileOf(u.Text)
		if file == "" {
			continue
		}
		outs = append(outs, Value{Text: path.Join(dir.Text, file), Word: u.Word})
	}
	if o, ok := f.one("output"); ok {
		outs = append([]Value{o}, outs...)
	}
	if len(outs) > 0 {
		f.putList("output", outs)
	}
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// ghAPIMethod: fields make it a POST.
func ghAPIMethod(f *frame) {
	if _, ok := f.one("method"); ok {
		return
	}
	_, raw := f.one("raw_field")
	_, field := f.one("field")
	_, input := f.one("input")
	if raw || field || input {
		f.putOne("method", Value{Text: "POST", Word: -1})
	}
}

// mkfsType: mkfs.ext4 is mkfs -t ext4.
func (p *parser) mkfsType(f *frame) {
	if _, kind, ok := strings.Cut(Base(p.words[0].Text), "."); ok && kind != "" {
		if _, set := f.one("type"); !set {
			f.putOne("type", Value{Text: kind})
		}
	}
}

// variables takes "A=b" words out of the targets (make).
func variables(f *frame) {
	var vars, rest []Value
	q := f.cmd.Positionals[len(f.cmd.Positionals)-1].Name
	for _, v := range f.many(q) {
		if k, _, ok := strings.Cut(v.Text, "="); ok && k != "" && !strings.ContainsAny(k, "/ ") {
			vars = append(vars, v)
		} else {
			rest = append(rest, v)
		}
	}
	f.slot(q).vals = rest
	f.putList("variables", vars)
}

// plusCommands takes "+cmd" words out of the operands (vim).
func plusCommands(f *frame) {
	var paths []Value
	for _, v := range f.many("paths") {
		cmd, ok := strings.CutPrefix(v.Text, "+")
		if !ok {
			paths = append(paths, v)
			continue
		}
		s := f.slot("commands")
		s.set = true
		s.vals = append(s.vals, Value{Text: cmd, Word: v.Word})
	}
	f.slot("paths").vals = paths
}
