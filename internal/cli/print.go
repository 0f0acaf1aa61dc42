package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// PrintError writes err as "NAME: what" and "NAME: hint: advice", one line
// each; every line of a text of several lines gets the name.
func PrintError(w io.Writer, name string, err error) {
	if err == nil {
		return
	}
	if _, ok := errors.AsType[StatusError](err); ok {
		return
	}
	var hints []string
	silent := false
	for e := err; e != nil; e = errors.Unwrap(e) {
		if c, ok := e.(*Error); ok { //nolint:errorlint // walks the chain itself, to collect every hint
			if c.Hint != "" {
				hints = append(hints, c.Hint)
			}
			silent = c.Err == nil
		}
	}
	if !silent {
		for line := range strings.Lines(strings.TrimRight(err.Error(), "\n")) {
			fmt.Fprintf(w, "%s: %s\n", name, strings.TrimRight(line, "\n"))
		}
	}
	for _, h := range hints {
		fmt.Fprintf(w, "%s: hint: %s\n", name, h)
	}
}

// Count is "1 call", "2 calls": a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// WriteJSON writes v as one document, not escaping what only HTML would need
// escaped.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
