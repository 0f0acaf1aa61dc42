//go:build collect

package shell_test

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

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/shell"
)

var collectDirs = flag.String("collect.dirs", "", "further folders to look in, separated by the list separator")

// A block is a piece of shell text that a person wrote.
type block struct {
	where, dir, text string
	found            int // how often
}

// wanted are the kinds of blocks that the bar is about; scripts as a whole and
// container files are read and printed with them.
func wanted(kind string) bool { return kind == "step" || kind == "recipe" || kind == "script" }

// TestBlocks reads shell text that people wrote: the steps of CI files, the
// recipes of makefiles, the scripts of package.json, the RUN lines of container
// files and script files, as they lie in the Go module cache and in installed npm
// packages. Of steps, recipes and package scripts at least 2,000 must be found,
// and at most 1 % of them, counted as found, may be unresolved. Each unresolved
// part is printed.
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
	type count struct{ found, different, unread, unreadDifferent int }
	kinds := map[string]*count{}
	codes := map[string]int{}
	var all count
	for _, b := range collect(t, dirs) {
		kind := kindOf(b.where)
		k := kinds[kind]
		if k == nil {
			k = &count{}
			kinds[kind] = k
		}
		counts := []*count{k}
		if wanted(kind) {
			counts = append(counts, &all)
		}
		r := shell.Translate(shell.Request{Command: b.text, Dir: b.dir, Root: b.dir, Home: "/home/dev", Fresh: true, FS: disk{}})
		for _, c := range counts {
			c.found += b.found
			c.different++
			if len(r.Unresolved) > 0 {
				c.unread += b.found
				c.unreadDifferent++
			}
		}
		seen := map[string]bool{}
		for _, u := range r.Unresolved {
			if !seen[u.Code] && wanted(kind) {
				seen[u.Code] = true
				codes[u.Code]++
			}
			t.Logf("%s: %s: %s: %s", kind, b.where, u.Code, u.Source)
		}
	}
	report := func(name string, c *count) {
		t.Logf("%s: %d blocks, %d unresolved (%.2f %%); %d different, %d unresolved (%.2f %%)", name,
			c.found, c.unread, 100*float64(c.unread)/float64(c.found),
			c.different, c.unreadDifferent, 100*float64(c.unreadDifferent)/float64(c.different))
	}
	for _, kind := range []string{"step", "recipe", "script", "container", "file"} {
		if c := kinds[kind]; c != nil {
			report(kind, c)
		}
	}
	report("steps, recipes and scripts", &all)
	t.Log(codes)
	if all.found < 2000 {
		t.Errorf("%d blocks found, at least 2000 are wanted", all.found)
	}
	if all.unread*100 > all.found {
		t.Errorf("%d of %d blocks are unresolved, at most 1 %% may be", all.unread, all.found)
	}
}

// A disk is the view of the real one.
type disk struct{}

func (disk) ReadFile(p string, limit int) ([]byte, error) {
	st, err := os.Stat(p)
	if err != nil || !st.Mode().IsRegular() || st.Size() > int64(limit) {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(p)
}

func (disk) Real(p string) string {
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return ""
	}
	return real
}

func (disk) Exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

func (disk) IsDir(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.IsDir()
}

func (disk) Names(dir string, limit int) ([]string, bool) {
	list, err := os.ReadDir(dir)
	if err != nil || len(list) > limit {
		return nil, false
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names, true
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

// collect finds the blocks, each text once, in order, with how often it is there.
func collect(t *testing.T, dirs []string) []block {
	t.Helper()
	at := map[string]int{}
	var out []block
	add := func(where, dir string, texts []string) {
		for _, s := range texts {
			if s = strings.TrimSpace(s); s == "" {
				continue
			}
			if i, ok := at[s]; ok {
				out[i].found++
				continue
			}
			at[s] = len(out)
			out = append(out, block{where, dir, s, 1})
		}
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			in := filepath.Dir(p)
			if d.IsDir() {
				if d.Name() == ".github" {
					steps(in, add)
				}
				return nil
			}
			if i, err := d.Info(); err != nil || i.Size() > 1<<20 {
				return nil
			}
			switch name := d.Name(); {
			case name == "package.json":
				add(p, in, scripts(p))
			case name == "Makefile" || name == "makefile" || name == "GNUmakefile" || strings.HasSuffix(name, ".mk"):
				add(p, in, recipes(p))
			case strings.HasPrefix(name, "Dockerfile") || name == "Containerfile":
				add(p, in, runLines(p))
			case strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash"):
				add(p, in, script(p))
			}
			return nil
		})
		if err != nil {
			t.Logf("%s: %v", dir, err)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].where < out[j].where })
	return out
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

// steps adds the steps of a repository's workflows that are for a shell of ours,
// as the collector of init finds them.
func steps(repository string, add func(where, dir string, texts []string)) {
	for _, s := range rules.Scripts(os.DirFS(repository)) {
		if strings.HasPrefix(s.File, ".github/") {
			add(filepath.Join(repository, s.File), repository, []string{s.Text})
		}
	}
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
			shut := byte(')')
			if s[i] == '{' {
				shut = '}'
			}
			end := strings.IndexByte(s[i:], shut)
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
