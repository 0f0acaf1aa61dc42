package codex

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
)

// The rollout is read from its end, in pieces that double up to maxTail: the
// line of a call that just ended is among the last ones.
const (
	firstTail = 64 << 10
	maxTail   = 4 << 20
	maxHead   = 1 << 20 // of the first line
)

// exitCode is the exit status of a shell command by its call id, nil if the
// rollout does not say: then nobody knows, which is not success.
func exitCode(rollout, id string) *int {
	if id == "" || !isRollout(rollout) {
		return nil
	}
	f, size, err := openRegular(rollout)
	if err != nil {
		return nil
	}
	defer f.Close()
	for n := int64(firstTail); ; n *= 4 {
		from := max(0, size-n)
		buf := make([]byte, size-from)
		if _, err := f.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
			return nil
		}
		if from > 0 { // the piece begins inside a line
			_, buf, _ = bytes.Cut(buf, []byte("\n"))
		}
		if code, found := lastItem(buf, id); found {
			return code
		}
		if from == 0 || n >= maxTail {
			return nil
		}
	}
}

// lastItem looks backwards for the line that completes the item.
func lastItem(buf []byte, id string) (code *int, found bool) {
	for len(buf) > 0 {
		buf = bytes.TrimRight(buf, "\r\n")
		line := buf[bytes.LastIndexByte(buf, '\n')+1:]
		buf = buf[:len(buf)-len(line)]
		if !bytes.Contains(line, []byte("item_completed")) || !bytes.Contains(line, []byte(id)) {
			continue
		}
		p, err := adapter.ParseObject(line)
		if err != nil || p.Text("type") != "event_msg" {
			continue
		}
		payload := p.Object("payload")
		item := payload.Object("item")
		if payload.Text("type") != "item_completed" || item.Text("id") != id {
			continue
		}
		if n, ok := item.Int("exit_code"); ok {
			return &n, true
		}
		return nil, true
	}
	return nil, false
}

// forkedFrom is the session a fork was made of: the rollout's first line names it.
func forkedFrom(rollout string) string {
	if !isRollout(rollout) {
		return ""
	}
	f, _, err := openRegular(rollout)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(io.LimitReader(f, maxHead), 64<<10).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	p, err := adapter.ParseObject(line)
	if err != nil || p.Text("type") != "session_meta" {
		return ""
	}
	return p.Object("payload").Text("forked_from_id")
}

// isRollout says whether a path of a payload can be a rollout file; nothing
// else is opened on the payload's word.
func isRollout(path string) bool {
	return filepath.IsAbs(path) && strings.HasPrefix(filepath.Base(path), "rollout-") && strings.HasSuffix(path, ".jsonl")
}

func openRegular(path string) (*os.File, int64, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !st.Mode().IsRegular() {
		return nil, 0, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	return f, st.Size(), err
}
