package shell

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// A fakeDisk is files by path; one whose text begins with "-> " is a link.
type fakeDisk struct {
	files map[string]string
	reads int
}

func (d *fakeDisk) ReadFile(p string, limit int) ([]byte, error) {
	d.reads++
	text, ok := d.files[d.Real(p)]
	if !ok || len(text) > limit {
		return nil, errors.New("not read")
	}
	return []byte(text), nil
}

func (d *fakeDisk) Real(p string) string {
	for range 40 {
		if !d.Exists(p) {
			return ""
		}
		moved := false
		for q, elems := "", strings.Split(p, "/")[1:]; len(elems) > 0; elems = elems[1:] {
			q += "/" + elems[0]
			if to, ok := strings.CutPrefix(d.files[q], "-> "); ok {
				p, moved = path.Join(append([]string{to}, elems[1:]...)...), true
				break
			}
		}
		if !moved {
			return p
		}
	}
	return ""
}

func (d *fakeDisk) Exists(p string) bool {
	if _, ok := d.files[p]; ok || d.IsDir(p) {
		return true
	}
	for link, text := range d.files {
		if to, ok := strings.CutPrefix(text, "-> "); ok && strings.HasPrefix(p, link+"/") {
			return d.Exists(to + p[len(link):])
		}
	}
	return false
}

func (d *fakeDisk) IsDir(p string) bool {
	if to, ok := strings.CutPrefix(d.files[p], "-> "); ok {
		return d.IsDir(to)
	}
	for f := range d.files {
		if strings.HasPrefix(f, strings.TrimSuffix(p, "/")+"/") {
			return true
		}
	}
	return false
}

