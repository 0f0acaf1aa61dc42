package main

import (
	"fmt"
	"strings"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/trace"
)

// loaded is what rule files come to, as the load step of check prints it.
type loaded struct {
	Files    []string       `json:"files"`
	Rules    []loadedRule   `json:"rules"`
	Settings map[string]any `json:"settings"`
}

type loadedRule struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Mode    string `json:"mode"`
	Scope   string `json:"scope"`
	Layer   string `json:"layer"`
	From    string `json:"from"`
	Line    int    `json:"line,omitempty"`
	Summary string `json:"summary"`
}

func describeSet(set *rules.Set) loaded {
	l := loaded{Files: []string{}, Rules: []loadedRule{}}
	for _, f := range set.Files {
		l.Files = append(l.Files, f.Path)
	}
	for i := range set.Rules {
		r := &set.Rules[i]
		l.Rules = append(l.Rules, loadedRule{
			ID: r.ID, Kind: r.Kind, Mode: r.Mode.String(), Scope: r.Scope.String(), Layer: r.Layer.String(),
			From: r.Source, Line: r.Pos.Line, Summary: r.Summary,
		})
	}
	s := &set.Settings
	l.Settings = map[string]any{
		"retries": s.Retries, "retry_counting": s.RetryCounting, "report": s.Report, "finish_retries": s.FinishRetries,
		"unparseable": map[string]any{"interactive": s.UnparseableAsked.String(), "auto": s.UnparseableAuto.String()},
		"announce":    s.Announce, "scan_output": s.ScanOutput, "memory_first": s.MemoryFirst, "on_error": s.OnError,
		"max_line": s.MaxLine, "announce_max": s.AnnounceMax, "shadow": s.Shadow, "exceptions": s.Exceptions,
		"project_memory": s.ProjectMemory,
	}
	return l
}

func problemList(problems rules.Problems) []checkedProblem {
	out := make([]checkedProblem, len(problems))
	for i, p := range problems {
		out[i] = checkedProblem{File: p.Pos.File, Line: p.Pos.Line, Rule: p.Rule, Message: p.Msg}
	}
	return out
}

// loadDiffers says where loaded files are not what a step wants; "" if they are.
func loadDiffers(want map[string]any, got loaded) string {
	if want["ok"] == false {
		return "the files load, problems were expected"
	}
	if files, ok := want["files"].([]any); ok && fmt.Sprint(files) != fmt.Sprint(got.Files) {
		return fmt.Sprintf("files %v, expected %v", got.Files, files)
	}
	if list, ok := want["rules"].([]any); ok {
		if len(list) != len(got.Rules) {
			return fmt.Sprintf("%d rules, expected %d", len(got.Rules), len(list))
		}
		for i, w := range list {
			r := got.Rules[i]
			have := map[string]any{"id": r.ID, "kind": r.Kind, "mode": r.Mode, "scope": r.Scope, "from": r.From, "layer": r.Layer}
			m, _ := w.(map[string]any)
			for k, v := range m {
				if have[k] != v {
					return fmt.Sprintf("rule %d: %s is %v, expected %v", i, k, have[k], v)
				}
			}
		}
	}
	settings, _ := want["settings"].(map[string]any)
	for k, v := range settings {
		have := got.Settings[k]
		if half, ok := strings.CutPrefix(k, "unparseable_"); ok {
			have = got.Settings["unparseable"].(map[string]any)[half]
		}
		if fmt.Sprint(have) != fmt.Sprint(v) {
			return fmt.Sprintf("settings.%s is %v, expected %v", k, have, v)
		}
	}
	return ""
}

// loadProblemsDiffer holds problems against what a step wants of them.
func loadProblemsDiffer(want any, got []checkedProblem) string {
	list, _ := want.([]any)
	if want == nil {
		return ""
	}
	if len(list) != len(got) {
		return fmt.Sprintf("%d problems, expected %d", len(got), len(list))
	}
	for i, w := range list {
		m, _ := w.(map[string]any)
		if m["line"] != nil && trace.Canonical(m["line"]) != fmt.Sprint(got[i].Line) {
			return fmt.Sprintf("problem %d is at line %d, expected %v", i, got[i].Line, m["line"])
		}
		text := strings.ToLower(got[i].File + " " + got[i].Rule + " " + got[i].Message)
		about, _ := m["about"].([]any)
		for _, a := range about {
			if s, _ := a.(string); !strings.Contains(text, strings.ToLower(s)) {
				return fmt.Sprintf("problem %d does not speak of %q", i, s)
			}
		}
	}
	return ""
}
