package rules

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// makefileText has variables that are set, set later, not set, and make's own.
const makefileText = `all: x
	@echo hi
	-rm -rf $(OUT) ${B} $@ $$HOME \
	  y
OUT = $(DIR)/x
DIR ?= out
DIR ?= other
define note
	not a recipe
endef
%.o: %.c
	$(GO) build -o $@ $(wildcard *.c)
	$(GO) build -tags $(TAGS) $(shell git rev-parse HEAD)
	$(MAKE) sub
FILES := $(shell \
	find . )
TAGS = a
TAGS += b # two
GO = go
`

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
		"Makefile":     {Data: []byte(makefileText)},
		"package.json": {Data: []byte("{\n  \"scripts\": {\n    \"test\": \"jest\",\n    \"build\": \"tsc && vite build\"\n  }\n}\n")},
	}
	want := []Script{
		{".github/workflows/ci.yml", 6, "go test ./..."},
		{".github/workflows/ci.yml", 8, "make build\necho $WORKFLOW_VALUE > out\n"},
		{"Makefile", 2, "echo hi"},
		{"Makefile", 3, "rm -rf out/x  all $HOME \\\n  y"},
		{"Makefile", 13, "go build -tags a b $(git rev-parse HEAD)"},
		{"Makefile", 14, "make sub"},
		{"package.json", 4, "tsc && vite build"},
		{"package.json", 3, "jest"},
	}
	if diff := cmp.Diff(want, Scripts(root)); diff != "" {
		t.Error(diff)
	}
}
