// Package copilot speaks GitHub Copilot CLI's hook protocol (1.0.x).
//
// The program has two payload forms: an event registered under a camelCase name
// brings camelCase fields, one under a PascalCase name brings snake_case fields
// and Claude's tool names with Copilot's arguments. Both decode to the same
// [hooks.Event]. Measured facts behind surprising lines: harness-copilot-cli.md.
package copilot

import (
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

// Name is the harness's name in commands and rule files.
const Name = "copilot-cli"

// Adapter is the adapter.Adapter of Copilot CLI.
type Adapter struct{}

var _ adapter.Adapter = Adapter{}

// Profile says what the pipeline must know (rules.md 18).
func (Adapter) Profile() hooks.Profile {
	return hooks.Profile{
		Name:       Name,
		Agent:      "Copilot",
		UserDir:    ".copilot",
		UserDirEnv: "COPILOT_HOME",
		ProjectEnv: "COPILOT_PROJECT_DIR",
		ShellTools: map[string]string{"Bash": "command", "PowerShell": "command"},
		Ask:        true,
		OnFailure:  hooks.Failures{Crash: hooks.Closed, Timeout: hooks.Open, BadAnswer: hooks.Open},
		Status:     hooks.StatusInText,
		CallIDs:    false,
		Batch:      hooks.BatchTimestamp,
		Subagents:  hooks.SubagentsParentNamed,
		Starts:     true,
		Prompts:    true,
		PreContext: true,
		ReplaceOut: true,
		PlainTilde: true,
		SendBacks:  8,
		AutoModes:  nil,
		Skill:      "/agentltl-%s",
		MemoryFiles: []string{
			"copilot-instructions.md", "*.instructions.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md",
		},
	}
}

// Command is Copilot CLI's program.
func (Adapter) Command() string { return "copilot" }

// events lists what is registered, in the order of the hook file.
func events() []string {
	return []string{
		"sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure",
		"agentStop", "preCompact", "sessionEnd",
	}
}

// kindOf knows an event by either of its names. subagentStart and subagentStop
// carry ids seen nowhere else for nested children, so nothing is taken from
// them; a child's own agentStop ends it.
func kindOf(event string) hooks.Kind {
	switch event {
	case "sessionStart", "SessionStart":
		return hooks.SessionStart
	case "userPromptSubmitted", "UserPromptSubmit":
		return hooks.UserPrompt
	case "preToolUse", "PreToolUse":
		return hooks.PreTool
	case "postToolUse", "PostToolUse", "postToolUseFailure", "PostToolUseFailure":
		return hooks.PostTool
	case "agentStop", "Stop":
		return hooks.TurnEnd
	case "preCompact", "PreCompact":
		return hooks.PreCompact
	case "sessionEnd", "SessionEnd":
		return hooks.SessionEnd
	default:
		return hooks.None
	}
}

func failed(event string) bool { return event == "postToolUseFailure" || event == "PostToolUseFailure" }
