//go:build faultpoints && unix

package store

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// A program built with the tag faultpoints ends as by kill -9 at the point that
// AGENTLTL_FAULT names: "commit.before", or "commit.before#3" for the third time
// it comes by. With "list:FILE" it adds a line to FILE at each point it passes.
type faultPlan struct {
	point string
	pass  int
	list  string

	mu   sync.Mutex
	seen int
}

var faults = sync.OnceValue(func() *faultPlan {
	want := os.Getenv("AGENTLTL_FAULT")
	if file, ok := strings.CutPrefix(want, "list:"); ok {
		return &faultPlan{list: file}
	}
	point, pass, _ := strings.Cut(want, "#")
	n, err := strconv.Atoi(pass)
	if err != nil {
		n = 1
	}
	return &faultPlan{point: point, pass: n}
})

func fault(point string) {
	f := faults()
	if f.list != "" {
		f.note(point)
	}
	if point != f.point {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen++; f.seen == f.pass {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (f *faultPlan) note(point string) {
	out, err := os.OpenFile(f.list, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		panic("store: " + err.Error())
	}
	defer out.Close()
	if _, err := out.WriteString(point + "\n"); err != nil {
		panic("store: " + err.Error())
	}
}
