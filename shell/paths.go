package shell

import "strings"

// clean folds . and .. and double slashes of an absolute path by text, as cd
// does; the root has no parent.
func clean(p string) string {
	if p == "" {
		return ""
	}
	parts := strings.Split(p, "/")
	out := parts[:0]
	for _, s := range parts {
		switch s {
		case "", ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

// join is path p as seen from a directory.
func join(dir, p string) string {
	if strings.HasPrefix(p, "/") {
		return clean(p)
	}
	return clean(dir + "/" + p)
}

// below says whether path p is dir or in it.
func below(dir, p string) bool {
	if dir == "/" {
		return true
	}
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/')
}

// isURL says whether an operand is an address rather than a path.
func isURL(p string) bool {
	i := strings.Index(p, "://")
	if i <= 0 {
		return false
	}
	for j := range i {
		ch := p[j] | 0x20
		if (ch < 'a' || ch > 'z') && (p[j] < '0' || p[j] > '9') && p[j] != '+' && p[j] != '.' && p[j] != '-' {
			return false
		}
	}
	return true
}
