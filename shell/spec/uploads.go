package spec

import (
	"slices"
	"strings"
)

// Values that name a file in a syntax of their own ("@f", "name=@f") and send
// what it holds. They are the effect "send" of a spec: the file is read, and
// stands in the field uploads, where rules on paths find it.

// sent are the files of a field, for the effect "send".
func (p *parser) sent(name string, s *slot) (out []Value) {
	vals := s.vals
	if name == "items" {
		vals = requestItems(vals)
	}
	for _, v := range vals {
		for _, f := range filesIn(name, v.Text) {
			if f != "" && f != "-" {
				out = append(out, Value{Text: f, Word: v.Word})
			}
		}
	}
	p.uploads = append(p.uploads, out...)
	return out
}

// putUploads makes the field.
func (p *parser) putUploads() {
	if len(p.uploads) > 0 {
		p.out.Args["uploads"] = texts(p.uploads)
		p.out.Fields = append(p.out.Fields, Field{Name: "uploads", From: p.uploads, Path: true})
	}
}

// filesIn are the files that a value of a field names. The fields are those of
// curl, gh, kubectl and httpie.
func filesIn(field, text string) []string {
	switch field {
	case "data", "data_binary", "json", "header", "proxy_header", "write_out":
		if f, ok := strings.CutPrefix(text, "@"); ok {
			return []string{f}
		}
	case "data_urlencode", "url_query", "variable": // name@file, but name=text@x
		if i := strings.IndexAny(text, "=@"); i >= 0 && text[i] == '@' {
			return []string{text[i+1:]}
		}
	case "form", "field": // name=@file;type=x,file and name=<file
		_, val, _ := strings.Cut(text, "=")
		if val != "" && (val[0] == '@' || val[0] == '<') {
			return formFiles(val[1:])
		}
	case "cookie": // name=text, or a file
		if !strings.Contains(text, "=") {
			return []string{text}
		}
	case "cert": // file:password
		if f, _, _ := strings.Cut(text, ":"); !strings.HasPrefix(text, "pkcs11:") {
			return []string{f}
		}
	case "upload_file": // {a,b}: one URL for each
		return alternativesOf(text)
	case "urls", "url":
		if f, ok := strings.CutPrefix(text, "file://"); ok {
			return []string{strings.TrimPrefix(f, "localhost")}
		}
	case "from_file", "from_env_file": // key=file
		if _, f, ok := strings.Cut(text, "="); ok {
			return []string{f}
		}
		return []string{text}
	case "items":
		text, _, _ = strings.Cut(text, ";type=")
		i := strings.IndexAny(text, ":=@")
		for _, sep := range []string{":=@", "==@", "=@", ":@", "@"} {
			if f, ok := strings.CutPrefix(text[max(i, 0):], sep); ok {
				return []string{f}
			}
		}
	}
	return nil
}

// formFiles are the files of a part of a form: several behind commas, names in
// quotes, each with ";type=x" behind it.
func formFiles(s string) (out []string) {
	for s != "" {
		var f string
		if s[0] == '"' {
			f, s, _ = strings.Cut(s[1:], `"`)
		} else {
			i := strings.IndexAny(s, ",;")
			if i < 0 {
				i = len(s)
			}
			f, s = s[:i], s[i:]
		}
		out = append(out, f)
		_, s, _ = strings.Cut(s, ",")
	}
	return out
}

// alternativesOf are the texts of one {a,b}; none without.
func alternativesOf(text string) (out []string) {
	before, rest, ok := strings.Cut(text, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return nil
	}
	for s := range strings.SplitSeq(inner, ",") {
		out = append(out, before+s+after)
	}
	return out
}

// requestItems are what stands behind the method and the address.
func requestItems(vals []Value) []Value {
	first := slices.IndexFunc(vals, func(v Value) bool { return strings.ToUpper(v.Text) != v.Text || strings.ContainsAny(v.Text, "/.:") })
	if first < 0 || first > 1 {
		first = min(1, len(vals))
	}
	return vals[min(first+1, len(vals)):]
}
