//go:build collect

package shell

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

var collectDirs = flag.String("collect.dirs", "", "further folders to look in, separated by the list separator")

// A block is a piece of shell text that a person wrote.
type block struct{ where, text string }

// TestBlocks reads shell text that people wrote: the steps of CI files, the
// recipes of makefiles, the scripts of package.json, the RUN lines of container
// files and script files, as they lie in the Go module cache and in installed npm
// packages. At least 2,000 blocks must be found (a text that several files hold
// is read once), and at most 1 % of them may be unresolved for another reason than
// that they run a download or a computed program, which nobody can read. Each
// unresolved part is printed.
//
//	go test -tags collect ./shell -run TestBlocks -v
func TestBlocks(t *testing.T) {
	var dirs []string
	for _, cmd := range [][]string{{"go", "env", "GOMODCACHE"}, {"npm", "root", "-g"}} {
		if out, err := exec.Command(cmd[0], cmd[1:]...).Output(); err == nil {
			dirs = append(dirs, strings.TrimSpace(string(out)))
		}
	}
	dirs = append(dirs, filepath.SplitList(*collectDirs)...)
	blocks, found := collect(t, dirs)
	kinds := map[string]int{}
	codes := map[string]int{}
	unread, odd := 0, 0
	for _, b := range blocks {
		kinds[kindOf(b.where)]++
		r := Translate(Request{Command: b.text, Dir: "/proj", Root: "/proj", Home: "/home/dev", Fresh: true})
		if len(r.Unresolved) == 0 {
			continue
		}
		unread++
		seen := map[string]bool{}
		other := 0
		for _, u := range r.Unresolved {
			if !seen[u.Code] {
				seen[u.Code] = true
				codes[u.Code]++
			}
			if u.Code != "dynamic-script" && u.Code != "dynamic-command" && u.Code != "dynamic-code" && u.Code != "script-written" {
				other = 1
			}
			t.Logf("%s: %s: %s", b.where, u.Code, u.Source)
		}
		odd += other
	}
	t.Logf("%d blocks, %d different %v; %d unresolved (%.2f %%) %v, %d of them (%.2f %%) for another reason than a program or text that is computed",
		found, len(blocks), kinds, unread, 100*float64(unread)/float64(len(blocks)), codes, odd, 100*float64(odd)/float64(len(blocks)))
	if found < 2000 {
		t.Errorf("%d blocks found, at least 2000 are wanted", found)
	}
	if odd*100 > len(blocks) {
		t.Errorf("%d of %d blocks are unresolved, at most 1 %% may be", odd, len(blocks))
	}
}

func kindOf(where string) string {
	switch base := filepath.Base(where); {
	case base == "package.json":
		return "script"
	case strings.HasSuffix(base, ".yml"), strings.HasSuffix(base, ".yaml"):
		return "step"
	case strings.HasPrefix(base, "Dockerfile"), base == "Containerfile":
		return "container"
	}
	if strings.HasSuffix(where, ".sh") || strings.HasSuffix(where, ".bash") {
		return "file"
	}
	return "recipe"
}

// collect finds the blocks, each text once, in order, and says how many there
// are with those that are there again.
func collect(t *testing.T, dirs []string) (out []block, found int) {
	t.Helper()
	seen := map[string]bool{}
	add := func(where string, texts []string) {
		for _, s := range texts {
			if s = strings.TrimSpace(s); s == "" {
				continue
			}
			found++
			if !seen[s] {
				seen[s] = true
				out = append(out, block{where, s})
			}
		}
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			if i, err := d.Info(); err != nil || i.Size() > 1<<20 {
				return nil
			}
			switch name := d.Name(); {
			case name == "package.json":
				add(p, scripts(p))
			case name == "Makefile" || name == "makefile" || name == "GNUmakefile" || strings.HasSuffix(name, ".mk"):
				add(p, recipes(p))
			case (strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml")) && strings.Contains(p, ".github"):
				add(p, steps(p))
			case strings.HasPrefix(name, "Dockerfile") || name == "Containerfile":
				add(p, runLines(p))
			case strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash"):
				add(p, script(p))
			}
			return nil
		})
		if err != nil {
			t.Logf("%s: %v", dir, err)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].where < out[j].where })
	return out, found
}

// scripts are the scripts of a package.json.
func scripts(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var pkg struct {
		Scripts map[string]any `json:"scripts"`
	}
	if json.Unmarshal(data, &pkg) != nil {
		return nil
	}
	var out []string
	for _, v := range pkg.Scripts {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	sort.Strings(out)
	return out
}

// steps are the texts of "run:" in a workflow; one for another shell is left
// out, and what the service fills in is a plain word.
func steps(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		trimmed := strings.TrimLeft(lines[i], " ")
		indent := len(lines[i]) - len(trimmed)
		item := strings.TrimPrefix(trimmed, "- ")
		val, ok := strings.CutPrefix(item, "run:")
		if !ok {
			continue
		}
		val = strings.TrimSpace(val)
		own := indent + len(trimmed) - len(item)
		if otherShell(lines, i, own) {
			continue
		}
		if val == "" || val[0] != '|' && val[0] != '>' {
			out = append(out, fillIn(unquoteYAML(val)))
			continue
		}
		var body []string
		for i+1 < len(lines) {
			next := lines[i+1]
			if strings.TrimSpace(next) != "" && len(next)-len(strings.TrimLeft(next, " ")) <= own {
				break
			}
			body = append(body, next)
			i++
		}
		sep := "\n"
		if val[0] == '>' {
			sep = " "
		}
		out = append(out, fillIn(strings.Join(dedent(body), sep)))
	}
	return out
}

