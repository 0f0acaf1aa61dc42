package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// The test binary is also the child process of the tests that need some: with
// helperEnv set it does what that names and exits.
const helperEnv = "AGENTLTL_STORE_HELPER"

func TestMain(m *testing.M) {
	if what := os.Getenv(helperEnv); what != "" {
		if err := helper(what); err != nil {
			fmt.Fprintln(os.Stderr, "helper:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A helperJob is what a child gets, as JSON in helperEnv.
type helperJob struct {
	Do      string // record, or steps
	Options Options
	Prefix  string // of call ids
	N       int    // calls to record
	Log     string // steps: file that gets the number of each step done
	Spare   string // steps: folder for files of its own
}

func (j helperJob) cmd(program string, env ...string) *exec.Cmd {
	data, err := json.Marshal(j)
	if err != nil {
		panic(err)
	}
	c := exec.Command(program)
	c.Env = append(append(os.Environ(), helperEnv+"="+string(data)), env...)
	return c
}

func helper(what string) error {
	var j helperJob
	if err := json.Unmarshal([]byte(what), &j); err != nil {
		return err
	}
	switch j.Do {
	case "record":
		return j.record()
	case "steps":
		return j.steps()
	case "full":
		return j.full()
	default:
		return fmt.Errorf("unknown job %q", j.Do)
	}
}

// record does what a pre and a post event do, N times, and prints the id of each
// call once it is recorded.
func (j helperJob) record() error {
	for i := range j.N {
		id := fmt.Sprintf("%s-%d", j.Prefix, i)
		s := Open(j.Options)
		err := s.View(func(tx state.Tx) error {
			_, known := tx.CallID(id)
			if known {
				return fmt.Errorf("%s is known before it was made", id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := s.UpdateTx(func(tx *Tx) error { return reserve(tx, id) }); err != nil {
			return err
		}
		if err := s.UpdateTx(func(tx *Tx) error { return recordOnce(tx, id) }); err != nil {
			return err
		}
		fmt.Println(id)
	}
	return nil
}

func reserve(tx *Tx, id string) error {
	if err := tx.PutCallID(id, state.CallID{State: "reserved"}); err != nil {
		return err
	}
	return tx.PutReservation(state.Reservation{Ticket: id, Time: start})
}

// recordOnce is a post event: a call id already recorded is ignored.
func recordOnce(tx *Tx, id string) error {
	if c, _ := tx.CallID(id); c.State == Recorded {
		return nil
	}
	if err := tx.PutCallID(id, state.CallID{State: Recorded}); err != nil {
		return err
	}
	if err := tx.DropReservation(tx.Session(), id); err != nil {
		return err
	}
	c := call("x", 0)
	c.ID = id
	if _, err := tx.Append(c); err != nil {
		return err
	}
	n := tx.Len(state.Session)
	if err := tx.PutCheckpoint(state.Session, digest(1), state.Checkpoint{Calls: n, State: []byte(strconv.Itoa(n))}); err != nil {
		return err
	}
	return tx.PutSetPosition(state.Session, digest(100), n)
}

// scenario is a life of a store, one step after the other, each of which may be
// done again from its start when it was interrupted. Records name the calls that
// a finished step has recorded.
type scenarioStep struct {
	name    string
	records []string
	do      func(j helperJob) error
}

func scenario() []scenarioStep {
	record := func(session string, ids ...string) scenarioStep {
		return scenarioStep{"record " + session, ids, func(j helperJob) error {
			j.Options.Session = session
			for _, id := range ids {
				if err := Open(j.Options).UpdateTx(func(tx *Tx) error { return recordOnce(tx, id) }); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	update := func(name string, fn func(tx *Tx) error) scenarioStep {
		return scenarioStep{name, nil, func(j helperJob) error { return Open(j.Options).UpdateTx(fn) }}
	}
	return []scenarioStep{
		record("a", "a1", "a2", "a3"),
		update("memory", func(tx *Tx) error {
			return errors.Join(
				reserve(tx, "waits"),
				tx.PutSet(digest(100), map[string][]byte{"head": []byte("h")}, refs(1)),
				tx.PutMemory(state.Session, state.Memory{Finishes: 1}),
				tx.PutMeta("told", "x"), tx.PutMeta("told", ""),
				tx.PutValue(state.Project, "v", []byte("1")), tx.PutValue(state.Project, "v", nil),
				tx.PutVar(state.Session, digest(1), "k", []byte("v")), tx.PutVar(state.Session, digest(1), "k", nil),
				tx.PutParent("child", "a"), tx.PutLastGood("user", []byte("{}")),
			)
		}),
		update("decisions", func(tx *Tx) error {
			for range maxDecisions + 2 {
				if _, err := tx.PutDecision(state.Decision{Tool: "x"}); err != nil {
					return err
				}
			}
			_, err := tx.PutException(state.Exception{Scope: "once"})
			return err
		}),
		update("many ids", func(tx *Tx) error {
			of := tx.in("ids")
			if err := of.PutCallID("first", state.CallID{State: "refused"}); err != nil {
				return err
			}
			if err := of.sub(state.Session, bIDs).SetSequence(maxIDs); err != nil { // as if so many had come
				return err
			}
			return of.PutCallID("last", state.CallID{State: "refused"})
		}),
		update("many sets", func(tx *Tx) error {
			for i := range maxPositions + 2 {
				if err := tx.PutSet(digest(200+i), nil, refs(1, 2)); err != nil {
					return err
				}
				if err := tx.PutSetPosition(state.Session, digest(200+i), i); err != nil {
					return err
				}
			}
			return nil
		}),
		{"spool", nil, func(j helperJob) error {
			// Without an id of the event only the name of the file tells it was folded in.
			j.Options.Session = "b"
			s := Open(j.Options)
			done := s.spooled()
			err := s.view(func(tx *Tx) error { // not folding in
				for _, c := range tx.Calls(state.Project, 0, nil) {
					done = done || c.ID == "spooled"
				}
				return nil
			})
			if done || err != nil {
				return err
			}
			c := call("x", 0)
			c.ID = "spooled"
			return s.Spool(Spooled{Time: start, Calls: []trace.Call{c}})
		}},
		{"spool damage", nil, func(j helperJob) error {
			s := Open(j.Options)
			if err := os.MkdirAll(s.spoolDir(), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(s.spoolDir(), "00-bad.json"), []byte("{"), 0o600)
		}},
		record("b", "b1"),
		{"fold", []string{"spooled"}, func(j helperJob) error { return Open(j.Options).View(func(state.Tx) error { return nil }) }},
		record("a", "a4", "a5", "a6", "a7", "a8"),
		{"export", nil, func(j helperJob) error {
			var b bytes.Buffer
			if _, err := Open(j.Options).Export(&b, ExportOptions{}); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(j.Spare, "export"), b.Bytes(), 0o600)
		}},
		{"prune a little", nil, func(j helperJob) error {
			_, err := Open(j.Options).Prune(PruneOptions{Sessions: true, Session: "a", Keep: Keep{Session: 6}})
			return err
		}},
		{"rewrite", nil, func(j helperJob) error {
			s := Open(j.Options)
			h, err := s.open(true)
			if err != nil {
				return err
			}
			return h.use(func() error { return s.rewrite(h, nil, nil) })
		}},
		{"move", nil, func(j helperJob) error {
			moved := j.Options
			moved.Root = filepath.Join(j.Spare, "elsewhere")
			s, there := Open(j.Options), Open(moved)
			if err := there.UpdateTx(func(tx *Tx) error { return recordOnce(tx, "lost") }); err != nil {
				return err
			}
			if _, err := there.Move(s.Path(), true, false); err != nil && !errors.Is(err, ErrNoStore) {
				return err
			}
			_, err := s.Move(there.Path(), false, false)
			if errors.Is(err, ErrInUse) { // done before the interruption
				return nil
			}
			return err
		}},
		{"import", nil, func(j helperJob) error {
			other := j.Options
			other.Root = filepath.Join(j.Spare, "imported")
			src := func() (io.ReadCloser, error) { return os.Open(filepath.Join(j.Spare, "export")) }
			_, err := Open(other).Import(src, false)
			if errors.Is(err, ErrInUse) {
				return nil
			}
			return err
		}},
		{"corrupt", nil, func(j helperJob) error {
			other := j.Options
			other.Root = filepath.Join(j.Spare, "broken")
			s := Open(other)
			if err := s.Update(func(tx state.Tx) error { return tx.PutMeta("a", "b") }); err != nil && !errors.Is(err, ErrCorrupt) {
				return err
			}
			if err := os.WriteFile(s.Path(), []byte("this is no store"), 0o600); err != nil {
				return err
			}
			_, err := s.ResetCorrupt()
			return err
		}},
		record("c", "c1"),
	}
}

// steps runs the scenario from the first step that the log does not have.
func (j helperJob) steps() error {
	done := 0
	if f, err := os.Open(j.Log); err == nil {
		for in := bufio.NewScanner(f); in.Scan(); {
			done++
		}
		f.Close()
	}
	log, err := os.OpenFile(j.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	for _, step := range scenario()[done:] {
		if err := step.do(j); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if _, err := fmt.Fprintln(log, step.name); err != nil {
			return err
		}
	}
	return nil
}

// ids reads which calls a store holds, and checks that all of it is sound.
func ids(t testing.TB, o Options) map[string]int {
	t.Helper()
	s := Open(o)
	if err := s.Verify(); err != nil {
		t.Error(err)
	}
	got := map[string]int{}
	view(t, s, func(tx *Tx) {
		for _, c := range tx.Calls(state.Project, 0, nil) {
			got[c.ID]++
		}
	})
	return got
}
