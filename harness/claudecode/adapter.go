// Package claudecode speaks Claude Code's hook protocol (2.1.x).
//
// Decode reads one payload into a [hooks.Event], Encode writes the one JSON
// object the program obeys, Fail answers what could not be judged; the rest
// installs, removes and checks the registration and reads the session records.
// Measured facts behind surprising lines: harness-claude-code.md.
package claudecode

import (
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

// Name is the harness's name in commands and rule files.
const Name = "claude-code"

// Adapter is the adapter.Adapter of Claude Code.
type Adapter struct{}

var _ adapter.Adapter = Adapter{}

// Profile says what the pipeline must know (rules.md 18).
func (Adapter) Profile() hooks.Profile {
	return hooks.Profile{
		Name:       Name,
		Agent:      "Claude Code",
		UserDir:    ".claude",
		UserDirEnv: "CLAUDE_CONFIG_DIR",
		ProjectEnv: "CLAUDE_PROJECT_DIR",
		ShellTools: map[string]string{"Bash": "command", "PowerShell": "command"},
		Ask:        true,
		OnFailure: hooks.Failures{
			Crash: hooks.ClosedIfInstalled, Timeout: hooks.ClosedIfInstalled, BadAnswer: hooks.Open,
		},
		Status:     hooks.StatusReported,
		CallIDs:    true,
		Batch:      hooks.BatchEvent,
		Subagents:  hooks.SubagentsSameSession,
		Starts:     true,
		Prompts:    true,
		PreContext: true,
		ReplaceOut: true,
		FreshShell: true,
		SendBacks:  8,
		AutoModes:  []string{"auto", "bypassPermissions", "dontAsk"},
		Skill:      "/agentltl:%s",
		MemoryFiles: []string{
			"CLAUDE.md", "CLAUDE.local.md", "*/.claude/rules/*", "*/.claude/projects/*/memory/*",
		},
	}
}

// The events that Install registers, with what they are to us. Others decode
// to hooks.None.
const (
	sessionStart       = "SessionStart"
	subagentStart      = "SubagentStart"
	userPromptSubmit   = "UserPromptSubmit"
	preToolUse         = "PreToolUse"
	preSkillShell      = "PreSkillShellCommand"
	postToolUse        = "PostToolUse"
	postToolUseFailure = "PostToolUseFailure"
	postToolBatch      = "PostToolBatch"
	stop               = "Stop"
	subagentStop       = "SubagentStop"
	sessionEnd         = "SessionEnd"
)

// events lists what is registered, in the order of the settings file.
func events() []string {
	return []string{
		sessionStart, subagentStart, userPromptSubmit, preToolUse, preSkillShell,
		postToolUse, postToolUseFailure, postToolBatch, stop, subagentStop, sessionEnd,
	}
}

func kindOf(event string) hooks.Kind {
	switch event {
	case sessionStart:
		return hooks.SessionStart
	case subagentStart:
		return hooks.SubagentStart
	case userPromptSubmit:
		return hooks.UserPrompt
	case preToolUse, preSkillShell:
		return hooks.PreTool
	case postToolUse, postToolUseFailure:
		return hooks.PostTool
	case postToolBatch:
		return hooks.BatchEnd
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
