package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// A pkg is what go list says of one package of ours.
type pkg struct {
	ImportPath string
	Name       string
	Imports    []string
	Standard   bool
}

// list runs go list for system in the module's root.
func list(t *testing.T, system string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}

func packages(t *testing.T) []pkg {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(list(t, "linux", "-json=ImportPath,Name,Imports,Standard", "./...")))
	var all []pkg
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list named %d packages only", len(all))
	}
	return all
}

// own cuts the module path; ok is false for a package that is not ours.
func own(importPath string) (string, bool) {
	return strings.CutPrefix(importPath, Module+"/")
}

// row finds the row of Allowed for a package, "harness/codex" by "harness/*".
func row(name string) ([]string, bool) {
	if r, ok := Allowed[name]; ok {
		return r, true
	}
	r, ok := Allowed[path.Dir(name)+"/*"]
	return r, ok
}

func allowed(row []string, imported string) bool {
	return slices.Contains(row, imported) || slices.Contains(row, path.Dir(imported)+"/*")
}

func TestOwnImports(t *testing.T) {
	for _, p := range packages(t) {
		name, ok := own(p.ImportPath)
		if !ok || p.Name == "main" && !strings.HasPrefix(name, "cmd/") || slices.Contains(TestOnly, name) {
			continue // generators and bench programs: nothing links them
		}
		r, known := row(name)
		if !known && !slices.Contains(Leaves, name) {
			t.Errorf("package %s has no row in layers.go, Allowed", name)
			continue
		}
		for _, imp := range p.Imports {
			imported, ok := own(imp)
			if !ok || slices.Contains(Leaves, imported) && !slices.Contains(Leaves, name) {
				continue
			}
			if !allowed(r, imported) {
				t.Errorf("%s imports %s: change the code, or in layers.go the row\n\t%q: {..., %q}",
					name, imported, name, imported)
			}
		}
	}
}

func TestThirdPartyImports(t *testing.T) {
	for _, p := range packages(t) {
		name, ok := own(p.ImportPath)
		if !ok || p.Name == "main" && !strings.HasPrefix(name, "cmd/") {
			continue
		}
		for _, imp := range p.Imports {
			first, _, _ := strings.Cut(imp, "/")
			if _, ours := own(imp); ours || !strings.Contains(first, ".") {
				continue
			}
			if !thirdPartyAllowed(name, imp) {
				t.Errorf("%s imports %s: change the code, or in layers.go ThirdParty (and measure the start-up first)", name, imp)
			}
		}
	}
}

func thirdPartyAllowed(name, imp string) bool {
	for prefix, users := range ThirdParty {
		if (imp == prefix || strings.HasPrefix(imp, prefix+"/")) && slices.Contains(users, name) {
			return true
		}
	}
	return false
}

// TestRowsNameRows finds misspelt names: what a row allows has a row of its own.
// (A row may wait for its package.)
func TestRowsNameRows(t *testing.T) {
	for name, imports := range Allowed {
		for _, imp := range imports {
			if _, ok := Allowed[imp]; !ok {
				t.Errorf("row %s names %s, which has no row", name, imp)
			}
		}
	}
	for prefix, users := range ThirdParty {
		for _, u := range users {
			if _, ok := Allowed[u]; !ok && !slices.Contains(Leaves, u) {
				t.Errorf("ThirdParty %s names %s, which has no row", prefix, u)
			}
		}
	}
}

func TestHookProgramStaysSmall(t *testing.T) {
	for _, system := range Systems {
		deps := strings.Fields(string(list(t, system, "-deps", "./cmd/agentltl-hook")))
		if !slices.Contains(deps, "github.com/spf13/cobra") {
			t.Fatalf("%s: the list of dependencies is not one: %d entries", system, len(deps))
		}
		for _, bad := range Unlinked {
			if slices.Contains(deps, bad) {
				t.Errorf("%s: cmd/agentltl-hook links %s", system, bad)
			}
		}
	}
}
