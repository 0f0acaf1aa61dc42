package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestVectorsFormula: formulas, errors and modes through formula --batch, with
// the mapping of vectors/README.md.
func TestVectorsFormula(t *testing.T) {
	needCommand(t, "formula")
	cases := readVectors(t, "formulas.jsonl", 1717)
	lines := make([]vector, len(cases))
	for i, c := range cases {
		lines[i] = formulaInput(c)
	}
	answers := batch(t, lines, "formula", "--batch")
	w := wrongAnswers{t: t, disputed: disputed(t)}
	for _, c := range cases {
		id := words(c["id"])
		var problem string
		switch words(c["kind"]) {
		case "error":
			problem = formulaError(c, answers[id])
		case "mode":
			problem = modeAnswers(c, answers[id])
		default:
			problem = formulaAnswers(c, answers[id])
		}
		w.add(id, show(c["f"]), problem)
	}
	w.end(len(cases))
}

func formulaInput(c vector) vector {
	switch words(c["kind"]) {
	case "error":
		return vector{"id": c["id"], "formula": c["f"], "trace": []any{}}
	case "mode":
		var script []any
		for _, e := range items(c["script"]) {
			entry := vector{}
			for k, v := range object(e) {
				if k != "want" {
					entry[k] = v
				}
			}
			script = append(script, entry)
		}
		return vector{"id": c["id"], "rules": c["rules"], "settings": c["settings"], "script": script}
	}
	calls, trace := items(c["calls"]), []any{}
	for _, i := range items(c["trace"]) {
		trace = append(trace, calls[number(i)])
	}
	return vector{"id": c["id"], "formula": c["f"], "trace": trace, "next": calls, "each": true}
}

func number(v any) int {
	n := 0
	_, _ = fmt.Sscan(fmt.Sprint(v), &n)
	return n
}

func formulaError(c, got vector) string {
	e := object(got["error"])
	if e["pos"] == nil || fmt.Sprint(e["pos"]) != fmt.Sprint(c["pos"]) {
		return fmt.Sprintf("error %s, want one at %s", show(got), show(c["pos"]))
	}
	return ""
}

// digits joins numbers and truths as the cases write them.
func digits(v any) string {
	var b strings.Builder
	for _, x := range items(v) {
		switch x {
		case true:
			b.WriteByte('1')
		case false:
			b.WriteByte('0')
		default:
			fmt.Fprint(&b, x)
		}
	}
	return b.String()
}

func formulaAnswers(c, got vector) string {
	for _, pair := range [][3]string{
		{words(c["p"]), words(got["text"]), "text"},
		{words(c["class"]), words(got["class"]), "class"},
		{words(c["reach"]), digits(got["reach"]), "reach"},
		{words(c["v"]), digits(got["verdicts"]), "verdicts"},
		{words(c["end"]), digits(got["finished"]), "finished"},
	} {
		if pair[0] != pair[1] {
			return fmt.Sprintf("%s %q, want %q", pair[2], pair[1], pair[0])
		}
	}
	if got["error"] != nil {
		return "error " + show(got["error"])
	}
	for n, want := range items(c["w"]) {
		var have []string
		for _, x := range items(at(got["witnesses"], n)) {
			have = append(have, fmt.Sprintf("%s=%v", object(x)["path"], object(x)["verdict"]))
		}
		if wanted := texts(want); !slices.Equal(have, wanted) {
			return fmt.Sprintf("witnesses of prefix %d: %q, want %q", n, have, wanted)
		}
	}
	for n := range items(c["nv"]) {
		if p := formulaNext(c, got, n); p != "" {
			return fmt.Sprintf("proposed after %d calls: %s", n, p)
		}
	}
	return ""
}

func at(v any, i int) any {
	if l := items(v); i < len(l) {
		return l[i]
	}
	return nil
}

// formulaNext compares the judgements of each call proposed after n calls.
func formulaNext(c, got vector, n int) string {
	nv, no := words(at(c["nv"], n)), words(at(c["no"], n))
	for j := range len(nv) {
		g := object(at(at(got["next"], n), j))
		if fmt.Sprint(g["verdict"]) != nv[j:j+1] {
			return fmt.Sprintf("call %d: verdict %v, want %s", j, g["verdict"], nv[j:j+1])
		}
		refused := no[j] == 'R'
		if isTrue(g["refused"]) != refused {
			return fmt.Sprintf("call %d: refused %v, want %v", j, g["refused"], refused)
		}
		key := fmt.Sprintf("%d.%d", n, j)
		var paths []string
		uncertain := false
		for _, w := range items(g["witnesses_new"]) {
			paths = append(paths, words(object(w)["path"]))
			uncertain = uncertain || isTrue(object(w)["uncertain"])
		}
		slices.Sort(paths)
		if want, ok := object(c["new"])[key]; ok && !slices.Equal(paths, texts(want)) {
			return fmt.Sprintf("call %d: new witnesses %q, want %q", j, paths, texts(want))
		}
		if refused && uncertain != slices.Contains(texts(c["unc"]), key) {
			return fmt.Sprintf("call %d: uncertain %v", j, uncertain)
		}
	}
	return ""
}

func modeAnswers(c, got vector) string {
	answers, script := items(got["answers"]), items(c["script"])
	if len(answers) != len(script) {
		return fmt.Sprintf("%d answers to %d entries: %s", len(answers), len(script), show(got))
	}
	for i, e := range script {
		want, have := object(object(e)["want"]), object(answers[i])
		for k, v := range want {
			if k == "notes" && want["override"] != nil {
				continue
			}
			if !equal(v, have[k]) {
				return fmt.Sprintf("entry %d: %s is %s, want %s (%s)", i, k, show(have[k]), show(v), show(have))
			}
		}
	}
	return ""
}
