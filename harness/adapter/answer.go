package adapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/agentltl/agentltl-hook/trace"
)

// WriteJSON writes v as one JSON document in one write. A hook's stdout must
// hold nothing else: every harness but one takes an answer that is not exactly
// right as consent.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	if _, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n"))); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

// Cut shortens s to at most n bytes at a character's edge and says so.
func Cut(s string, n int) string {
	const more = " [...]"
	if len(s) <= n {
		return s
	}
	n -= len(more)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.ToValidUTF8(s[:n], "") + more
}

// Join puts texts under each other, leaving out empty ones.
func Join(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n\n")
}

// OneLine folds s to a single line, for stderr and for lines shown to a user.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Trouble words err for an answer: one line, no stack, not long.
func Trouble(err error) string {
	if err == nil {
		return "internal error"
	}
	return Cut(OneLine(err.Error()), 600)
}

// NoReason stands where a refusal carries no words: an empty reason makes some
// harnesses let the call run.
const NoReason = "agentltl-hook refused this call."

// CouldNotJudge words a question or refusal caused by trouble of our own.
func CouldNotJudge(err error) string {
	return "agentltl-hook could not check this call against the rules: " + Trouble(err) +
		". \"agentltl-hook doctor\" looks for the cause."
}

// NotDone words trouble on an event that refuses nothing.
func NotDone(err error) string {
	return "agentltl-hook: " + Trouble(err) + "; run \"agentltl-hook doctor\""
}

// Plain is a replaced result as text.
func Plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return trace.Canonical(v)
}
