package shell

import (
	"testing"

	"github.com/agentltl/agentltl-hook/shell/spec"
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
