package rules

import (
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A stepScope is what holds for the steps below a place in a workflow.
type stepScope struct {
	shell   string            // named for them; "" is the runner's own
	windows bool              // the runner's own shell is no shell of ours
	env     map[string]string // variables with a value that is written out
}

// workflowScripts are the values of "run" anywhere in a workflow, those for other
// shells excepted. Variables of its env blocks whose value is written out are
// known: in ${{ env.X }}, and, where the text names them, exported in front of it.
func workflowScripts(name string, text []byte) []Script {
	root, err := parseYAML(text)
	if err != nil || root == nil {
		return nil
	}
	var out []Script
	var walk func(n *yaml.Node, in stepScope)
	walk = func(n *yaml.Node, in stepScope) {
		n = deref(n)
		if n.Kind != yaml.MappingNode {
			for _, c := range n.Content {
				walk(c, in)
			}
			return
		}
		in = in.enter(n)
		for _, f := range fields(n) {
			v := deref(f.node)
			switch {
			case f.key != "run" || v.Kind != yaml.ScalarNode:
				walk(f.node, in)
			case in.ours(v.Value):
				out = append(out, Script{File: name, Line: v.Line, Text: in.exports(v.Value) + in.fill(v.Value)})
			}
		}
	}
	walk(root, stepScope{})
	return out
}

// enter is the scope inside a mapping: a workflow, a job or a step.
func (in stepScope) enter(n *yaml.Node) stepScope {
	in.env = maps.Clone(in.env)
	if in.env == nil {
		in.env = map[string]string{}
	}
	for _, f := range fields(n) {
		v := deref(f.node)
		switch f.key {
		case "shell":
			in.shell = v.Value
		case "defaults":
			if sh := under(under(v, "run"), "shell"); sh != nil {
				in.shell = sh.Value
			}
		case "runs-on":
			in.windows = onlyWindows(v, under(under(n, "strategy"), "matrix"))
		case "if":
			in.windows = in.windows || ifWindows(v.Value)
		case "env":
			in.enterEnv(v)
		}
	}
	return in
}

func (in stepScope) enterEnv(v *yaml.Node) {
	if v.Kind != yaml.MappingNode {
		return
	}
	outer := stepScope{env: maps.Clone(in.env)}
	for _, f := range fields(v) {
		value := deref(f.node)
		delete(in.env, f.key)
		if s := outer.fill(value.Value); value.Kind == yaml.ScalarNode && !strings.Contains(s, "$") {
			in.env[f.key] = s
		}
	}
}

// under is the value of a key, or nil.
func under(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for _, f := range fields(n) {
		if f.key == key {
			return deref(f.node)
		}
	}
	return nil
}

// ours says whether a step's text is for a shell that is read.
func (in stepScope) ours(text string) bool {
	if in.shell != "" {
		return strings.HasPrefix(in.shell, "bash") || strings.HasPrefix(in.shell, "sh")
	}
	return !in.windows && !assignsPowerShell(text)
}

// assignsPowerShell finds a line "$Env:NAME = ...", which no shell of ours has.
func assignsPowerShell(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.ToLower(strings.TrimSpace(line))
		name, value, ok := strings.Cut(line, "=")
		if ok && value != "" && strings.HasPrefix(name, "$env:") && !strings.ContainsAny(strings.TrimSpace(name), " \t'\"") {
			return true
		}
	}
	return false
}

// onlyWindows says whether a job runs on Windows and nowhere else: by the labels
// of runs-on, or by all values of the matrix that it names.
func onlyWindows(runsOn, matrix *yaml.Node) bool {
	if runsOn.Kind != yaml.ScalarNode {
		return slices.ContainsFunc(runsOn.Content, func(c *yaml.Node) bool { return isWindows(deref(c).Value) })
	}
	_, key, ok := strings.Cut(runsOn.Value, "matrix.")
	if !ok {
		return isWindows(runsOn.Value)
	}
	key = strings.TrimRight(key, "} ")
	values := scalars(under(matrix, key))
	if extra := under(matrix, "include"); extra != nil {
		for _, c := range extra.Content {
			values = append(values, scalars(under(deref(c), key))...)
		}
	}
	return len(values) > 0 && !slices.ContainsFunc(values, func(s string) bool { return !isWindows(s) })
}

// scalars are a value, or the values of a list.
func scalars(n *yaml.Node) []string {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.ScalarNode:
		return []string{n.Value}
	}
	var out []string
	for _, c := range n.Content {
		if c = deref(c); c.Kind == yaml.ScalarNode {
			out = append(out, c.Value)
		}
	}
	return out
}

func isWindows(s string) bool { return strings.Contains(strings.ToLower(s), "windows") }

// ifWindows says whether a condition wants Windows: it names it, and negates
// nothing.
func ifWindows(cond string) bool {
	return isWindows(cond) && !strings.Contains(cond, "!") && !strings.Contains(cond, "||")
}

// exports are the variables that a text names, as the runner exports them.
func (in stepScope) exports(text string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(in.env)) {
		if namesVariable(text, name) {
			b.WriteString("export " + name + "='" + strings.ReplaceAll(in.env[name], "'", `'\''`) + "'\n")
		}
	}
	return b.String()
}

// namesVariable says whether $NAME or ${NAME...} stands in a text.
func namesVariable(text, name string) bool {
	for i := range len(text) {
		if text[i] != '$' {
			continue
		}
		rest, ok := strings.CutPrefix(strings.TrimPrefix(text[i+1:], "{"), name)
		if ok && (rest == "" || !isWordByte(rest[0])) {
			return true
		}
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// fill writes what an expression ${{ .. }} is, if the workflow says it or the
// runner has a variable for it, and else a variable, which is as unknown to a
// reader of the shell.
func (in stepScope) fill(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "${{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		inside, after, ok := strings.Cut(rest, "}}")
		if !ok {
			return b.String()
		}
		inside = strings.TrimSpace(inside)
		name, isEnv := strings.CutPrefix(inside, "env.")
		value, known := in.env[name]
		switch {
		case isEnv && known:
			b.WriteString(value)
		case inside == "github.workspace":
			b.WriteString("${GITHUB_WORKSPACE}")
		case inside == "runner.temp":
			b.WriteString("${RUNNER_TEMP}")
		default:
			b.WriteString("$WORKFLOW_VALUE")
		}
		s = after
	}
}
