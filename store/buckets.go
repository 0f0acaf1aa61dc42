package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/agentltl/agentltl-hook/state"
)

// The format of the file. Same major: every program opens the file, and leaves
// what it does not know as it is. Nothing raises the major but "store migrate".
const (
	major  = 1
	minor  = 0
	format = "1.0"
)

// Buckets of the file's root (architecture.md 6). All are there from the first
// stored call on. JSON values are canonical; the keys inside are named beside
// the code that reads them.
const (
	bMeta         = "meta"          // texts: format, created, root, program, pruned, base, decision, ...
	bRules        = "rules"         // layer key + 0 + program major.minor -> {program, set, t}
	bExceptions   = "exceptions"    // 8-byte number -> exception
	bSets         = "sets"          // set digest -> bucket: p<part>, rules, used
	bCalls        = "calls"         // 8-byte number -> 32-byte chain hash + entry; sequence: calls ever recorded
	bSessions     = "s"             // session -> bucket
	bProject      = "p"             // bucket as of a session, for the project
	bFolded       = "folded"        // names of spool files whose calls are in
	bEvidence     = "evidence"      // record chain (contracts.md 3)
	bEvidenceHead = "evidence-head" //
	bMetrics      = "metrics"       // counters (contracts.md 6)
	bPins         = "pins"          // MCP tools seen
)

// Buckets and keys of one session, and, but for calls, ids, agents and
// decisions, of the project.
const (
	bList      = "calls"     // 8-byte sequence -> 8-byte number in calls; sequence: calls ever recorded
	kState     = "state"     // key: memory
	kID        = "id"        // key: the id, where the bucket is named by its hash
	bIDs       = "ids"       // i<call id> -> {n, state, ...}; n<8-byte n> -> call id
	bRes       = "res"       // ticket -> reservation; in the project: length of session + session + ticket
	bAgents    = "agents"    // child -> parent
	bCP        = "cp"        // rule digest + codec -> 8-byte calls, 4-byte day, monitor bytes
	bPositions = "sets"      // set digest + codec -> 8-byte calls, 4-byte day
	bVars      = "vars"      // rule digest + codec -> bucket: binding -> 2-byte codec + monitor bytes
	bValues    = "values"    // key -> JSON
	bDecisions = "decisions" // 8-byte id -> decision
)

func rootBuckets() []string {
	return []string{
		bMeta, bRules, bExceptions, bSets, bCalls, bSessions, bProject, bFolded,
		bEvidence, bEvidenceHead, bMetrics, bPins,
	}
}

// name turns an opaque id into a key: itself, or its hash when it is empty or
// too long. No id begins with the mark by accident alone: such ones are hashed.
func name(id string) []byte {
	const mark = "#sha256:"
	if id != "" && len(id) <= maxName && (len(id) < len(mark) || id[:len(mark)] != mark) {
		return []byte(id)
	}
	sum := sha256.Sum256([]byte(id))
	return []byte(mark + hex.EncodeToString(sum[:]))
}

// number is n as a key, so that keys sort as numbers do.
func number(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func fromNumber(k []byte) int {
	if len(k) != 8 {
		damaged("a number of %d bytes", len(k))
	}
	return int(binary.BigEndian.Uint64(k))
}

// withCodec is a digest and a codec version as a key.
func withCodec(d state.Digest, codec uint16) []byte {
	return binary.BigEndian.AppendUint16(append(make([]byte, 0, 34), d[:]...), codec)
}

func splitCodec(k []byte) (d state.Digest, codec uint16, ok bool) {
	if len(k) != len(d)+2 {
		return d, 0, false
	}
	copy(d[:], k)
	return d, binary.BigEndian.Uint16(k[len(d):]), true
}
