package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// formulaCase is a line of formula --batch (rules.md 22.2).
type formulaCase struct {
	ID      json.RawMessage   `json:"id"`
	Formula *string           `json:"formula"`
	Trace   []json.RawMessage `json:"trace"`
	Next    []json.RawMessage `json:"next"`
	Each    bool              `json:"each"`

	Rules    []guard.ModeRule   `json:"rules"`
	Settings guard.ModeSettings `json:"settings"`
	Script   []guard.ModeStep   `json:"script"`

	// Keys of recorded cases that say nothing to us.
	Kind   json.RawMessage `json:"kind"`
	Cat    json.RawMessage `json:"cat"`
	Note   json.RawMessage `json:"note"`
	Expect json.RawMessage `json:"expect"`
}

type witnessAnswer struct {
	Path      string `json:"path"`
	Verdict   int    `json:"verdict"`
	Uncertain bool   `json:"uncertain,omitempty"`
}

type nextAnswer struct {
	Verdict      int             `json:"verdict"`
	Refused      bool            `json:"refused"`
	WitnessesNew []witnessAnswer `json:"witnesses_new"`
}

type formulaAnswer struct {
	ID        json.RawMessage   `json:"id,omitempty"`
	Text      string            `json:"text"`
	Class     string            `json:"class"`
	Reach     []int             `json:"reach"`
	Verdicts  []int             `json:"verdicts"`
	Finished  []bool            `json:"finished"`
	Witnesses [][]witnessAnswer `json:"witnesses"`
	Next      any               `json:"next,omitempty"` // []nextAnswer, with each [][]nextAnswer
}

type modeAnswer struct {
	ID      json.RawMessage    `json:"id"`
	Answers []guard.ModeAnswer `json:"answers"`
}

type batchError struct {
	ID    json.RawMessage `json:"id"`
	Error any             `json:"error"`
}

type batchMessage struct {
	Message string `json:"message"`
}

type batchParseError struct {
	Pos  int    `json:"pos"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// answerLines answers JSON lines one for one, each flushed; empty lines are
// skipped. A line that cannot be done is answered with an error, and the next
// is read.
func answerLines(in io.Reader, out io.Writer, answer func(line []byte) any) error {
	r := bufio.NewReader(in)
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := enc.Encode(answer(line)); err != nil {
				return err
			}
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// formulaLine answers one line of formula --batch.
func formulaLine(line []byte) any {
	var in formulaCase
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&in); err != nil {
		return batchError{lineID(line), batchMessage{err.Error()}}
	}
	id := in.ID
	if id == nil {
		id = json.RawMessage("null")
	}
	a, err := answerFormula(in)
	if p, ok := errors.AsType[*ltl.ParseError](err); ok && in.Formula != nil {
		return batchError{id, batchParseError{p.Pos, p.Want, p.Got}}
	} else if err != nil {
		return batchError{id, batchMessage{err.Error()}}
	}
	switch a := a.(type) {
	case formulaAnswer:
		a.ID = id
		return a
	default:
		return modeAnswer{id, a.([]guard.ModeAnswer)}
	}
}

// lineID is the id of a line that is JSON but not a case, null otherwise.
func lineID(line []byte) json.RawMessage {
	var in struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(line, &in); err != nil || in.ID == nil {
		return json.RawMessage("null")
	}
	return in.ID
}

func answerFormula(in formulaCase) (any, error) {
	switch {
	case in.Formula != nil && (in.Rules != nil || in.Script != nil):
		return nil, errors.New("formula and script are two kinds of case")
	case in.Formula == nil && in.Script == nil:
		return nil, errors.New("formula missing")
	case in.Formula == nil:
		c := guard.ModeCase{Rules: in.Rules, Settings: in.Settings, Script: in.Script}
		return c.Run()
	}
	f, err := ltl.Parse(*in.Formula)
	if err != nil {
		return nil, err
	}
	calls, err := ranCalls(in.Trace)
	if err != nil {
		return nil, err
	}
	a, err := judgeFormula(f, calls)
	if err != nil || in.Next == nil {
		return a, err
	}
	next, err := ranCalls(in.Next)
	if err != nil {
		return nil, err
	}
	a.Next, err = judgeNext(f, calls, next, in.Each)
	return a, err
}

// judgeFormula is the answer without next: all prefixes of the trace, by the
// evaluator.
func judgeFormula(f ltl.Formula, calls []trace.Call) (formulaAnswer, error) {
	c := ltl.Classify(f)
	a := formulaAnswer{Text: f.String(), Class: c.Class.String()}
	for _, v := range c.Reach.List() {
		a.Reach = append(a.Reach, int(v))
	}
	for n := range len(calls) + 1 {
		e, err := ltl.Evaluate(f, calls[:n])
		if err != nil {
			return a, err
		}
		w, err := e.Witnesses()
		if err != nil {
			return a, err
		}
		a.Verdicts = append(a.Verdicts, int(e.Verdict()))
		a.Finished = append(a.Finished, e.Finished())
		a.Witnesses = append(a.Witnesses, witnessAnswers(w))
	}
	return a, nil
}

func witnessAnswers(ws []ltl.Witness) []witnessAnswer {
	out := []witnessAnswer{}
	for _, w := range ws {
		out = append(out, witnessAnswer{w.Path, int(w.Verdict), w.Uncertain})
	}
	return out
}

// judgeNext judges each proposed call after the whole trace, or with each after
// every prefix of it.
func judgeNext(f ltl.Formula, calls, next []trace.Call, each bool) (any, error) {
	if !each {
		return judgeProposed(f, calls, next)
	}
	all := [][]nextAnswer{}
	for n := range len(calls) + 1 {
		a, err := judgeProposed(f, calls[:n], next)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func judgeProposed(f ltl.Formula, calls, next []trace.Call) ([]nextAnswer, error) {
	before, err := ltl.Evaluate(f, calls)
	if err != nil {
		return nil, err
	}
	out := []nextAnswer{}
	for _, c := range next {
		after, err := ltl.Evaluate(f, append(slices.Clip(calls), proposed(c)))
		if err != nil {
			return nil, err
		}
		fresh, err := ltl.NewFailures(before, after)
		if err != nil {
			return nil, err
		}
		j := ltl.Judgement{Verdict: after.Verdict(), New: fresh}
		out = append(out, nextAnswer{int(j.Verdict), j.Refused(), witnessAnswers(j.New)})
	}
	return out, nil
}

// proposed is the call before it ran.
func proposed(c trace.Call) trace.Call { return trace.Call{Tool: c.Tool, Args: c.Args} }

// ranCalls reads calls in the form {t, a?, r?, x?, s?}; what is absent is unknown.
func ranCalls(raw []json.RawMessage) ([]trace.Call, error) {
	out := make([]trace.Call, 0, len(raw))
	for i, r := range raw {
		c, err := ranCall(r)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func ranCall(raw json.RawMessage) (trace.Call, error) {
	var in struct {
		T *string         `json:"t"`
		A trace.Args      `json:"a"`
		R json.RawMessage `json:"r"`
		X *int            `json:"x"`
		S *int            `json:"s"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&in); err != nil {
		return trace.Call{}, err
	}
	if in.T == nil {
		return trace.Call{}, errors.New("t (the tool) missing")
	}
	c := trace.Call{Tool: *in.T, Args: in.A, Step: in.S, Outcome: &trace.Outcome{Status: in.X}}
	if in.R != nil { // a RawMessage keeps null apart from absent
		v, err := trace.DecodeJSON(in.R)
		if err != nil {
			return trace.Call{}, err
		}
		c.Outcome.Result = &v
	}
	return c, nil
}
