package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/internal/atomicfile"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Spooled is a post event that could not get the lock: calls that ran and are
// not recorded yet. The next process that writes, or wants to judge, folds it in
// before it does anything else; monitors then catch up by their positions.
type Spooled struct {
	Time    time.Time    // of the event: when the calls are recorded to have run
	Session string       // whose trace they belong to; "": this session's
	ID      string       // the harness's id of the native call; "" if it gives none
	Ticket  string       // of the reservation to drop; "" none, or see Key
	Key     string       // without ID and Ticket: of the oldest of equal reservations to drop
	Calls   []trace.Call // what to record; none: only the reservation goes
}

// A spool file is <20-digit nanoseconds>-<random>.json: names sort by time.
const (
	spoolSuffix = ".spool"
	fileSuffix  = ".json"
	badSuffix   = ".bad" // one that does not decode is kept aside for doctor
)

func (s *Session) spoolDir() string { return s.path + spoolSuffix }

// Spool keeps an event for whoever gets the lock next.
func (s *Session) Spool(e Spooled) error {
	dir := s.spoolDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	if names, err := spoolFiles(dir); err != nil {
		return fmt.Errorf("spool: %w", err)
	} else if len(names) >= maxSpool {
		return fmt.Errorf("spool %s: %d events wait already", dir, len(names))
	}
	f, err := os.CreateTemp(dir, fmt.Sprintf("%020d-*.reserved", max(e.Time.UnixNano(), 0)))
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	path := strings.TrimSuffix(f.Name(), ".reserved") + fileSuffix
	err = atomicfile.WriteSteps(path, s.encodeSpooled(e), 0o600, func(p string) { fault("spool." + p) })
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}

func (s *Session) encodeSpooled(e Spooled) []byte {
	calls := []byte{'['}
	for i := range e.Calls {
		if i > 0 {
			calls = append(calls, ',')
		}
		c := trace.Clip(e.Calls[i])
		calls = trace.AppendEntry(calls, &c)
	}
	b := append([]byte(`{"calls":`), calls...)
	b = trace.AppendString(append(b, `],"id":`...), e.ID)
	if e.Key != "" {
		b = trace.AppendString(append(b, `,"key":`...), e.Key)
	}
	b = trace.AppendString(append(b, `,"session":`...), cmp.Or(e.Session, s.o.Session))
	b = trace.AppendString(append(b, `,"t":`...), trace.FormatTime(e.Time))
	b = trace.AppendString(append(b, `,"ticket":`...), e.Ticket)
	return append(b, "}\n"...)
}

// spooled says whether events wait. Almost always there is not even a folder.
func (s *Session) spooled() bool {
	names, err := spoolFiles(s.spoolDir())
	return err == nil && len(names) > 0
}

// spoolFiles are the names of the events that wait, oldest first.
func spoolFiles(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if n := e.Name(); n[0] != '.' && strings.HasSuffix(n, fileSuffix) {
			names = append(names, n)
		}
	}
	return names, err
}

// fold records what waits in the spool and returns the files to remove once that
// is committed. Each file's name is kept in the store until the file is gone, so
// that a crash in between records nothing twice.
func (t *Tx) fold() (names []string, err error) {
	dir := t.core.s.spoolDir()
	if names, err = spoolFiles(dir); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	if err := t.forgetFolded(names); err != nil {
		return nil, err
	}
	for _, n := range names {
		if err := t.foldFile(filepath.Join(dir, n), n); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// forgetFolded drops the names of files that were removed.
func (t *Tx) forgetFolded(names []string) error {
	var gone [][]byte
	each(t.root(bFolded), nil, func(k, _ []byte) bool {
		if _, waits := slices.BinarySearch(names, string(k)); !waits {
			gone = append(gone, slices.Clone(k))
		}
		return true
	})
	for _, k := range gone {
		b, err := t.makeRoot(bFolded)
		if err != nil {
			return err
		}
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) foldFile(path, name string) error {
	if get(t.root(bFolded), []byte(name)) != nil {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	e, err := decodeSpooled(data)
	if err != nil {
		fault("spool-bad.rename.before")
		if err := os.Rename(path, path+badSuffix); err != nil {
			return fmt.Errorf("spool: %w", err)
		}
		fault("spool-bad.rename.after")
		return nil
	}
	b, err := t.makeRoot(bFolded)
	if err != nil {
		return err
	}
	if err := put(b, []byte(name), []byte("1"), "folded"); err != nil {
		return err
	}
	return t.in(e.Session).record(e)
}

// record is what a post event does to the trace.
func (t *Tx) record(e Spooled) error {
	if e.ID != "" {
		was, _ := t.CallID(e.ID)
		if was.State == Recorded {
			return nil
		}
		was.State = Recorded
		if err := t.PutCallID(e.ID, was); err != nil {
			return err
		}
	}
	if e.Ticket == "" && e.Key != "" {
		list := t.Reservations(state.Session)
		if i := slices.IndexFunc(list, func(r state.Reservation) bool { return r.Key == e.Key && strings.HasPrefix(r.Ticket, "#") }); i >= 0 {
			e.Ticket = list[i].Ticket
		}
	}
	if e.Ticket != "" {
		if err := t.DropReservation(t.session, e.Ticket); err != nil {
			return err
		}
	}
	for _, c := range e.Calls {
		c.Time = e.Time
		if _, err := t.Append(c); err != nil {
			return err
		}
	}
	return nil
}

// Recorded is the state of a call id whose calls are in the trace.
const Recorded = "recorded"

func decodeSpooled(data []byte) (e Spooled, err error) {
	v, err := trace.DecodeJSON(data)
	if err != nil {
		return e, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return e, errors.New("no JSON object")
	}
	text := func(k string) string { s, _ := m[k].(string); return s }
	e.ID, e.Ticket, e.Key, e.Session = text("id"), text("ticket"), text("key"), text("session")
	e.Time, err = time.Parse(time.RFC3339Nano, text("t"))
	if err != nil {
		return e, err
	}
	calls, ok := m["calls"].([]any)
	if !ok {
		return e, errors.New("no calls")
	}
	for _, c := range calls {
		call, err := trace.EntryOf(c)
		if err != nil {
			return e, err
		}
		e.Calls = append(e.Calls, call)
	}
	if e.Session == "" {
		return e, errors.New("no session")
	}
	return e, nil
}

// unspool removes the files whose calls are committed.
func (s *Session) unspool(names []string) error {
	for _, n := range names {
		fault("unspool.before")
		if err := os.Remove(filepath.Join(s.spoolDir(), n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("spool: %w", err)
		}
		fault("unspool.after")
	}
	if len(names) > 0 {
		_ = os.Remove(s.spoolDir()) // gone, unless something came meanwhile
	}
	return nil
}
