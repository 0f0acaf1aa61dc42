package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Where a shell stands, what variables hold and what that changes.
func TestState(t *testing.T) {
	tests := []struct{ line, last, effects string }{
		{`cd a && rm x`, `rm {"paths":["/proj/a/x"]}`, "maybe delete /proj/a/x"},
		{`cd a; rm x`, `rm {} {"fields":{"paths":"maybe-cwd"},"bounds":{"/proj/a/x":{"exact":["/proj/a/x","/proj/x"]}}}`, "maybe delete /proj/a/x, maybe delete /proj/x"},
		{`cd a || exit; rm x`, `rm {"paths":["/proj/a/x"]}`, "sure delete /proj/a/x"},
		{`set -e; cd a; rm x`, `rm {"paths":["/proj/a/x"]}`, "sure delete /proj/a/x"},
		{`D=$(cd a && pwd); rm "$D/x"`, `rm {} {"bounds":{"$D/x":{"exact":["/proj/a/x","/x"]}}}`, "maybe delete /proj/a/x, maybe delete /x"},
		{`D=$(pwd; pwd); rm "$D/x"`, `rm {"unknown_paths":["paths"]}`, "maybe delete $D/x"},
		{`set -e; D=$(cd a; pwd); rm "$D/x"`, `rm {"unknown_paths":["paths"]}`, "maybe delete $D/x"},
		{`find . -name '*.c' | while IFS= read -r f; do cc "$f"; rm "$f"; done`, `rm {} {"bounds":{"$f":{"within":["/proj/*.c","/proj/*/*.c"]}}}`, "maybe delete /proj/*.c, maybe delete /proj/*/*.c"},
		{`find . -name x -print0 | while read -r -d '' f; do rm "$f"; done`, `rm {} {"bounds":{"$f":{"within":["/proj/x","/proj/*/x"]}}}`, "maybe delete /proj/x, maybe delete /proj/*/x"},
		{`printf 'a\nb\n' | while read f; do rm "$f"; done`, `rm {} {"bounds":{"$f":{"exact":["/proj/a","/proj/b"]}}}`, "maybe delete /proj/a, maybe delete /proj/b"},
		{`while read -r f; do :; done <<< a; rm "$f/x"`, `rm {"unknown_paths":["paths"],"paths":["$f/x"]}`, "maybe delete $f/x"},
		{`ls d | while read f; do head -c1; rm "$f"; done`, `rm {"unknown_paths":["paths"]}`, "maybe delete $f"},
		{`ls d | while read -n1 f; do rm "$f"; done`, `rm {"unknown_paths":["paths"]}`, "maybe delete $f"},
		{`printf 'a\n' | { read f; rm "$f"; }`, `rm {"unknown_paths":["paths"]}`, "maybe delete $f"},
		{`if c; then cd a; fi; rm x`, `rm {"unknown_paths":["paths"]}`, "maybe delete /proj/x"},
		{`(cd a); rm x`, `rm {"paths":["/proj/x"]}`, "sure delete /proj/x"},
		{`cd a | cat; rm x`, `rm {"paths":["/proj/x"]}`, "sure delete /proj/x"},
		{`cd "$X"; rm x`, `rm {"unknown_paths":["paths"]}`, "maybe delete /proj/x"},
		{`for f in a b; do rm $f; done`, `rm {"paths":["/proj/b"]}`, "sure delete /proj/b"},
		{`for f in *.go src/*.c; do rm "$f"; done`, `rm {} {"bounds":{"$f":{"within":["/proj/*.go","/proj/src/*.c"]}}}`, "maybe delete /proj/*.go, maybe delete /proj/src/*.c"},
		{`if c; then V=a; else V=b; fi; rm "$V"`, `rm {"paths":["$V"],"unknown_paths":["paths"]}`, "maybe delete /proj/b, maybe delete /proj/a"},
		{`export A=x; (A=y); rm $A`, `rm {"paths":["/proj/x"]}`, "sure delete /proj/x"},
		{`A=x; f() { A=y; }; f; rm $A`, `rm {"paths":["/proj/y"]}`, "sure delete /proj/y"},
		{`A=x; f() { local A=y; }; f; rm $A`, `rm {"paths":["/proj/x"]}`, "sure delete /proj/x"},
		{`rm "$X.log"`, `rm {} {"bounds":{"$X.log":{"within":["/*.log"]}}}`, "maybe delete /*.log"},
		{`ls > out 2>&1`, `ls {"overwrite_to":["/proj/out"]}`, "sure truncate /proj/out"},
		{`rm x & `, `rm {} {"background":true}`, "sure delete /proj/x"},
		{`false && rm x`, `rm {} {"conditional":true}`, "maybe delete /proj/x"},
		{`ssh h rm x`, `rm {"paths":["x"]} {"remote":"host"}`, "maybe delete x"},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			r := Translate(request(tt.line, "", ""))
			got := asVector(t, r)
			if last := got.Calls[len(got.Calls)-1]; !isCall(t, last, tt.last) {
				t.Errorf("got %s %v, want %s", show([]vectorCall{last}), last.CLI, tt.last)
			}
			var effects []string
			for _, e := range r.Calls[len(r.Calls)-1].Effects {
				effects = append(effects, fmt.Sprint(e.Certainty, " ", e.Op, " ", e.Target))
			}
			if s := strings.Join(effects, ", "); s != tt.effects {
				t.Errorf("effects %q, want %q", s, tt.effects)
			}
		})
	}
}

// The same line gives the same answer, also where maps are walked.
func TestSameAnswer(t *testing.T) {
	line := `declare -A m=([a]=x [b]=y); for k in "${!m[@]}"; do rm "${m[$k]}"; done; rm "${m[@]}"; f() { rm 1; }; g() { rm 2; }; alias a='rm 3' b='rm 4'`
	want := show(asVector(t, Translate(request(line, "", ""))).Calls)
	if !slices.ContainsFunc(make([]struct{}, 30), func(struct{}) bool {
		return show(asVector(t, Translate(request(line, "", ""))).Calls) != want
	}) {
		return
	}
	t.Error("another answer the second time")
}
