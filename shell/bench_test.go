package shell

import (
	"fmt"
	"strings"
	"testing"
)

// typical are lines as agents write them.
var typical = []string{
	"git status",
	"cd app && npm install left-pad && npm test -- --watch=false",
	"git add -A && git commit -m \"Fix the parser\" && git push origin main",
	"grep -rn TODO src | head -20",
	"for f in a.go b.go; do gofmt -w \"$f\"; done; rm -rf build/tmp",
}

func BenchmarkTranslate(b *testing.B) {
	for i, line := range typical {
		b.Run(fmt.Sprint(i+1), func(b *testing.B) {
			r := request(line, "", "")
			Translate(r)
			b.ReportAllocs()
			for b.Loop() {
				Translate(r)
			}
		})
	}
}

func BenchmarkLongLine(b *testing.B) {
	for name, line := range longLines() {
		b.Run(name, func(b *testing.B) {
			r := request(line, "", "")
			for b.Loop() {
				Translate(r)
			}
		})
	}
}

// longLines are as long as a line may be.
func longLines() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, (maxLine-4096)/len(s)) }
	return map[string]string{
		"commands":     fill("rm a;"),
		"words":        "rm " + fill("a "),
		"quoted":       "echo '" + fill("x y ") + "'",
		"variables":    "A=b;" + fill("rm $A;"),
		"assignments":  fill("A=$A;"),
		"pipes":        "a" + fill("|b"),
		"ands":         "a" + fill("&&b"),
		"substitution": fill("$(a);"),
		"if":           strings.Repeat("if a;then ", 4000) + "b" + strings.Repeat(";fi", 4000),
		"loops":        strings.Repeat("while a;do ", 4000) + "b" + strings.Repeat(";done", 4000),
		"unrolled":     strings.Repeat("for x in 1 2 3 4 5 6 7 8;do ", 1500) + "b" + strings.Repeat(";done", 1500),
		"functions":    "f0(){ a;};" + manyFunctions(2000) + "f1999",
		"braces":       fill("{a,b}{c,d}{e,f} "),
		"here":         fill("cat <<E\nE\n"),
		"negations":    fill("! "),
		"brackets":     strings.Repeat("(", 190) + "a" + strings.Repeat(")", 190),
		"case":         strings.Repeat("case a in b) ", 4000) + "c" + strings.Repeat(" ;; esac", 4000),
		"arithmetic":   "echo $((" + fill("1+") + "1))",
		"trap":         fill("trap 'a $B' 0;B=1;"),
		"replace":      "A=" + strings.Repeat("a*", 1000) + ";" + fill("x ${A//a*a*a*a/b};"),
		"bash -c":      fill("bash -c 'a b';"),
	}
}

func manyFunctions(n int) string {
	var b strings.Builder
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "f%d(){ f%d;f%d;};", i, i-1, i-1)
	}
	return b.String()
}
