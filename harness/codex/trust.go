package codex

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// A hook is one entry of Codex's own list of hooks.
type hook struct {
	key, command, source, hash, status string
	enabled                            bool
}

// trusted says whether Codex runs it.
func (h hook) trusted() bool {
	return h.enabled && (h.status == "trusted" || h.status == "managed")
}

// A server is a conversation with "codex app-server": JSON lines both ways.
type server struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

// withServer starts Codex's app-server and talks to it.
func withServer(o adapter.InstallOptions, program string, do func(*server) error) error {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	_, err := o.Exec(ctx, adapter.Command{
		Args: []string{program, "app-server"},
		Env:  []string{"CODEX_HOME=" + o.UserDir},
		Dir:  o.Root,
		Talk: func(in io.Writer, out *bufio.Reader) error {
			s := &server{in: in, out: out}
			if _, err := s.ask("initialize", map[string]any{
				"clientInfo": map[string]any{"name": "agentltl", "version": o.Version},
			}); err != nil {
				return err
			}
			if err := s.send(map[string]any{"method": "initialized"}); err != nil {
				return err
			}
			return do(s)
		},
	})
	if err != nil {
		return fmt.Errorf("codex app-server: %w", err)
	}
	return nil
}

func (s *server) send(v any) error {
	_, err := s.in.Write(append(edit.Raw(v), '\n'))
	return err
}

// ask sends a request and reads up to its answer; notifications between are not
// for us.
func (s *server) ask(method string, params any) (adapter.Object, error) {
	id := s.id
	s.id++
	if err := s.send(map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		p, err := adapter.ParseObject(line)
		if err != nil {
			continue
		}
		if n, ok := p.Int("id"); !ok || n != id || p.Has("method") {
			continue
		}
		if e := p.Object("error"); e != nil {
			return nil, fmt.Errorf("%s: %s", method, e.Text("message"))
		}
		return p.Object("result"), nil
	}
}

// hooks lists what Codex would run in dir.
func (s *server) hooks(dir string) ([]hook, error) {
	res, err := s.ask("hooks/list", map[string]any{"cwds": []string{dir}})
	if err != nil {
		return nil, err
	}
	var out []hook
	for _, v := range res.List("data") {
		d, _ := v.(map[string]any)
		for _, h := range adapter.Object(d).List("hooks") {
			m, _ := h.(map[string]any)
			p := adapter.Object(m)
			out = append(out, hook{
				key: p.Text("key"), command: p.Text("command"), source: p.Text("sourcePath"),
				hash: p.Text("currentHash"), status: p.Text("trustStatus"), enabled: p["enabled"] != false,
			})
		}
	}
	return out, nil
}

// trust lets Codex trust the hooks that install just wrote to path, and nothing
// else, and makes sure that it took.
func (s *server) trust(o adapter.InstallOptions, mine func(hook) bool) error {
	list, err := s.hooks(o.Root)
	if err != nil {
		return err
	}
	state := map[string]any{}
	for _, h := range list {
		if mine(h) && !h.trusted() {
			state[h.key] = map[string]any{"trusted_hash": h.hash, "enabled": true}
		}
	}
	if len(state) > 0 {
		if _, err := s.ask("config/batchWrite", map[string]any{"edits": []any{map[string]any{
			"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": state,
		}}}); err != nil {
			return err
		}
	}
	if list, err = s.hooks(o.Root); err != nil {
		return err
	}
	n := 0
	for _, h := range list {
		if !mine(h) {
			continue
		}
		n++
		if !h.trusted() {
			return fmt.Errorf("the hook %s is still %s", h.key, h.status)
		}
	}
	if n == 0 {
		return errors.New("the hooks are not in Codex's list: is the project trusted?")
	}
	return nil
}

// trustKey names a hook in Codex's configuration.
func trustKey(prefix, event string, group int) string {
	return fmt.Sprintf("%s:%s:%d:0", prefix, label(event), group)
}

// label is an event's name in trust keys.
func label(event string) string {
	var b strings.Builder
	for i, r := range event {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	label := b.String()
	if event == userPrompt {
		return "user_prompt_submit"
	}
	return label
}

// trustHash is what Codex computes of a hook: SHA-256 of compact JSON with
// sorted keys. It is used only where no codex program can be asked.
func trustHash(event, command string, timeout int) string {
	type identity struct {
		Async   bool   `json:"async"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
		Type    string `json:"type"`
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		Event string     `json:"event_name"`
		Hooks []identity `json:"hooks"`
	}{label(event), []identity{{Command: command, Timeout: timeout, Type: "command"}}}); err != nil {
		panic("codex: " + err.Error())
	}
	sum := sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// keysIn are the trust keys of our groups in a hooks.json, event by event.
func keysIn(src []byte, prefix string) (keys, names []string) {
	l, err := adapter.ParseHookLists(src, Name)
	if err != nil {
		return nil, nil
	}
	for _, event := range l.Events() {
		for _, i := range l.Ours(event) {
			keys = append(keys, trustKey(prefix, event, i))
			names = append(names, event)
		}
	}
	return keys, names
}

// stateBlock is the marked block of trust entries, for a config.toml that no
// codex program writes.
func stateBlock(o adapter.InstallOptions, keys, names []string) string {
	var b strings.Builder
	for i, key := range keys {
		fmt.Fprintf(&b, "[hooks.state.%s]\ntrusted_hash = %s\n",
			quoteKey(key), edit.Literal(trustHash(names[i], o.HookLine(Name, names[i]), timeout(names[i]))))
	}
	return b.String()
}

func quoteKey(key string) string { return string(edit.Raw(key)) }

// cutState takes trust entries out of a config.toml: our block, and the tables
// that Codex wrote for our keys.
func cutState(src []byte, made [][]string) ([]byte, error) {
	out, err := edit.CutBlock(src)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, p := range made {
		if len(p) == 3 {
			keys = append(keys, p[2])
		}
	}
	return edit.CutTables(out, func(table []string) bool {
		return len(table) == 3 && table[0] == "hooks" && table[1] == "state" && slices.Contains(keys, table[2])
	})
}

// isMine says which of Codex's hooks are those of one hooks.json of ours.
func isMine(path string) func(hook) bool {
	return func(h hook) bool {
		return sameFile(h.source, path) && adapter.IsOurs(adapter.Words(h.command), Name)
	}
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	ra, errA := filepath.EvalSymlinks(a)
	rb, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && ra == rb
}
