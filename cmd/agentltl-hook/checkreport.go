package main

import (
	"fmt"
	"strings"

	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
)

// load reads the rule files anew, as a step of its own.
func (c *checker) load(s hooks.Step) (checked, error) {
	out := checked{Do: "load", Step: s.Text, OK: true}
	set, problems := c.pipeline.Load(c.dir)
	if len(problems) > 0 {
		out.Problems = problemList(problems)
		out.OK = s.Want == nil || s.Want.Load["ok"] == false
		if !out.OK {
			out.Reason = problems.Error()
		}
		if s.Want != nil && s.Want.Load["ok"] == false {
			out.Reason = loadProblemsDiffer(s.Want.Load["problems"], out.Problems)
			out.OK = out.Reason == ""
		}
		return out, nil
	}
	list := describeSet(set)
	out.Files, out.Rules, out.Settings = list.Files, list.Rules, list.Settings
	if s.Want != nil {
		out.Reason = loadDiffers(s.Want.Load, list)
		out.OK = out.Reason == ""
	}
	return out, nil
}

// report prints the steps: JSON, or a line each for people.
func (c *checker) report(all []checked, failed int) error {
	if c.e.JSON {
		if c.e.Name == "agentltl" {
			return cli.WriteJSON(c.e.Stdout, all)
		}
		return cli.WriteJSON(c.e.Stdout, struct {
			Version int       `json:"version"`
			Steps   []checked `json:"steps"`
			Failed  int       `json:"failed"`
		}{1, all, failed})
	}
	for _, r := range all {
		c.print(r)
	}
	if failed > 0 {
		fmt.Fprintf(c.e.Stdout, "%d of %s not as expected\n", failed, cli.Count(len(all), "step"))
	}
	return nil
}

func (c *checker) print(r checked) {
	w := c.e.Stdout
	word := r.Result
	switch r.Do {
	case "load":
		word = "load"
	case "start":
		word = "start"
	case "prompt", "session", "sleep", "disk":
		if !c.e.Quiet {
			fmt.Fprintf(w, "%-6s %s\n", r.Do, r.Step)
		}
		return
	}
	by := ""
	if r.Rule != nil {
		by = "  (" + *r.Rule + ", " + r.Mode + ")"
	}
	mark := ""
	if !r.OK {
		mark = "  NOT AS EXPECTED: " + strings.TrimPrefix(firstLine(r.Reason), "decision: ")
	} else if r.Expected != "" {
		mark = "  as expected"
	}
	step := strings.TrimPrefix(r.Step, "Bash ")
	fmt.Fprintf(w, "%-6s %s%s%s\n", word, step, by, mark)
	if c.e.Quiet {
		return
	}
	for _, text := range []string{r.explained(), r.Context} {
		if text != "" {
			fmt.Fprintf(w, "       %s\n", strings.ReplaceAll(text, "\n", "\n       "))
		}
	}
	for _, k := range r.Leaks {
		fmt.Fprintf(w, "       the output holds what looks like: %s\n", k)
	}
}

// explained is the refusal with what explains it. A first step is judged alone,
// as explain --call judges it; later ones depend on those before.
func (r *checked) explained() string {
	if r.I > 0 || r.Call == nil || r.Call.Tool != "Bash" || r.Action == "none" {
		return r.Text
	}
	line, ok := r.Call.Input["command"].(string)
	if !ok || r.Text == "" || strings.ContainsAny(line, "'\n") {
		return r.Text
	}
	return strings.TrimRight(r.Text, "\n") + "\nexplain: agentltl-hook explain --call '" + line + "'"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
