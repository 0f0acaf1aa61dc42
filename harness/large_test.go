package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/harness"
)

// TestLargePayload: a payload of 10 MB is read in far less than the second an
// answer may take (a tenfold margin for slow machines).
func TestLargePayload(t *testing.T) {
	if testing.Short() {
		t.Skip("10 MB each")
	}
	big := strings.Repeat(`echo \"x\" && `, 10<<20/13)
	patch := `*** Add File: a\n` + strings.Repeat(`+x\n`, 10<<20/4)
	for name, payload := range map[string]string{
		"claude-code": `{"hook_event_name":"PreToolUse","tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"` + big + `"}}`,
		"copilot-cli": `{"toolName":"bash","toolArgs":{"command":"` + big + `"}}`,
		"codex":       `{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"` + patch + `"}}`,
		"vibe":        `{"hook_event_name":"pre_tool","tool_name":"bash","tool_input":{"command":"` + big + `"}}`,
		"generic":     `{"event":"pre","session":"s","tool":"x","args":{"list":[` + strings.Repeat("1.50,", 2<<20) + `0]}}`,
	} {
		began := time.Now()
		_, e, err := harness.Decode(harness.Find(name), testEnv(), "", []byte(payload))
		took := time.Since(began)
		if err != nil || len(e.Calls) == 0 {
			t.Errorf("%s: %v, %d calls", name, err, len(e.Calls))
		}
		if took > 3*time.Second {
			t.Errorf("%s: %d bytes took %s", name, len(payload), took)
		}
		t.Logf("%s: %d bytes, %d calls, %s", name, len(payload), len(e.Calls), took)
	}
}
