package shell

import (
	"encoding/json"

	"github.com/agentltl/agentltl-hook/trace"
)

// The JSON form of a translation (rules.md 22.1): what shell.md 1 calls the
// parts, keys of cli with their zero value left out.

type resultJSON struct {
	ID         json.RawMessage  `json:"id,omitempty"`
	Version    string           `json:"version,omitempty"`
	Calls      []callJSON       `json:"calls"`
	Unresolved []unresolvedJSON `json:"unresolved"`
}

type callJSON struct {
	Tool    string       `json:"tool"`
	Args    trace.Args   `json:"args"`
	Forms   []formJSON   `json:"forms,omitempty"`
	CLI     *cliJSON     `json:"cli,omitempty"`
	Effects []effectJSON `json:"effects,omitempty"`
}

type formJSON struct {
	Tool string     `json:"tool"`
	Args trace.Args `json:"args"`
}

type cliJSON struct {
	Source      string               `json:"source,omitempty"`
	Index       int                  `json:"index,omitempty"`
	Operator    string               `json:"operator,omitempty"`
	Conditional bool                 `json:"conditional,omitempty"`
	Repeated    bool                 `json:"repeated,omitempty"`
	Background  bool                 `json:"background,omitempty"`
	Pipeline    int                  `json:"pipeline,omitempty"`
	Depth       int                  `json:"depth,omitempty"`
	Wrapper     string               `json:"wrapper,omitempty"`
	Wrappers    []string             `json:"wrappers,omitempty"`
	Remote      string               `json:"remote,omitempty"`
	Redirects   []redirectJSON       `json:"redirects,omitempty"`
	Env         map[string]string    `json:"env,omitempty"`
	DynamicArgs []string             `json:"dynamic_args,omitempty"`
	Bounds      map[string]boundJSON `json:"bounds,omitempty"`
	Fields      map[string]string    `json:"fields,omitempty"`
	UnknownArgs bool                 `json:"unknown_args,omitempty"`
	Opaque      string               `json:"opaque,omitempty"`
	SpecMatched *bool                `json:"spec_matched,omitempty"`
}

type redirectJSON struct {
	Op     string `json:"op"`
	Target string `json:"target,omitempty"`
	FD     string `json:"fd,omitempty"`
}

type boundJSON struct {
	Exact  []string `json:"exact,omitempty"`
	Within []string `json:"within,omitempty"`
}

type effectJSON struct {
	Op        string `json:"op"`
	Target    string `json:"target"`
	Certainty string `json:"certainty"`
	Recursive bool   `json:"recursive,omitempty"`
}

type unresolvedJSON struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
	Source string `json:"source"`
	Pos    int    `json:"pos"`
}

// JSON is a result as the command line shows it, to be encoded: with the id of a
// batch line, or the version of the program.
func (r Result) JSON(id json.RawMessage, version string) any {
	out := resultJSON{ID: id, Version: version, Calls: []callJSON{}, Unresolved: []unresolvedJSON{}}
	for i := range r.Calls {
		out.Calls = append(out.Calls, callOut(&r.Calls[i]))
	}
	for _, u := range r.Unresolved {
		out.Unresolved = append(out.Unresolved, unresolvedJSON(u))
	}
	return out
}

func callOut(c *trace.Call) callJSON {
	out := callJSON{Tool: c.Tool, Args: c.Args}
	if out.Args == nil {
		out.Args = trace.Args{}
	}
	for _, f := range c.Forms {
		out.Forms = append(out.Forms, formJSON(f))
	}
	for _, e := range c.Effects {
		out.Effects = append(out.Effects, effectJSON(e))
	}
	if c.CLI != nil {
		out.CLI = cliOut(c.CLI)
	}
	return out
}

func cliOut(c *trace.CLI) *cliJSON {
	out := &cliJSON{
		Source: c.Source, Index: c.Index, Operator: c.Operator, Conditional: c.Conditional,
		Repeated: c.Repeated, Background: c.Background, Pipeline: c.Pipeline, Depth: c.Depth,
		Wrapper: c.Wrapper, Remote: c.Remote, Env: c.Env, DynamicArgs: c.DynamicArgs,
		Fields: c.Fields, UnknownArgs: c.UnknownArgs, Opaque: c.Opaque,
	}
	if len(c.Wrappers) > 1 {
		out.Wrappers = c.Wrappers
	}
	for _, r := range c.Redirects {
		out.Redirects = append(out.Redirects, redirectJSON(r))
	}
	if len(c.Bounds) > 0 {
		out.Bounds = make(map[string]boundJSON, len(c.Bounds))
		for k, b := range c.Bounds {
			out.Bounds[k] = boundJSON(b)
		}
	}
	if c.Unspecced {
		no := false
		out.SpecMatched = &no
	}
	return out
}
