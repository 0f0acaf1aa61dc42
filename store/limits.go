package store

import "time"

// Limits, each with its reason (how long a recorded text may be: trace.MaxText). None of them cuts the memory of a rule: that is
// in the checkpoints.
const (
	// maxIDs call ids of a session are known: a harness repeats an event within
	// seconds, and 10,000 calls are hours.
	maxIDs = 10_000
	// maxDecisions of a session can be explained; a person asks about the last few.
	maxDecisions = 200
	// maxSets compiled rule sets are kept: one per harness, user file and nested
	// folder in use, and the one before the last edit.
	maxSets = 16
	// maxPositions rule sets have a position in a scope, for the same reason.
	maxPositions = 8
	// maxSpool post events wait for the lock. A machine that gathers more has no
	// working lock, and folding them in must fit the deadline of one hook.
	maxSpool = 10_000
	// maxName is the longest id used as a key as it is; longer ones are hashed,
	// because bbolt keeps keys in branch pages, too.
	maxName = 200
	// freeShare of the file may be free pages before it is rewritten.
	freeShare = 0.20
	// freeLeast free pages (1 MiB) cost an open nothing that can be measured.
	freeLeast = 256
	// allocSize is by how much a file grows once it is that large; bbolt's 16 MiB
	// would be half of a middling store.
	allocSize = 1 << 20
	// usedDays is how long a checkpoint that nobody used holds back pruning.
	usedDays = 30

	// Deadline of the lock for events other than pre-tool: below every harness's
	// hook timeout. PreDeadline leaves a pre-tool 200 ms to answer within 1 s.
	Deadline    = 5 * time.Second
	PreDeadline = 800 * time.Millisecond
)
