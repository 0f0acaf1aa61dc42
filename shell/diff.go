package shell

import (
	"strconv"
	"strings"
)

// diffRead gives patch, git apply and git am the paths of a diff that is known:
// a text on their input, or a file of the line or of the disk (shell.md 4.1).
func (f *fieldWriter) diffRead() bool {
	text, ok := f.diffText()
	if !ok {
		return false
	}
	strip := 1
	if f.call.Tool == "patch" {
		strip = -1 // the whole path, or its last element
	}
	if s, ok := f.call.Args["strip"].(string); ok {
		n, err := strconv.Atoi(s)
		if err != nil {
			return false
		}
		strip = n
	}
	base := f.base
	if d, ok := f.call.Args["directory"].(string); ok && d != "" {
		base.path, base.alts = join(base.path, d), nil
	}
	if !base.known {
		return false
	}
	paths := diffPaths(text, strip)
	if len(paths) == 0 {
		return false
	}
	l := make([]any, len(paths))
	for i, p := range paths {
		full := join(base.path, p)
		l[i] = full
		f.effect("write", full, f.c.remote == "" && !f.call.CLI.Conditional, false)
	}
	f.call.Args["paths"] = l
	return true
}

// diffText is the text of the diff.
func (f *fieldWriter) diffText() (string, bool) {
	for _, name := range []string{"patches", "patchfile", "input"} {
		switch v := f.call.Args[name].(type) {
		case string:
			return f.readDiff(v)
		case []any:
			var all strings.Builder
			for _, p := range v {
				s, _ := p.(string)
				text, ok := f.readDiff(s)
				if !ok {
					return "", false
				}
				all.WriteString(text)
			}
			if len(v) > 0 {
				return all.String(), true
			}
		}
	}
	in := f.cmd.rs.input(f.c.in)
	switch {
	case in == nil || in.used:
	case in.known:
		return in.text, true
	case in.file != "":
		return f.readDiff(in.file)
	}
	return "", false
}

func (f *fieldWriter) readDiff(path string) (string, bool) {
	if file, ok := f.w.writtenFile(path); ok {
		return file.text, file.known && file.surely(f.st, f.c)
	}
	if f.w.madeHere(path) {
		return "", false
	}
	return f.w.readFile(path)
}

// diffPaths lists the files a diff names, without their first elements.
func diffPaths(text string, strip int) []string {
	var out []string
	seen := map[string]bool{}
	add := func(p string) {
		p, _, _ = strings.Cut(p, "\t")
		p = strings.Trim(strings.TrimRight(p, " \r"), `"`)
		if p == "/dev/null" || p == "" {
			return
		}
		names := []string{p}
		switch {
		case strip < 0:
			names = append(names, p[strings.LastIndexByte(p, '/')+1:])
		default:
			for range strip {
				_, rest, ok := strings.Cut(p, "/")
				if !ok {
					break
				}
				p = rest
			}
			names[0] = p
		}
		for _, n := range names {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		for _, pre := range []string{"--- ", "+++ ", "rename from ", "rename to ", "copy to "} {
			rest, ok := strings.CutPrefix(line, pre)
			if !ok {
				continue
			}
			if strings.HasPrefix(pre, "rename") || strings.HasPrefix(pre, "copy") {
				rest = strings.Repeat("x/", max(strip, 0)) + rest
			}
			add(rest)
		}
	}
	return out
}
