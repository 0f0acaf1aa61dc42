package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

// project is the store of the working directory's project.
func (d *doctor) project() *store.Session {
	return projectStore(d.e)
}

// storeRoot is the folder whose store keeps the memory of a session in dir.
func (d *doctor) storeRoot(dir string) string {
	p, err := localPipeline(d.e, "")
	if err != nil {
		return rules.GitRoot(dir)
	}
	return p.StoreRoot(dir)
}

// crowdedFrom is the size in pages from which free ones are worth a word: a young
// store is half empty.
const crowdedFrom = 512

// verifyUpTo is the size up to which doctor reads every page of a store.
const verifyUpTo = 256 << 20

func (d *doctor) store() []finding {
	s := d.project()
	info, err := s.Inspect()
	open := check("store.open", adapter.OK, "none yet", "")
	switch {
	case err != nil:
		open = check("store.open", adapter.Bad, err.Error(), storeFix(err))
	case info.Format != "":
		open.Detail = fmt.Sprintf("%s: %s, %d kept, %s", info.Path, cli.Count(info.Calls, "call"), info.Kept, size(info.Size))
		if info.Size <= verifyUpTo {
			if err := s.Verify(); err != nil {
				open = check("store.open", adapter.Bad, err.Error(), storeFix(err))
			}
		}
	}
	var crowded []string
	if err == nil && info.Crowded() && info.Pages >= crowdedFrom {
		crowded = append(crowded, fmt.Sprintf("%d %% of the pages are free", int(100*info.FreeShare())))
	}
	if err == nil && info.Spool > 0 && d.e.Now().Sub(info.Oldest) > 24*time.Hour {
		crowded = append(crowded, fmt.Sprintf("%d calls wait in the spool since %s", info.Spool, ago(d.e.Now(), info.Oldest)))
	}
	if info.Bad > 0 {
		crowded = append(crowded, fmt.Sprintf("%d spool files cannot be read", info.Bad))
	}
	return []finding{open, judged("store.size", adapter.Warn, crowded, size(info.Size), "agentltl-hook prune"), d.orphans()}
}

func storeFix(err error) string {
	switch {
	case errors.Is(err, store.ErrCorrupt):
		return "agentltl-hook reset --corrupt keeps the damaged file aside and starts anew"
	case errors.Is(err, store.ErrNewer):
		return "update agentltl-hook to the version that wrote the store"
	case errors.Is(err, store.ErrBusy):
		return "look which process holds the file"
	case errors.Is(err, store.ErrUnsafe):
		return "chmod 700 the folder and 600 the file, and see that they are yours"
	}
	return "see that the file can be read and written"
}

func isNewer(err error) bool { return errors.Is(err, store.ErrNewer) }

func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

func (d *doctor) orphans() finding {
	list, err := store.Orphans(stateDir(d.e), store.Options{Now: d.e.Now(), Deadline: 200 * time.Millisecond})
	if err != nil {
		return check("store.orphans", adapter.Warn, err.Error(), "")
	}
	var troubles, roots, fixes []string
	for _, o := range list {
		if strings.HasPrefix(filepath.Base(o.Root), adapter.ProbeFolder) && o.Calls == 0 {
			if hooks.RemoveStore(store.Options{Path: o.Path, Now: d.e.Now()}) == nil {
				continue
			}
		}
		troubles = append(troubles, fmt.Sprintf("%s (%s)", o.Root, cli.Count(o.Calls, "call")))
		roots = append(roots, o.Root)
		fixes = append(fixes, "agentltl-hook reset --store "+o.Path)
	}
	fix := ""
	if len(fixes) > 0 {
		fix = "in the project's new place: agentltl-hook store move " + roots[0] + "; or forget it: " + fixes[0]
	}
	return judged("store.orphans", adapter.Warn, troubles, "every store's project is there", fix)
}

// state checks the state folder.
func (d *doctor) state() []finding {
	dir := stateDir(d.e)
	var troubles []string
	faults, err := store.Permissions(dir)
	if err != nil {
		troubles = append(troubles, err.Error())
	}
	for _, f := range faults {
		troubles = append(troubles, f.Path+" "+f.What)
	}
	if root := rules.GitRoot(dir); root != dir || isRepository(dir) {
		troubles = append(troubles, dir+" lies inside a project: "+root)
	}
	return []finding{
		judged("state.permissions", adapter.Bad, troubles, dir, "chmod 700 "+dir+"; chmod 600 "+filepath.Join(dir, "*.db")),
		d.ephemeral(),
	}
}

func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// ephemeral warns of a state folder that does not outlive this job.
func (d *doctor) ephemeral() finding {
	dir := stateDir(d.e)
	var why []string
	for _, tmp := range []string{"/tmp", "/var/tmp", "/dev/shm", d.e.Getenv("TMPDIR")} {
		if tmp != "" && strings.HasPrefix(dir+"/", strings.TrimSuffix(tmp, "/")+"/") {
			why = appendNew(why, "the state folder lies below "+tmp)
		}
	}
	if len(why) == 0 && inMemory(dir) {
		why = append(why, "the state folder lies in memory (tmpfs)")
	}
	if d.e.Getenv("CI") != "" {
		why = append(why, "CI is set: this machine may be gone after the job")
	}
	return judged("state.ephemeral", adapter.Warn, why, "the state folder outlives this job",
		"agentltl-hook store import FILE before the job, agentltl-hook store export FILE after it")
}

// pause says until when the rules of this project are paused.
func (d *doctor) pause() finding {
	var until []string
	err := d.project().View(func(tx state.Tx) error {
		for _, x := range tx.Exceptions() {
			if x.Scope == "pause" && !x.Revoked && x.Until.After(d.e.Now()) {
				until = append(until, "paused until "+x.Until.UTC().Format(time.RFC3339)+": "+x.Reason)
			}
		}
		return nil
	})
	if err != nil {
		return check("pause", adapter.OK, "unknown: the store cannot be read", "")
	}
	return judged("pause", adapter.Warn, until, "nothing is paused", "agentltl-hook pause --end")
}

// newerThan compares dotted versions; one without numbers is neither.
func newerThan(a, b string) bool {
	x, okA := numbers(a)
	y, okB := numbers(b)
	if !okA || !okB {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return x[i] > y[i]
		}
	}
	return false
}

func numbers(v string) (n [3]int, ok bool) {
	v, _, _ = strings.Cut(strings.TrimPrefix(v, "v"), "-")
	parts := strings.Split(v, ".")
	if len(parts) != len(n) {
		return n, false
	}
	for i, p := range parts {
		var err error
		if n[i], err = strconv.Atoi(p); err != nil {
			return n, false
		}
	}
	return n, true
}
