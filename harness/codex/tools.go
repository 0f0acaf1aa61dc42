package codex

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/trace"
)

// canonical gives a native call the names of rules.md 6.1. noPost: the harness
// performs the call itself and sends no event after it.
func canonical(base trace.Call, input any) (calls []trace.Call, noPost bool, err error) {
	args := adapter.Args(input)
	c := base
	c.Tool, c.Args = base.Native, args
	switch {
	case base.Native == "apply_patch":
		for _, key := range []string{"command", "input", "patch"} {
			if text, ok := args[key].(string); ok {
				if calls, err := adapter.Patch(text, base); calls != nil || err != nil {
					return calls, false, err
				}
			}
		}
	case base.Native == "Bash":
		if calls, err := shellPatch(base, args); calls != nil || err != nil {
			return calls, true, err
		}
		// Other spellings start the program of that name, which Codex puts on PATH:
		// the line is judged, and the files of the patch in it too.
		if line, _ := args["command"].(string); strings.Contains(line, "apply_patch") || strings.Contains(line, "applypatch") {
			if _, text, ok := strings.Cut(line, "*** Begin Patch"); ok {
				files, err := adapter.Patch(text, base)
				return append([]trace.Call{c}, files...), false, err
			}
		}
	case base.Native == "view_image":
		c.Tool, c.Args = "Read", adapter.Rename(args, "path", "file_path")
	case strings.HasSuffix(base.Native, "spawn_agent"):
		// Three spellings: the namespace is glued on without a separator.
		c.Tool = "Task"
		c.Args = adapter.Rename(args, "message", "prompt", "agent_type", "subagent_type", "task_name", "description")
	}
	return []trace.Call{c}, false, nil
}

// shellPatch reads the shell line that Codex takes for a patch and performs
// itself; nil for any other.
func shellPatch(base trace.Call, args trace.Args) ([]trace.Call, error) {
	line, _ := args["command"].(string)
	patch, dir, ok := adapter.ShellPatch(line)
	if !ok {
		return nil, nil
	}
	at := base
	at.Source = line
	if dir != "" {
		if at.Dir = dir; !filepath.IsAbs(dir) {
			at.Dir = path.Join(base.Dir, dir)
		}
	}
	return adapter.Patch(patch, at)
}