func (d *fakeDisk) Names(dir string, limit int) ([]string, bool) {
	var names []string
	for f := range d.files {
		if rest, ok := strings.CutPrefix(f, strings.TrimSuffix(dir, "/")+"/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names, len(names) <= limit
}

func project() *fakeDisk {
	return &fakeDisk{files: map[string]string{
		"/proj/.env": "K=1\n", "/proj/a.txt": "", "/proj/b.txt": "", "/proj/src/x.go": "",
		"/proj/run.sh":          "#!/bin/sh\nrm -rf \"$1\"\ncd src\ntouch made\n",
		"/proj/lib.sh":          "deploy() { git push --force origin \"$1\"; }\nTARGET=prod\n",
		"/proj/src/here.sh":     "DIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nrm \"$DIR/x\"\n. \"$DIR/../lib.sh\"\ndeploy main\n",
		"/proj/src/notthere.sh": "DIR=$(cd nosuch && pwd); . \"$DIR/lib.sh\"\n",
		"/proj/outer.sh":        ". ./inner.sh\n", "/proj/inner.sh": ". ./outer.sh\nrm y\n",
		"/proj/prog.py": "#!/usr/bin/env python3\nimport os\n", "/proj/bin": "\x7fELF\x00",
		"/proj/big.sh": strings.Repeat("rm x\n", 20_000),
		"/proj/bad.sh": "ls\nif true; then (\n", "/proj/dyn.sh": "$CMD x\n",
		"/proj/link": "-> /proj/.env", "/proj/away": "-> /etc", "/etc/passwd": "root\n", "/etc/run.sh": "rm outside\n",
	}}
}

// What a line runs out of files, and what its words are on the disk.
func TestDisk(t *testing.T) {
	tests := []struct {
		line   string
		calls  []string
		unread string
	}{
		{`sh run.sh old`, []string{`rm {"paths":["/proj/old"],"recursive":true} {"wrapper":"sh run.sh"}`, `touch {"paths":["/proj/src/made"]}`}, ""},
		{`./run.sh old`, []string{`run_sh {"argv":["old"]}`}, ""}, // a program like any other
		{`bash run.sh old; touch t`, []string{`rm {"paths":["/proj/old"]}`, `touch {"paths":["/proj/src/made"]}`, `touch {"paths":["/proj/t"]}`}, ""},
		{`sh ./run.sh "$X"`, []string{`rm {"unknown_paths":["paths"]}`}, ""},
		{`cd src && bash ../run.sh old`, []string{`rm {"paths":["/proj/src/old"]}`}, ""},
		{`. ./lib.sh; deploy main`, []string{`git_push {"force":true,"branches":["main"]}`}, ""},
		{`. ./lib.sh; rm "$TARGET"`, []string{`rm {"paths":["/proj/prod"]}`}, ""},
		{`bash src/here.sh`, []string{`rm {"unknown_paths":["paths"]} {"bounds":{"$DIR/x":{"exact":["/proj/src/x"]}}}`, `git_push {"force":true,"branches":["main"]}`}, ""},
		{`cd src && . ./here.sh`, []string{`git_push {"force":true,"branches":["main"]}`}, ""},
		{`bash src/notthere.sh`, []string{`source {}`}, "dynamic-script"},
		{`. ./outer.sh`, []string{`rm {"paths":["/proj/y"]}`}, "recursion"},
		{`./prog.py`, []string{`prog_py {}`}, ""},
		{`./bin x`, []string{`bin {"argv":["x"]}`}, ""},
		{`./missing.sh`, []string{`missing_sh {}`}, ""},
		{`bash big.sh`, []string{`bash {"script":"/proj/big.sh"} {"opaque":"script"}`}, ""},
		{`bash /etc/run.sh`, []string{`bash {"script":"/etc/run.sh"} {"opaque":"script"}`}, ""},
		{`bash bad.sh`, []string{`bash {}`, `ls {}`}, "syntax"},
		{`bash dyn.sh`, []string{`bash {}`, `unknown_command {}`}, "dynamic-command"},
		{`xargs -n1 bash run.sh < list`, []string{`rm {"recursive":true,"unknown_paths":["paths"]}`}, ""},
		{`cat run.sh | sh -s -- old`, []string{`cat {}`, `sh {}`, `rm {"paths":["/proj/old"],"recursive":true}`}, ""},
		{`cat ./run.sh | cat | sh -s old`, []string{`rm {"paths":["/proj/old"]}`}, ""},
		{`(cat run.sh; echo rm q) | sh`, []string{`sh {}`}, "dynamic-script"},
		{`(echo rm q; cat run.sh) | sh`, []string{`sh {}`}, "dynamic-script"},
		{`cat run.sh lib.sh | sh`, []string{`sh {}`}, "dynamic-script"},
		{`cat missing.sh | sh`, []string{`sh {}`}, "dynamic-script"},
		{`cat -v run.sh | sh`, []string{`sh {}`}, "dynamic-script"},
		{`cat "$X" | sh`, []string{`sh {}`}, "dynamic-script"},
		{`cat run.sh | tee run.sh | sh`, []string{`sh {}`}, "dynamic-script script-written"},
		{`if [ "$A" ]; then cat run.sh; fi | sh`, []string{`sh {}`}, "dynamic-script"},
		{`cat run.sh | { read -r first; sh; }`, []string{`sh {}`}, "dynamic-script"},
		{`{ read -r first; sh; } < run.sh`, []string{`sh {}`}, "dynamic-script"},
		{`echo 'rm z' > run.sh; bash run.sh old`, []string{`rm {"paths":["/proj/z"]}`}, ""},
		{`echo 'rm z' > run.sh; ./run.sh old`, []string{`run_sh {}`}, "script-written"},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			r := request(tt.line, "", "")
			r.FS = project()
			got := asVector(t, Translate(r))
			if codes := strings.Join(got.codes(), " "); codes != tt.unread {
				t.Errorf("unresolved %q, want %q (%s)", codes, tt.unread, show(got.Calls))
			}
			rest := got.Calls
			for _, want := range tt.calls {
				i := slices.IndexFunc(rest, func(c vectorCall) bool { return isCall(t, c, want) })
				if i < 0 {
					t.Fatalf("no %s in %s", want, show(got.Calls))
				}
				rest = rest[i+1:]
			}
		})
	}
}

// Files are read within bounds, however many scripts a line runs.
func TestDiskBounds(t *testing.T) {
	d := project()
	var line strings.Builder
	for i := range 500 {
		name := fmt.Sprintf("s%d.sh", i)
		d.files["/proj/"+name] = "ls\n"
		line.WriteString("./" + name + "\n")
	}
	r := request(line.String(), "", "")
	r.FS = d
	if Translate(r); d.reads > maxFiles {
		t.Errorf("%d files read", d.reads)
	}
	for i := range 20_000 {
		d.files[fmt.Sprintf("/proj/many/%d", i)] = ""
	}
	r.Command = "rm many/*"
	c := Translate(r).Calls[0]
	if b := c.CLI.Bounds; len(b) > 0 && len(b["many/*"].Exact) > 0 {
		t.Errorf("20,000 names are listed: %v", len(b["many/*"].Exact))
	}
}
