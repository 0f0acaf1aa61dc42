package secrets

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScan(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a1", n/2) }
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"id AKIAQQQQQQQQQQQQQQQQ end", []string{"AWS access key ID"}},
		{"AKIA123", nil},
		{"xAKIAQQQQQQQQQQQQQQQQ", nil},
		{"ghp_" + a(36), []string{"GitHub token"}},
		{"ghp_" + a(34), nil},
		{"github_pat_" + a(60), []string{"GitHub token"}},
		{"glpat-" + a(20), []string{"GitLab token"}},
		{"xoxb-111111111111", []string{"Slack token"}},
		{"sk_live_" + a(24), []string{"Stripe key"}},
		{"pk_live_" + a(24), nil},
		{"AIza" + a(34) + "x", []string{"Google API key"}},
		{"sk-ant-api03-" + a(60), []string{"Anthropic API key"}},
		{"sk-" + a(48), []string{"OpenAI API key"}},
		{"a task-" + a(48), nil},
		{"npm_" + a(36), []string{"npm token"}},
		{"-----BEGIN RSA PRIVATE KEY-----\nx", []string{"private key"}},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3\n-----END OPENSSH PRIVATE KEY-----", []string{"private key"}},
		{"-----BEGIN PUBLIC KEY-----", nil},
		{"AGE-SECRET-KEY-1" + strings.Repeat("Q", 58), []string{"age secret key"}},
		{"eyJ" + a(20) + ".eyJ" + a(20) + "." + a(20), []string{"JSON web token"}},
		{"https://x.blob.core.windows.net/c?sv=2020&sig=" + a(42) + "%3D", []string{"Azure shared access signature"}},
		{`{"type": "service_account", "private_key_id": "` + a(40) + `"}`, []string{"Google service account key"}},
		{"ghp_" + a(36) + " and AKIAQQQQQQQQQQQQQQQQ", []string{"GitHub token", "AWS access key ID"}},
		{"", nil},
	} {
		if diff := cmp.Diff(tt.want, Kinds(Scan(tt.text))); diff != "" {
			t.Errorf("%q: %s", tt.text, diff)
		}
	}
}

func TestScanLooksAtTheBeginningOnly(t *testing.T) {
	key := " AKIAQQQQQQQQQQQQQQQQ"
	if len(Scan(strings.Repeat("é", MaxScan-len(key))+key)) != 1 {
		t.Error("a key within the first million characters was missed")
	}
	if len(Scan(strings.Repeat("x", MaxScan)+key)) != 0 {
		t.Error("text beyond the first million characters was scanned")
	}
}

func TestRedactValue(t *testing.T) {
	in := map[string]any{
		"out":                            []any{"fine", "key AKIAQQQQQQQQQQQQQQQQ!", 3},
		"ghp_" + strings.Repeat("a", 36): "as a name",
		"n":                              nil,
	}
	got, kinds := RedactValue(in)
	want := map[string]any{
		"out":                      []any{"fine", "key [redacted: AWS access key ID]!", 3},
		"[redacted: GitHub token]": "as a name",
		"n":                        nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"GitHub token", "AWS access key ID"}, kinds); diff != "" {
		t.Error(diff)
	}
	if in["out"].([]any)[1] != "key AKIAQQQQQQQQQQQQQQQQ!" {
		t.Error("the value that was given was changed")
	}
}

func TestRedactWholeKey(t *testing.T) {
	got, _ := Redact("a -----BEGIN EC PRIVATE KEY-----\nMHc\n-----END EC PRIVATE KEY----- b", regexp.MustCompile(`b$`))
	if want := "a [redacted: private key] [redacted: value that scan_extra names]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestExtra(t *testing.T) {
	if _, err := Extra([]string{"("}); err == nil {
		t.Error("an expression that does not parse was taken")
	}
}
