package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/agentltl/agentltl-hook/hooks"
)

// stateDir is the folder of the stores as the environment gives it
// (architecture.md 6); "" if there is no home to put it in.
func stateDir(e *env) string {
	if d := e.Getenv("AGENTLTL_STATE_DIR"); d != "" {
		return e.Path(d)
	}
	if d := e.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "agentltl")
	}
	if runtime.GOOS == "windows" {
		if d := e.Getenv("LocalAppData"); d != "" {
			return filepath.Join(d, "agentltl")
		}
	}
	return defaultStateDir(e.Home())
}

// defaultStateDir is the state folder below a home folder.
func defaultStateDir(home string) string {
	switch {
	case home == "":
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", "agentltl")
	case runtime.GOOS == "windows":
		return filepath.Join(home, "AppData", "Local", "agentltl")
	}
	return filepath.Join(home, ".local", "state", "agentltl")
}

// sharedDir is the user folder that all harnesses share (rules.md 1).
func sharedDir(e *env) string {
	if d := e.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "agentltl")
	}
	return defaultSharedDir(e.Home())
}

func defaultSharedDir(home string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".config", "agentltl")
}

// harnessDir is the harness's own user folder.
func harnessDir(e *env, p hooks.Profile) string {
	if p.UserDirEnv != "" {
		if d := e.Getenv(p.UserDirEnv); d != "" {
			return e.Path(d)
		}
	}
	return below(e.Home(), p.UserDir)
}

// below joins dir to home; "" if either is missing.
func below(home, dir string) string {
	if home == "" || dir == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(dir))
}

// accountHome is the home folder that the user database names for the
// effective user, else fallback. Hooks that a repository's environment can
// reach use it (trust.md 5). It reads /etc/passwd itself: package os/user links
// the C library where cgo is on, which costs every hook more than its work.
func accountHome(fallback string) string {
	data, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return fallback
	}
	uid := strconv.Itoa(os.Geteuid())
	for line := range bytes.Lines(data) {
		f := bytes.Split(bytes.TrimSpace(line), []byte(":"))
		if len(f) >= 7 && string(f[2]) == uid && filepath.IsAbs(string(f[5])) {
			return string(f[5])
		}
	}
	return fallback
}

// nonEmpty drops empty texts.
func nonEmpty(dirs ...string) []string {
	var out []string
	for _, d := range dirs {
		if d != "" {
			out = append(out, d)
		}
	}
	return out
}
