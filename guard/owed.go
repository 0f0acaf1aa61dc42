package guard

import (
	"fmt"
	"strings"
)

// OwedWords tells an agent that wants to end its turn what is still owed: every
// unmet rule, what is missing, why, and how to mend it.
func OwedWords(list []Violation) string {
	b := &wordBuilder{d: &Decision{}, left: maxTexts}
	var s strings.Builder
	if len(list) == 1 {
		s.WriteString("Before you end your turn, one rule is not met:\n")
	} else {
		fmt.Fprintf(&s, "Before you end your turn, %d rules are not met:\n", len(list))
	}
	for i := range list {
		v := &list[i]
		fmt.Fprintf(&s, "- %s", Name(v.Rule.ID))
		if v.Problem != "" {
			fmt.Fprintf(&s, ": %s", cut(Clean(v.Problem), maxWhy))
		}
		s.WriteString("\n")
		if v.Rule.Why != "" && !foreign(v.Rule) {
			fmt.Fprintf(&s, "Why: %s\n", cutText(v.Rule.Why))
		}
		b.advice(&s, v)
	}
	s.WriteString("If one of them does not apply here, say why instead.")
	return s.String()
}
