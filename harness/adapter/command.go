package adapter

import (
	"path"
	"slices"
	"strings"
)

// HookArgs are the arguments of the registered command line (trust.md 5): an
// installed hook takes its folders from there and nothing from the environment.
// A managed line carries no folders.
func (o InstallOptions) HookArgs(harness, event string) []string {
	args := []string{"hook", harness, event}
	switch {
	case o.AllowEnv:
		return append(args, "--allow-env")
	case o.Managed:
		return append(args, "--no-env")
	}
	return append(args, "--no-env", "--state-dir", o.StateDir, "--user-dir", o.SharedDir, "--user-dir", o.UserDir)
}

// HookLine is the registered command line as one line for a POSIX shell.
func (o InstallOptions) HookLine(harness, event string) string {
	words := []string{Quote(o.Program)}
	for _, a := range o.HookArgs(harness, event) {
		words = append(words, quoteIfNeeded(a))
	}
	return strings.Join(words, " ")
}

// DoubleQuoted is a line that HookLine wrote with double quotes in place of
// single ones, where that means the same: a TOML literal string holds it as it is.
func DoubleQuoted(line string) string {
	if strings.ContainsAny(line, "\"$`\\") {
		return line
	}
	return strings.ReplaceAll(line, "'", `"`)
}

// PowerShellLine is the registered command line for PowerShell.
func (o InstallOptions) PowerShellLine(harness, event string) string {
	words := []string{"&", psQuote(o.Program)}
	for _, a := range o.HookArgs(harness, event) {
		if plain(a) {
			words = append(words, a)
			continue
		}
		words = append(words, psQuote(a))
	}
	return strings.Join(words, " ")
}

// Quote makes one word of s for a POSIX shell.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func psQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func quoteIfNeeded(s string) string {
	if plain(s) {
		return s
	}
	return Quote(s)
}

// plain says whether a shell takes s as it is.
func plain(s string) bool {
	if s == "" {
		return false
	}
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case strings.ContainsRune("-_./:=@+", r):
		default:
			return false
		}
	}
	return true
}

// Words splits a command line that HookLine wrote, or one like it: single and
// double quotes and backslashes, nothing else of the shell.
func Words(line string) []string {
	var words []string
	var b strings.Builder
	in, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case quote == '\'' && r != '\'', quote == '"' && r != '"' && r != '\\':
			b.WriteRune(r)
		case quote != 0 && r == quote:
			quote = 0
		case r == '\\':
			escaped, in = true, true
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if in {
				words = append(words, b.String())
				b.Reset()
				in = false
			}
		default:
			b.WriteRune(r)
			in = true
		}
	}
	if in {
		words = append(words, b.String())
	}
	return words
}

// IsOurs says whether a registered command is this program as a hook of the
// harness, installed by this or another version, wherever it lies.
func IsOurs(words []string, harness string) bool {
	for i, w := range words {
		base := strings.TrimSuffix(path.Base(strings.ReplaceAll(w, `\`, "/")), ".exe")
		if base != "agentltl-hook" && base != "agentltl" {
			continue
		}
		if i+2 < len(words) && words[i+1] == "hook" && words[i+2] == harness {
			return true
		}
	}
	return false
}

// IsPeer says whether a registered command is that of the Python plugin of the
// same name: it holds the name and is not this program.
func IsPeer(words []string, harness string) bool {
	return strings.Contains(strings.Join(words, " "), "agentltl") && !IsOurs(words, harness) &&
		!strings.Contains(strings.Join(words, " "), "agentltl-hook")
}

// LineFault says how the arguments of a registered line differ from what install
// writes now, "" if not at all. A line with --allow-env has a check of its own.
func LineFault(words []string, o InstallOptions, harness, event string) string {
	i := slices.Index(words, "hook")
	if i < 0 {
		return "not a hook line"
	}
	got := words[i:]
	switch {
	case len(got) < 3 || got[2] != event:
		return "the line does not name its event"
	case slices.Contains(got, "--allow-env") || !slices.Contains(got, "--no-env"):
		return ""
	}
	if want := o.HookArgs(harness, event); !slices.Equal(got, want) {
		return "registered with other arguments: " + strings.Join(got[3:], " ")
	}
	return ""
}
