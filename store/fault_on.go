//go:build faultpoints

package store

import (
	"os"
	"sync"
	"syscall"
)

// The fault points of this program: AGENTLTL_FAULT names the point at which the
// process ends as by kill -9, or, as "list:FILE", a file that gets the name of
// each point passed, one a line.
var faultSeen = sync.OnceValue(func() string { return os.Getenv("AGENTLTL_FAULT") })

func fault(point string) {
	switch want := faultSeen(); {
	case want == "":
	case want == point:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case len(want) > 5 && want[:5] == "list:":
		f, err := os.OpenFile(want[5:], os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			panic("store: " + err.Error())
		}
		_, _ = f.WriteString(point + "\n")
		_ = f.Close()
	}
}
