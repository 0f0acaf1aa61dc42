package harness_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/trace"
)

// TestTranscripts reads session records of the real programs: one line a call,
// in the order the calls ended, against a golden file.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../testdata/transcripts/*/*/*.json*")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no transcripts")
	}
	for _, f := range files {
		parts := strings.Split(filepath.ToSlash(f), "/")
		name, version := parts[len(parts)-3], parts[len(parts)-2]
		t.Run(name+"/"+filepath.Base(f), func(t *testing.T) {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			got := transcript(t, harness.Find(name), data)
			golden(t, filepath.Join("testdata", name, version+"-"+filepath.Base(f)+".txt"), []byte(got))

			// A resumed session repeats its lines: every call counts once.
			if twice := transcript(t, harness.Find(name), append(bytes.Clone(data), data...)); strings.HasSuffix(f, ".jsonl") &&
				name != "codex" && twice != got {
				t.Errorf("read twice: %s", twice)
			}
			// A broken line is counted and passed over.
			broken := transcript(t, harness.Find(name), append([]byte("{\n"), data...))
			if !strings.HasPrefix(broken, "skipped: ") || !strings.HasSuffix(broken, got) {
				t.Errorf("with a broken line: %s", broken)
			}
		})
	}
}

func transcript(t *testing.T, a adapter.Adapter, data []byte) string {
	t.Helper()
	var b strings.Builder
	for it, err := range a.Transcripts(bytes.NewReader(data)) {
		if err != nil {
			t.Fatal(err)
		}
		if it.Skipped != "" {
			fmt.Fprintf(&b, "skipped: %s\n", it.Skipped)
			continue
		}
		c := it.Call
		status := "did not run"
		if o := c.Outcome; o != nil {
			status = "unknown"
			if o.Status != nil {
				status = fmt.Sprint(*o.Status)
			}
		}
		agent := ""
		if c.Agent != "" {
			agent = " agent " + c.Agent
		}
		fmt.Fprintf(&b, "%s %s%s in %s: %s %s -> %s\n", it.Session, c.ID, agent, c.Dir, c.Tool, trace.Canonical(map[string]any(c.Args)), status)
	}
	return b.String()
}

// TestTranscriptStopsEarly: breaking off is allowed at any call.
func TestTranscriptStopsEarly(t *testing.T) {
	files, _ := filepath.Glob("../testdata/transcripts/*/*/*.json*")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Split(filepath.ToSlash(f), "/")[3]
		n := 0
		for range harness.Find(name).Transcripts(bytes.NewReader(data)) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%s: %d calls", f, n)
		}
	}
}
