package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

var vectorFolders = []string{"--cwd", "/proj", "--root", "/proj", "--home", "/home/dev"}

func translateAll(t *testing.T, cases []vector) map[string]vector {
	t.Helper()
	lines := make([]vector, len(cases))
	for i, c := range cases {
		lines[i] = only(c, "id", "command", "cwd", "dialect", "kind", "cat", "note", "expect")
	}
	return batch(t, lines, append([]string{"translate", "--batch"}, vectorFolders...)...)
}

// TestVectorsShell: what the peer confirms (vectors/README.md, shell.jsonl).
func TestVectorsShell(t *testing.T) {
	needCommand(t, "translate")
	cases := readVectors(t, "shell.jsonl", 1284)
	answers := translateAll(t, cases)
	w := wrongAnswers{t: t, disputed: disputed(t)}
	for _, c := range cases {
		id := words(c["id"])
		w.add(id, words(c["command"]), peerLine(object(c["expect"]), answers[id]))
	}
	w.end(len(cases))
}

// peerLine compares one answer with the peer's; "" if they agree.
func peerLine(want, got vector) string {
	if got["error"] != nil {
		return "error: " + show(got["error"])
	}
	unresolved := items(got["unresolved"])
	if isTrue(want["error"]) {
		if len(unresolved) == 0 {
			return "nothing unresolved in a line that cannot be read"
		}
		return ""
	}
	if len(unresolved) > 0 {
		return "unresolved: " + show(unresolved)
	}
	var calls []vector
	for _, c := range items(got["calls"]) {
		if object(object(c)["cli"])["remote"] == nil { // the peer never lists these
			calls = append(calls, object(c))
		}
	}
	wanted := items(want["calls"])
	if len(calls) != len(wanted) {
		return fmt.Sprintf("%d calls, want %d: %s", len(calls), len(wanted), show(calls))
	}
	for i := range calls {
		if p := peerCall(object(wanted[i]), calls[i]); p != "" {
			return fmt.Sprintf("call %d: %s", i, p)
		}
	}
	return ""
}

func peerCall(want, got vector) string {
	form, primary := vector(nil), false
	if sameForm(want, got) {
		form, primary = got, true
	} else {
		for _, f := range items(got["forms"]) {
			if sameForm(want, object(f)) {
				form = object(f)
				break
			}
		}
	}
	if form == nil {
		return fmt.Sprintf("got %s %s, want %s %s", got["tool"], show(got["args"]), want["tool"], show(want["args"]))
	}
	wcli, gcli := object(want["cli"]), object(got["cli"])
	keys := []string{"operator", "conditional", "repeated", "pipeline", "depth", "wrapper", "env", "dynamic_args", "redirects"}
	if primary {
		keys = append(keys, "spec_matched")
	}
	for _, k := range keys {
		if !equal(wcli[k], gcli[k]) {
			return fmt.Sprintf("cli.%s is %s, want %s", k, show(gcli[k]), show(wcli[k]))
		}
	}
	return ""
}

// sameForm: the tool, and every argument that want names.
func sameForm(want, got vector) bool {
	return want["tool"] == got["tool"] && argsHold(object(want["args"]), object(got["args"]))
}

func argsHold(want, got vector) bool {
	for k, v := range want {
		if k == "unknown_paths" {
			if !equalSets(v, got[k]) {
				return false
			}
		} else if !equal(v, got[k]) {
			return false
		}
	}
	return true
}

// TestVectorsShellBeyond: where we go beyond the peer.
func TestVectorsShellBeyond(t *testing.T) {
	needCommand(t, "translate")
	cases := readVectors(t, "shell-beyond.jsonl", 387)
	answers := translateAll(t, cases)
	w := wrongAnswers{t: t, disputed: disputed(t)}
	for _, c := range cases {
		id := words(c["id"])
		w.add(id, words(c["command"]), beyondLine(object(c["expect"]), answers[id]))
	}
	w.end(len(cases))
}

