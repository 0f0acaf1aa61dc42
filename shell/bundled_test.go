package shell

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// BenchmarkBundled reads three typical commands, with their specs decoded
// before (warm) and not (cold: what a hook process pays).
func BenchmarkBundled(b *testing.B) {
	for _, line := range [][]string{{"git", "push", "--force", "origin", "main"}, {"rm", "-rf", "build"}, {"kubectl", "delete", "pod", "x"}} {
		var words []spec.Word
		for _, t := range line {
			words = append(words, spec.Word{Text: t, Known: true})
		}
		b.Run(line[0]+"/warm", func(b *testing.B) {
			for b.Loop() {
				Bundled().Parse(words)
			}
		})
		b.Run(line[0]+"/cold", func(b *testing.B) {
			for b.Loop() {
				spec.NewSet(packIndex, packData, packPaths).Parse(words)
			}
		})
	}
}

// The specs are written with encoding/json and read without it.
func TestBundledReadsAsWritten(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("packs.gen.json")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var want, got spec.Command
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		if _, err := trace.DecodeStruct(line, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(spec.Command{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-written +read):\n%s", line, diff)
		}
	}
	if n < 1000 {
		t.Errorf("%d records", n)
	}
}
