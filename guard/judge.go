package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Judge decides the calls of one session by the rules in force, on the
// transactions it is given. Its zero fields are those of a hook: retries
// escalate to a question, a stop latches.
type Judge struct {
	Book     Rulebook
	Harness  string
	Escalate Action    // what mode retry gives up with: Ask (also the zero value) or Stop
	Runs     int       // limit of refusals in a row, hybrid counting; 0: the retries of the settings
	NoLatch  bool      // a stop refuses its call and nothing else
	Shadow   bool      // nothing is enforced
	NoAsk    bool      // no ask answer: a question is put by a refusal and answered by the user's next message
	Auto     bool      // chooses unparseable.auto
	Stricter bool      // the stricter of both halves of unparseable counts (trust.md 5)
	Alone    bool      // nobody can answer a question
	Now      time.Time // of this event
	// Context and Fact are what conditions may ask about: the place, for targets;
	// facts by name for a call's folder. nil: not known.
	Context *rules.Context
	Fact    func(name, dir string) any
	// Spares says whether a built-in rule has nothing to say about a call; nil: it
	// always may have.
	Spares func(id string, c *trace.Call) bool
	// Offer looks for a way to comply where a rule has no advice of its own. Read
	// reads a command line as it would be read here; nil: only tools of the
	// harness can be offered.
	Offer bool
	Read  func(line string) (calls []trace.Call, ok bool)
}

func (j *Judge) ledger(tx state.Tx, s state.Scope) *ledger {
	return newLedger(tx, s, j.Book)
}

// scopes lists both memories.
var scopes = [...]state.Scope{state.Session, state.Project}

// key names the exact call of a proposal: of a line its text, else tool and
// arguments of every call (rules.md 9, warn).
func (p *Proposal) key() string {
	if p.Key != "" {
		return p.Key
	}
	if p.Line != "" {
		return LineKey(p.Line)
	}
	return CallKey(p.Calls)
}

// maxKey is how long a key may be: a longer one is a digest of it, so that what
// is kept of a call stays small.
const maxKey = 2000

func shortKey(kind, key string) string {
	if len(key) <= maxKey {
		return kind + ":" + key
	}
	sum := sha256.Sum256([]byte(key))
	return kind + "#" + hex.EncodeToString(sum[:])
}

// LineKey names a line by its text.
func LineKey(line string) string { return shortKey("line", line) }

// CallKey names calls by tool and canonical arguments.
func CallKey(calls []trace.Call) string {
	var b []byte
	for i := range calls {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, calls[i].Tool...)
		b = trace.AppendJSON(b, calls[i].Args)
	}
	return shortKey("call", string(b))
}

// sameBatch says whether two proposals came in one message of the model. A
// harness that names no batch makes each event one of its own.
func sameBatch(a, b string) bool { return a != "" && a == b }