func beyondLine(want, got vector) string {
	if got["error"] != nil {
		return "error: " + show(got["error"])
	}
	var codes []any
	for _, u := range items(got["unresolved"]) {
		codes = append(codes, object(u)["code"])
	}
	if !equalSets(want["unresolved"], codes) {
		return fmt.Sprintf("unresolved %s, want %s", show(got["unresolved"]), show(want["unresolved"]))
	}
	calls := items(got["calls"])
	if wanted, ok := want["calls"].([]any); ok {
		if len(calls) != len(wanted) {
			return fmt.Sprintf("%d calls, want %d: %s", len(calls), len(wanted), show(calls))
		}
		for i := range wanted {
			if p := beyondCall(object(wanted[i]), object(calls[i])); p != "" {
				return fmt.Sprintf("call %d: %s", i, p)
			}
		}
	}
	for _, e := range items(want["effects"]) {
		if !hasEffect(calls, object(e)) {
			return "no effect " + show(e) + " in " + show(calls)
		}
	}
	return ""
}

func beyondCall(want, got vector) string {
	if want["tool"] != got["tool"] {
		return fmt.Sprintf("tool %s, want %s", got["tool"], want["tool"])
	}
	if !argsHold(object(want["args"]), object(got["args"])) {
		return fmt.Sprintf("args %s, want %s", show(got["args"]), show(want["args"]))
	}
	gcli := object(got["cli"])
	for k, v := range object(want["cli"]) {
		if k == "fields" {
			for f, certainty := range object(v) {
				if object(gcli["fields"])[f] != certainty {
					return fmt.Sprintf("cli.fields %s, want %s", show(gcli["fields"]), show(v))
				}
			}
			continue
		}
		if !equal(v, zeroFor(gcli[k], v)) {
			return fmt.Sprintf("cli.%s is %s, want %s", k, show(gcli[k]), show(v))
		}
	}
	return ""
}

// zeroFor reads a key that was left out as the zero value of what is wanted.
func zeroFor(got, want any) any {
	if got != nil {
		return got
	}
	switch want.(type) {
	case bool:
		return false
	case string:
		return ""
	}
	return got
}

func hasEffect(calls []any, want vector) bool {
	for _, c := range calls {
		for _, e := range items(object(c)["effects"]) {
			all := true
			for k, v := range want {
				all = all && equal(zeroFor(object(e)[k], v), v)
			}
			if all {
				return true
			}
		}
	}
	return false
}

// TestVectorsBashTruth: what real shells ran is listed, or the line is
// unresolved; none that is known is.
func TestVectorsBashTruth(t *testing.T) {
	needCommand(t, "translate")
	cases := readVectors(t, "bash-truth.jsonl", 1000)
	answers := translateAll(t, cases)
	w := wrongAnswers{t: t, disputed: disputed(t)}
	unresolved := 0
	for _, c := range cases {
		id := words(c["id"])
		got := answers[id]
		problem := ""
		switch n := len(items(got["unresolved"])); {
		case n > 0 && isTrue(c["known"]):
			problem = "known, yet unresolved: " + show(got["unresolved"])
		case n > 0:
			unresolved++
		default:
			problem = allRanListed(c, got)
		}
		w.add(id, words(c["command"]), problem)
	}
	w.end(len(cases))
	// 12 % is not to be had by the rules themselves: testdata/disputed.md.
	if limit := 131; unresolved > limit {
		t.Errorf("%d of %d lines are unresolved, at most %d may be", unresolved, len(cases), limit)
	}
}

// allRanListed: each program that ran is among the calls.
func allRanListed(c, got vector) string {
	var names []string
	for _, call := range items(got["calls"]) {
		names = append(names, callNames(object(call))...)
	}
	for _, r := range items(c["ran"]) {
		argv := texts(r)
		if len(argv) == 0 {
			continue
		}
		program := path.Base(argv[0])
		if !slices.ContainsFunc(names, func(n string) bool { return programIs(n, program) }) {
			return fmt.Sprintf("ran %q, which is not among %q", argv, names)
		}
	}
	return ""
}

// callNames are the tools a call goes by, in all its forms.
func callNames(call vector) []string {
	names := []string{words(call["tool"])}
	for _, f := range items(call["forms"]) {
		names = append(names, words(object(f)["tool"]))
	}
	return names
}

// programIs says whether a tool is a call of the program: git_push of git.
func programIs(tool, program string) bool {
	if program == "[" {
		program = "test"
	}
	program = strings.NewReplacer("-", "_", ".", "_").Replace(program)
	return tool == program || strings.HasPrefix(tool, program+"_") || tool == "unknown_command" || strings.HasPrefix(program, tool)
}