// otherShell says whether the step around line i names a shell that is not ours.
func otherShell(lines []string, i, indent int) bool {
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= 0 && j < len(lines) && j > i-12 && j < i+40; j += step {
			l := lines[j]
			trimmed := strings.TrimLeft(l, " -")
			in := len(l) - len(strings.TrimLeft(l, " "))
			if strings.TrimSpace(l) != "" && in < indent-2 {
				break
			}
			if in <= indent {
				if sh, ok := strings.CutPrefix(trimmed, "shell:"); ok {
					sh = strings.TrimSpace(sh)
					return !strings.HasPrefix(sh, "bash") && !strings.HasPrefix(sh, "sh")
				}
				if step == 1 && strings.HasPrefix(strings.TrimLeft(l, " "), "- ") {
					break
				}
			}
		}
	}
	return false
}

// fillIn puts a word in place of ${{ ... }}.
func fillIn(s string) string {
	for {
		i := strings.Index(s, "${{")
		if i < 0 {
			return s
		}
		j := strings.Index(s[i:], "}}")
		if j < 0 {
			return s
		}
		s = s[:i] + "filled" + s[i+j+2:]
	}
}

func unquoteYAML(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		inner := s[1 : len(s)-1]
		if s[0] == '\'' {
			return strings.ReplaceAll(inner, "''", "'")
		}
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(inner)
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = s[:i]
	}
	return s
}

// dedent takes the common indentation off.
func dedent(lines []string) []string {
	least := -1
	for _, l := range lines {
		if n := len(l) - len(strings.TrimLeft(l, " ")); strings.TrimSpace(l) != "" && (least < 0 || n < least) {
			least = n
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		if len(l) >= least && least > 0 {
			l = l[least:]
		}
		out[i] = l
	}
	return out
}

// script is a whole script of a shell that is read.
func script(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if first, _, _ := strings.Cut(string(data), "\n"); strings.HasPrefix(first, "#!") && !strings.HasSuffix(strings.Fields(first)[len(strings.Fields(first))-1], "sh") {
		return nil
	}
	return []string{string(data)}
}

// runLines are the RUN instructions of a container file in shell form.
func runLines(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var out []string
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		rest, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), "RUN ")
		if !ok {
			continue
		}
		for strings.HasSuffix(rest, "\\") && i+1 < len(lines) {
			i++
			if !strings.HasPrefix(strings.TrimSpace(lines[i]), "#") {
				rest += "\n" + lines[i]
			}
		}
		if !strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, "--") && !strings.HasPrefix(rest, "<<") {
			out = append(out, rest)
		}
	}
	return out
}

// recipes are the recipe lines of a makefile as make hands them to a shell:
// continued lines together, its own variables replaced by their text, if that
// is simple, or by a word.
func recipes(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	vars := map[string]string{}
	var out []string
	define := false
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		for strings.HasSuffix(l, "\\") && i+1 < len(lines) {
			i++
			l += "\n" + lines[i]
		}
		switch trimmed := strings.TrimSpace(l); {
		case strings.HasPrefix(trimmed, "define "):
			define = true
		case trimmed == "endef":
			define = false
		case define:
		case strings.HasPrefix(l, "\t"):
			body := strings.TrimLeft(strings.ReplaceAll(l, "\n\t", "\n"), "\t @-+")
			if s, ok := expandMake(body, vars, 0); ok && !strings.HasPrefix(trimmed, "#") {
				out = append(out, s)
			}
		default:
			if name, val, ok := strings.Cut(trimmed, "="); ok {
				name = strings.TrimSpace(strings.TrimRight(strings.TrimPrefix(strings.TrimSpace(name), "export "), ":?+ "))
				if !strings.ContainsAny(name, " \t:$(") && !strings.HasPrefix(l, "#") {
					vars[name] = strings.TrimSpace(strings.ReplaceAll(val, "\\\n", " "))
				}
			}
		}
	}
	return out
}

// expandMake replaces make's variables; false for text that functions make.
func expandMake(s string, vars map[string]string, depth int) (string, bool) {
	if depth > 5 {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			end := strings.IndexByte(s[i:], closing(s[i]))
			if end < 0 {
				return s, false
			}
			name := s[i+1 : i+end]
			i += end
			if strings.ContainsAny(name, " ,$:") {
				return s, false // a function
			}
			v, ok := vars[name]
			if !ok {
				v = "make_" + strings.ToLower(strings.Trim(name, "@<^?*%+|"))
				if name == "MAKE" {
					v = "make"
				}
				b.WriteString(v)
				continue
			}
			v, ok = expandMake(v, vars, depth+1)
			if !ok {
				return s, false
			}
			b.WriteString(v)
		default:
			b.WriteString("target")
		}
	}
	return b.String(), true
}
