package rules

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestScripts(t *testing.T) {
	root := fstest.MapFS{
		".github/workflows/ci.yml": {Data: []byte(`on: push
jobs:
  test:
    steps:
      - uses: x/y@v1
      - run: go test ./...
      - name: two
        run: |
          make build
          echo ${{ github.sha }} > out
      - shell: pwsh
        run: Remove-Item x
`)},
		"Makefile":     {Data: []byte("all: x\n\t@echo hi\n\t-rm -rf $(OUT) ${B} $@ $$HOME \\\n\t  y\nVAR = 1\n")},
		"package.json": {Data: []byte("{\n  \"scripts\": {\n    \"test\": \"jest\",\n    \"build\": \"tsc && vite build\"\n  }\n}\n")},
	}
	want := []Script{
		{".github/workflows/ci.yml", 6, "go test ./..."},
		{".github/workflows/ci.yml", 8, "make build\necho $WORKFLOW_VALUE > out\n"},
		{"Makefile", 2, "echo hi"},
		{"Makefile", 3, "rm -rf $MAKE_VALUE $MAKE_VALUE $MAKE_VALUE $HOME \\\n  y"},
		{"package.json", 4, "tsc && vite build"},
		{"package.json", 3, "jest"},
	}
	if diff := cmp.Diff(want, Scripts(root)); diff != "" {
		t.Error(diff)
	}
}
