// Package vibe speaks Mistral Vibe's hook protocol: the unified engine and the
// legacy engine of 2.26, and 3.0.
//
// The engines share field names, not tool names; payloads do not name the
// engine, the dot in a tool name does. There are no session-start and no prompt
// events. Measured facts behind surprising lines: harness-vibe.md.
package vibe

import (
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

// Name is the harness's name in commands and rule files.
const Name = "vibe"

// Adapter is the adapter.Adapter of Vibe.
type Adapter struct{}

var _ adapter.Adapter = Adapter{}

// Profile says what the pipeline must know (rules.md 18).
func (Adapter) Profile() hooks.Profile {
	return hooks.Profile{
		Name:       Name,
		Agent:      "Vibe",
		UserDir:    ".vibe",
		UserDirEnv: "VIBE_HOME",
		ShellTools: map[string]string{"Bash": "command"},
		Ask:        false,
		OnFailure: hooks.Failures{
			Crash: hooks.ClosedIfInstalled, Timeout: hooks.ClosedIfInstalled, BadAnswer: hooks.Open,
		},
		Status:      hooks.StatusReported,
		CallIDs:     true,
		Batch:       hooks.BatchNone,
		Subagents:   hooks.SubagentsUnhooked,
		Starts:      false,
		Prompts:     false,
		PreContext:  false,
		ReplaceOut:  true,
		SendBacks:   3,
		AutoModes:   nil,
		Skill:       "/agentltl-%s",
		MemoryFiles: []string{"AGENTS.md"},
	}
}

// Command is Vibe's program.
func (Adapter) Command() string { return "vibe" }

const (
	preTool   = "pre_tool"
	postTool  = "post_tool"
	postAgent = "post_agent"
)

// events lists what is registered, in the order of the hook file.
func events() []string { return []string{preTool, postTool, postAgent} }

func kindOf(event string) hooks.Kind {
	switch event {
	case preTool:
		return hooks.PreTool
	case postTool:
		return hooks.PostTool
	case postAgent:
		return hooks.TurnEnd
	default:
		return hooks.None
	}
}
