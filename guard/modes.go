package guard

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A ModeCase is a script of calls put to formulas with modes: what a retry, a
// warn repeat, a stop or a note comes to, call by call (formulas.md 5.2). It is
// the form of `formula --batch` for modes.
type ModeCase struct {
	Rules    []ModeRule   `json:"rules"`
	Settings ModeSettings `json:"settings"`
	Script   []ModeStep   `json:"script"`
}

// A ModeRule is one formula and what breaking it does.
type ModeRule struct {
	ID   string `json:"id"`
	F    string `json:"f"`
	Mode string `json:"mode"`
}

// ModeSettings are the settings of a script. Latch false keeps a stop from
// stopping the session.
type ModeSettings struct {
	Retries            int    `json:"retries"`
	Counting           string `json:"counting"`
	ConsecutiveRetries int    `json:"consecutive_retries"`
	Escalate           string `json:"escalate"`
	Latch              *bool  `json:"latch"`
	Report             int    `json:"report"`
}

// A ModeStep proposes a call of tool T in batch Gen (op "call"), or says that the
// user wrote (op "resume").
type ModeStep struct {
	Op  string `json:"op"`
	T   string `json:"t"`
	Gen *int   `json:"gen"`
}

// A ModeAnswer is what became of one step.
type ModeAnswer struct {
	Action    string   `json:"action,omitempty"`
	Rules     []string `json:"rules,omitempty"`
	Notes     []string `json:"notes,omitempty"`
	Attempts  int      `json:"attempts,omitempty"`
	Escalated bool     `json:"escalated,omitempty"`
	Override  string   `json:"override,omitempty"`
	Latched   bool     `json:"latched,omitempty"`
}

// Run plays the script on an empty memory; an allowed call is recorded as run.
func (c *ModeCase) Run() ([]ModeAnswer, error) {
	book, err := c.book()
	if err != nil {
		return nil, err
	}
	j := Judge{Book: book, Runs: c.Settings.ConsecutiveRetries}
	j.NoLatch = c.Settings.Latch != nil && !*c.Settings.Latch
	switch c.Settings.Escalate {
	case "", "ask":
	case "stop":
		j.Escalate = Stop
	default:
		return nil, fmt.Errorf("escalate must be ask or stop, not %q", c.Settings.Escalate)
	}
	store := NewMemory("")
	out := make([]ModeAnswer, 0, len(c.Script))
	for i, s := range c.Script {
		var a ModeAnswer
		err := store.Update(func(tx state.Tx) (err error) {
			switch s.Op {
			case "resume":
				return j.Turn(tx)
			case "call":
				a, err = j.modeCall(tx, s)
				return err
			default:
				return fmt.Errorf("step %d: unknown op %q", i, s.Op)
			}
		})
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func (c *ModeCase) book() (*Rules, error) {
	b := &Rules{Set: rules.Settings{Retries: c.Settings.Retries, RetryCounting: c.Settings.Counting, Report: max(1, c.Settings.Report)}}
	b.Set.Retries = max(1, b.Set.Retries)
	for _, r := range c.Rules {
		f, err := ltl.Parse(r.F)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		mode, err := ParseMode(r.Mode)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		b.List = append(b.List, &rules.Rule{
			ID: r.ID, Kind: "ltl", Mode: mode, Formula: f, Always: true,
			Digest: sha256.Sum256([]byte(r.ID + "\x00" + f.String())),
		})
	}
	return b, nil
}

// ParseMode reads a mode's name.
func ParseMode(s string) (rules.Mode, error) {
	for m := rules.Log; m <= rules.Stop; m++ {
		if m.String() == s {
			return m, nil
		}
	}
	return 0, fmt.Errorf("unknown mode %q", s)
}

// modeCall judges one call and records it when it is let through.
func (j *Judge) modeCall(tx state.Tx, s ModeStep) (ModeAnswer, error) {
	p := Proposal{Calls: []trace.Call{{Tool: s.T, Args: trace.Args{}}}}
	if s.Gen != nil {
		p.Batch = strconv.Itoa(*s.Gen)
	}
	d, err := j.Check(tx, p)
	if err != nil {
		return ModeAnswer{}, err
	}
	a := ModeAnswer{Action: "allow", Attempts: d.Attempt, Escalated: d.Escalated, Latched: d.Latched}
	switch d.Action {
	case Stop:
		a.Action = "stop"
	case Ask:
		a.Action = "ask"
	case Deny:
		a.Action = d.Mode().String()
	case Allow:
	}
	for _, v := range d.Broken {
		a.Rules = append(a.Rules, v.Rule.ID)
	}
	for _, v := range d.Notes {
		a.Notes = append(a.Notes, v.Rule.ID)
	}
	if len(d.Override) > 0 {
		a.Override = d.Override[0]
	}
	if d.Action == Allow {
		return a, j.Record(tx, p)
	}
	return a, nil
}
