package rules

import (
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// nearest is the known name closest to a mistyped one, "" if none is close.
func nearest(name string, known []string) string {
	best, bestCost := "", min(max(1, len(name)/3), 3, len(name)-1)+1
	for _, k := range known {
		if cost := distance(strings.ToLower(name), strings.ToLower(k), bestCost); cost < bestCost {
			best, bestCost = k, cost
		}
	}
	if best == name {
		return ""
	}
	return best
}

// didYouMean is "; did you mean X?", or nothing.
func didYouMean(name string, known []string) string {
	if n := nearest(name, known); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}

// distance counts insertions, deletions, replacements and swaps of neighbours,
// giving up at limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	older := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, before, row = before, row, older
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(before[j]+1, row[j-1]+1, before[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return min(row[len(b)], limit)
}

// list writes names as "a, b or c".
func list(names []string, last string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}
