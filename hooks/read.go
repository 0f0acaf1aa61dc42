package hooks

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/trace"
)

// A reading is an event's calls as they are judged and recorded.
type reading struct {
	guard.Proposal
	looked bool // what a line runs depended on files, which may be gone when it has run
	moves  bool // it changes the working directory of later calls
}

// read turns the event's native calls into one proposal: shell lines become
// chains, paths of other tools absolute.
func (r *run) read(base shell.Request) reading {
	e := &r.e
	out := reading{Proposal: guard.Proposal{ID: e.ID, Batch: e.Batch, Agent: e.Agent, Key: nativeKey(r.p.Profile, e.Calls)}}
	for _, c := range e.Calls {
		if c.Dir == "" {
			c.Dir = e.Dir
		}
		arg, isShell := r.p.Profile.ShellTools[c.Tool]
		if !isShell {
			c = native(c, r.homeOf(c.Tool))
			if !r.p.NoDisk && realNames(&c, &disk{}) {
				out.looked = true
			}
			out.Calls = append(out.Calls, r.stamp(c))
			continue
		}
		r.readLine(&out, c, arg, base)
	}
	return out
}

// homeOf is what a leading "~" in a path of that tool means; "": nothing. Tools
// of an MCP server may know it where the harness does not.
func (r *run) homeOf(tool string) string {
	if r.p.Profile.PlainTilde && !strings.HasPrefix(tool, "mcp__") {
		return ""
	}
	return r.p.Home
}

// request is what reading a line of this event starts from.
func (r *run) request() shell.Request {
	return shell.Request{Specs: r.set.Specs(), MaxLine: r.set.Settings().MaxLine, Fresh: r.p.Profile.FreshShell}
}

// stamp fills in what every call of the event shares.
func (r *run) stamp(c trace.Call) trace.Call {
	e := &r.e
	c.ID, c.Batch, c.Agent = e.ID, e.Batch, e.Agent
	if c.Native == "" {
		c.Native = e.Native
	}
	if c.Harness == "" {
		c.Harness = r.p.Profile.Name
	}
	c.Session, c.Time = r.session, r.now
	c.Outcome = nil
	return c
}

// readLine reads the command line of a shell tool's call. One without a command
// text is not analysable (rules.md 11).
func (r *run) readLine(out *reading, c trace.Call, arg string, req shell.Request) {
	out.Shell = c.Tool
	line, ok := c.Args[arg].(string)
	if !ok {
		out.Unresolved = append(out.Unresolved, shell.Unresolved{Code: "no-command", Reason: "the call has no command text"})
		return
	}
	out.Line = line
	d := &disk{}
	req.Command, req.Dir, req.Root, req.Home, req.Env = line, c.Dir, r.root, r.p.Home, r.shellEnv(c.Dir)
	req.Dialect, req.FS = shell.Dialect(r.e.Dialect), d
	if c.Tool == "PowerShell" {
		req.Dialect = shell.Pwsh
	}
	if r.p.NoDisk {
		req.FS = nil
	}
	res := shell.Translate(req)
	for i := range res.Calls {
		if res.Calls[i].Dir == "" {
			res.Calls[i].Dir = c.Dir
		}
		out.moves = out.moves || res.Calls[i].Tool == "cd" || res.Calls[i].Tool == "pushd"
	}
	out.looked = out.looked || d.reads > 0
	out.Unresolved = append(out.Unresolved, res.Unresolved...)
	out.Calls = append(out.Calls, r.stampAll(res.Calls)...)
}

func (r *run) stampAll(calls []trace.Call) []trace.Call {
	for i := range calls {
		calls[i] = r.stamp(calls[i])
	}
	return calls
}

// shellEnv is what a command line may know of the environment.
func (r *run) shellEnv(dir string) map[string]string {
	env := map[string]string{"PWD": dir}
	maps.Copy(env, r.p.Env)
	if _, ok := env["HOME"]; !ok && r.p.Home != "" {
		env["HOME"] = r.p.Home
	}
	return env
}

// nativeKey names the event's calls as the harness made them: of a line its
// text, else tools and arguments.
func nativeKey(p Profile, calls []trace.Call) string {
	if len(calls) == 1 {
		if arg, ok := p.ShellTools[calls[0].Tool]; ok {
			if line, ok := calls[0].Args[arg].(string); ok {
				return guard.LineKey(line)
			}
		}
	}
	return guard.CallKey(calls)
}

// isPathArg says whether an argument of that name holds files (rules.md 6).
func isPathArg(name string) bool {
	switch name {
	case "path", "paths", "file", "files", "directory", "sources", "destination", "destination_dir", "of", "if", "archive",
		"input", "patchfile", "patches", "script_file", "program_file", "output", "file_path", "notebook_path",
		"redirect_to", "overwrite_to", "redirect_from":
		return true
	}
	return false
}

