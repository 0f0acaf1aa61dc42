//go:build faultpoints

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A step is one hook event of the story that is killed at each fault point.
type faultStep struct{ event, payload string }

func faultStory(p *reportProject) []faultStep {
	bash := func(event, id, line string) faultStep {
		m := vector{"tool_name": "Bash", "tool_use_id": id, "tool_input": vector{"command": line}}
		if event == "PostToolUse" {
			m["tool_response"] = vector{"stdout": "fine"}
		}
		return faultStep{event, p.claude(event, m)}
	}
	return []faultStep{
		{"SessionStart", p.claude("SessionStart", vector{"source": "startup"})},
		bash("PreToolUse", "c1", "deploy one"), // reserves
		bash("PostToolUse", "c1", "deploy one"),
		bash("PreToolUse", "c2", "make clean"), // a warn refusal: the pointer is kept
		bash("PreToolUse", "c3", "make clean"),
		bash("PostToolUse", "c3", "make clean"),
		{"Stop", p.claude("Stop", vector{"stop_hook_active": false})},
		{"UserPromptSubmit", p.claude("UserPromptSubmit", vector{"prompt": "go on"})},
		bash("PreToolUse", "c4", "git push"), // latches
		{"UserPromptSubmit", p.claude("UserPromptSubmit", vector{"prompt": "go on"})},
		bash("PreToolUse", "c5", "lint"),
		bash("PostToolUse", "c5", "lint"),
	}
}

const faultRules = `rules:
  - {id: two-deploys, at_most: {call: deploy, times: 2}}
  - {id: careful, mode: warn, never: {tool: make, with: {argv: clean}}}
  - {id: frozen, mode: stop, never: git_push}
  - {id: staging-first, scope: project, before: [stage, release]}
`

// killedHook runs one event with AGENTLTL_FAULT set.
func (p *reportProject) killedHook(fault string, s faultStep) (killed bool, out string) {
	p.t.Helper()
	cmd := programCommand(p.t, p.root, "hook", "claude-code", s.event)
	cmd.Env = append(p.env(), "AGENTLTL_FAULT="+fault)
	cmd.Stdin = strings.NewReader(s.payload)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	err := cmd.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() < 0, stdout.String()
}

// TestFaultPoints kills each event of the story at each point of the store it
// passes. The event comes again, as a harness's retry or the next start would
// bring it; in the end the trace holds each call that ran once, and the last
// answers are those of an undisturbed run.
func TestFaultPoints(t *testing.T) {
	calm := newReportProject(t, vector{"kind": "hook", "rules": faultRules})
	var points []string // "step point"
	var answers []string
	for i, s := range faultStory(calm) {
		list := filepath.Join(t.TempDir(), "points")
		_, out := calm.killedHook("list:"+list, s)
		answers = append(answers, withoutNumbers(out))
		data, err := os.ReadFile(list)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for point := range strings.Lines(string(data)) {
			if key := fmt.Sprintf("%d %s", i, strings.TrimSpace(point)); !slices.Contains(points, key) {
				points = append(points, key)
			}
		}
	}
	want := calm.trace()
	if len(points) < 10 || len(want) != 3 {
		t.Fatalf("%d fault points, %q in the trace", len(points), want)
	}
	t.Logf("%d fault points", len(points))
	for _, key := range points {
		number, point, _ := strings.Cut(key, " ")
		t.Run(strings.ReplaceAll(key, " ", "-"), func(t *testing.T) {
			p := newReportProject(t, vector{"kind": "hook", "rules": faultRules})
			killed := false
			for i, s := range faultStory(p) {
				if fmt.Sprint(i) == number {
					killed, _ = p.killedHook(point, s)
				}
				_, out := p.killedHook("", s)
				if got := withoutNumbers(out); got != answers[i] {
					t.Errorf("event %d answers %s, want %s", i, got, answers[i])
				}
			}
			if !killed {
				t.Error("the process was not killed")
			}
			if got := p.trace(); !slices.Equal(got, want) {
				t.Errorf("the trace is %q, want %q", got, want)
			}
		})
	}
}

// withoutNumbers drops the decision's number, which a killed attempt may have
// taken, and the line for the person, which says once what is new: an attempt
// killed after its commit has said it, as far as the store knows.
func withoutNumbers(out string) string {
	head, _, _ := strings.Cut(personLine.ReplaceAllString(out, ""), "explain ")
	return head
}

var personLine = regexp.MustCompile(`"systemMessage":"[^"]*",?`)

// trace lists the sources of the recorded calls.
func (p *reportProject) trace() []string {
	p.t.Helper()
	cmd := programCommand(p.t, p.root, "trace", "--json", "--session", "s1")
	cmd.Env = p.env()
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("trace: %v", err)
	}
	var lines []string
	for _, c := range items(decodeVector(p.t, out)["calls"]) {
		lines = append(lines, words(object(c)["source"]))
	}
	return lines
}
