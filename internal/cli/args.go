package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// Args checks the number of positional arguments; max below zero: any number.
func Args(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < low:
			return WithHint(Usagef("%s: %s missing", cmd.Name(), missing(cmd, len(args))),
				"usage: %s", cmd.UseLine())
		case high >= 0 && len(args) > high:
			return WithHint(Usagef("%s: unexpected argument %q", cmd.Name(), args[high]),
				"usage: %s", cmd.UseLine())
		}
		return nil
	}
}

// missing names the first argument of the usage line that was not given.
func missing(cmd *cobra.Command, given int) string {
	words := strings.Fields(cmd.Use)[1:]
	if given < len(words) {
		return words[given]
	}
	return "an argument"
}

// Nearest returns the name that takes the fewest edits to reach from s, or ""
// when none is near enough to be what was meant.
func Nearest(s string, names []string) string {
	best, dist := "", (len(s)+2)/3+1 // one edit for each three letters begun
	for _, n := range names {
		if d := edits(s, n); d < dist {
			best, dist = n, d
		}
	}
	return best
}

// edits is the Levenshtein distance of two short names.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diag, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diag+cost)
		}
	}
	return row[len(b)]
}
