// Package codex speaks the hook protocol of OpenAI Codex CLI (0.171).
//
// Every answer that is not exactly right lets the call run there, and so does a
// hook that fails: Encode marshals fixed structs, Fail denies. Exit codes are
// not in the payloads; they are looked up at the end of the session's rollout
// file. Measured facts behind surprising lines: harness-codex.md.
package codex

import (
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

// Name is the harness's name in commands and rule files.
const Name = "codex"

// Adapter is the adapter.Adapter of Codex.
type Adapter struct{}

var _ adapter.Adapter = Adapter{}

// Profile says what the pipeline must know (rules.md 18).
func (Adapter) Profile() hooks.Profile {
	return hooks.Profile{
		Name:        Name,
		Agent:       "Codex",
		UserDir:     ".codex",
		UserDirEnv:  "CODEX_HOME",
		ShellTools:  map[string]string{"Bash": "command"},
		Ask:         false,
		OnFailure:   hooks.Failures{Crash: hooks.Open, Timeout: hooks.Open, BadAnswer: hooks.Open},
		Status:      hooks.StatusInTranscript,
		CallIDs:     true,
		Batch:       hooks.BatchNone,
		Subagents:   hooks.SubagentsSameSession,
		Starts:      true,
		Prompts:     true,
		PreContext:  true,
		ReplaceOut:  true,
		SendBacks:   0,
		PlainTilde:  true,
		ShellReads:  true,
		AutoModes:   []string{"bypassPermissions"},
		Skill:       "$agentltl:%s",
		MemoryFiles: []string{"AGENTS.md", "AGENTS.override.md"},
	}
}

// Command is Codex's program.
func (Adapter) Command() string { return "codex" }

const (
	sessionStart  = "SessionStart"
	subagentStart = "SubagentStart"
	userPrompt    = "UserPromptSubmit"
	preToolUse    = "PreToolUse"
	postToolUse   = "PostToolUse"
	stop          = "Stop"
	subagentStop  = "SubagentStop"
	sessionEnd    = "SessionEnd"
)

// events lists what is registered, in the order of the hook file.
func events() []string {
	return []string{
		sessionStart, subagentStart, userPrompt, preToolUse, postToolUse, stop, subagentStop, sessionEnd,
	}
}

func kindOf(event string) hooks.Kind {
	switch event {
	case sessionStart:
		return hooks.SessionStart
	case subagentStart:
		return hooks.SubagentStart
	case userPrompt:
		return hooks.UserPrompt
	case preToolUse:
		return hooks.PreTool
	case postToolUse:
		return hooks.PostTool
	case "PreCompact":
		return hooks.PreCompact
	case stop:
		return hooks.TurnEnd
	case subagentStop:
		return hooks.SubagentEnd
	case sessionEnd:
		return hooks.SessionEnd
	default:
		return hooks.None
	}
}