// native makes the paths of a tool that is no shell absolute, and says what it
// does to them.
func native(c trace.Call, home string) trace.Call {
	args, copied := c.Args, false
	for k, v := range c.Args {
		if !isPathArg(k) {
			continue
		}
		n, changed := absolute(v, func(s string) string { return absPath(k, s, c.Dir, home) })
		if !changed {
			continue
		}
		if !copied {
			args, copied = maps.Clone(args), true
		}
		args[k] = n
	}
	c.Args = args
	if c.Effects == nil {
		c.Effects = effects(&c)
	}
	return c
}

// realNames gives a call whose files are reached through symbolic links another
// form under their real names, as the command lines have it (shell.md 4.8), and
// says whether there is one.
func realNames(c *trace.Call, d *disk) bool {
	real := trace.Call{Tool: c.Tool, Args: c.Args}
	linked := false
	for k, v := range c.Args {
		if !isPathArg(k) {
			continue
		}
		n, changed := absolute(v, d.realName)
		if !changed {
			continue
		}
		if !linked {
			real.Args, linked = maps.Clone(c.Args), true
		}
		real.Args[k] = n
	}
	if !linked {
		return false
	}
	c.Forms = append(slices.Clone(c.Forms), trace.Form{Tool: c.Tool, Args: real.Args})
	c.Effects = append(slices.Clone(c.Effects), effects(&real)...)
	return true
}

// absolute gives text, or each text of a list, to abs.
func absolute(v any, abs func(string) string) (any, bool) {
	switch v := v.(type) {
	case string:
		p := abs(v)
		return p, p != v
	case []any:
		var out []any
		for i, e := range v {
			if n, changed := absolute(e, abs); changed {
				if out == nil {
					out = slices.Clone(v)
				}
				out[i] = n
			}
		}
		if out != nil {
			return out, true
		}
	}
	return v, false
}

// absPath resolves a path from the working directory; empty text stays as it is,
// and so do options and addresses, except where arg can only name a file: to the
// harness "https://../x" is the file x then.
func absPath(arg, s, dir, home string) string {
	switch {
	case s == "":
		return s
	case arg != "file_path" && arg != "notebook_path" &&
		(strings.HasPrefix(s, "-") || strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")):
		return s
	case home != "" && (s == "~" || strings.HasPrefix(s, "~/")):
		return filepath.Join(home, s[1:])
	case filepath.IsAbs(s):
		return filepath.Clean(s)
	case dir == "":
		return s
	default:
		return filepath.Join(dir, s)
	}
}

// effects of the tools every harness has (rules.md 6.1).
func effects(c *trace.Call) []trace.Effect {
	switch c.Tool {
	case "Read":
		return each(c, "read", "file_path")
	case "Write", "Edit":
		return each(c, "write", "file_path")
	case "NotebookEdit":
		return each(c, "write", "notebook_path")
	case "Grep", "Glob":
		return append(each(c, "read", "path"), each(c, "read", "paths")...)
	case "rm":
		return each(c, "delete", "paths")
	case "WebFetch":
		if u, ok := c.Args["url"].(string); ok {
			return []trace.Effect{{Op: "net", Target: u, Certainty: "sure"}}
		}
	}
	return nil
}

// each is the effect on every file that an argument names, alone or in a list.
func each(c *trace.Call, op, arg string) []trace.Effect {
	list, ok := c.Args[arg].([]any)
	if !ok {
		list = []any{c.Args[arg]}
	}
	var out []trace.Effect
	for _, v := range list {
		if p, ok := v.(string); ok && p != "" {
			out = append(out, trace.Effect{Op: op, Target: p, Certainty: "sure"})
		}
	}
	return out
}

// readLineAs reads a line as the refused call's shell would: to offer a way to
// comply that can be run as it is.
func (r *run) readLineAs(line string) ([]trace.Call, bool) {
	tool := "Bash"
	if len(r.e.Calls) > 0 {
		if _, ok := r.p.Profile.ShellTools[r.e.Calls[0].Tool]; ok {
			tool = r.e.Calls[0].Tool
		}
	}
	arg, ok := r.p.Profile.ShellTools[tool]
	if !ok {
		return nil, false
	}
	var out reading
	r.readLine(&out, trace.Call{Tool: tool, Args: trace.Args{arg: line}, Dir: r.e.Dir}, arg, r.request())
	return out.Calls, len(out.Unresolved) == 0 && len(out.Calls) > 0
}
