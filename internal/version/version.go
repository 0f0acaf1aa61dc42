// Package version names the running program.
package version

import "runtime/debug"

// Version is set by the build: -ldflags "-X .../internal/version.Version=v1.2.3".
var Version string

// String is the program's version: set at build time, else the module version
// and VCS revision from the build information.
func String() string {
	if Version != "" {
		return Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
