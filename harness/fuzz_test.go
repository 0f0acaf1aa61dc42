package harness_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/trace"
)

// Each decoder is fuzzed with the recorded payloads as seeds. What it must hold:
// it never panics; what it does not read is refused on a pre-tool event; a call
// it reads has a tool, and a shell tool keeps its command text; the answer it
// encodes is one JSON object.

func FuzzClaudeCode(f *testing.F) { fuzzDecoder(f, "claude-code", "PreToolUse") }
func FuzzCopilotCLI(f *testing.F) { fuzzDecoder(f, "copilot-cli", "preToolUse") }
func FuzzCodex(f *testing.F)      { fuzzDecoder(f, "codex", "PreToolUse") }
func FuzzVibe(f *testing.F)       { fuzzDecoder(f, "vibe", "pre_tool") }
func FuzzGeneric(f *testing.F)    { fuzzDecoder(f, "generic", "pre") }

func fuzzDecoder(f *testing.F, name, pre string) {
	a := harness.Find(name)
	files, err := filepath.Glob(filepath.Join(payloads, name, "*", "*.json"))
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range files {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, true)
		f.Add(b, false)
	}
	f.Add(samplePayload(name, pre), true)
	f.Add([]byte(`{"tool_input":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`), true)
	f.Fuzz(func(t *testing.T, payload []byte, named bool) {
		event := ""
		if named {
			event = pre
		}
		speaker, e, err := harness.Decode(a, testEnv(), event, payload)
		var out, errs bytes.Buffer
		if err != nil {
			status := speaker.Fail(&out, &errs, event, err)
			if !refuses(speaker.Profile().Name, out.String(), errs.String(), status) {
				t.Fatalf("%q is let through: %d %s %s", payload, status, out.String(), errs.String())
			}
			return
		}
		for _, c := range e.Calls {
			if c.Tool == "" || c.Args == nil && e.Kind == hooks.PreTool {
				t.Fatalf("%q: a call %+v", payload, c)
			}
			if c.Outcome == nil && e.Kind == hooks.PostTool && e.Ran && len(e.Calls) > 0 {
				t.Fatalf("%q ran without an outcome", payload)
			}
		}
		if e.Kind == hooks.PreTool && len(e.Calls) == 0 {
			t.Fatalf("%q: a call is gone", payload)
		}
		for _, answer := range []hooks.Answer{
			{}, {Action: guard.Deny, Reason: "R"}, {Action: guard.Ask}, {Action: guard.Stop, Context: "C"}, {SendBack: true, Notice: "N"}, {Output: "x"},
		} {
			out.Reset()
			status, err := speaker.Encode(&out, &errs, e, answer)
			if err != nil || status != 0 {
				t.Fatalf("%q: %d, %v", payload, status, err)
			}
			if out.Len() == 0 {
				continue
			}
			v, err := trace.DecodeJSON(out.Bytes())
			if _, ok := v.(map[string]any); err != nil || !ok {
				t.Fatalf("%q is answered by %q", payload, out.String())
			}
		}
	})
}
