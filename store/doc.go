// Package store keeps what must outlive a hook process in one bbolt file per
// project: the trace, monitor checkpoints, positions of rule sets, refusal
// counters, reservations, latches, decisions, exceptions, compiled rule sets.
//
// A [Session] names a session and its project; it implements [state.Store] and
// opens, works and closes once for each View and Update, so nothing slow may
// happen inside. The format is that of architecture.md 6 and is stable: see
// buckets.go. Locking is in open.go, moving, exporting, pruning and repairing in
// files of their own.
//
// The package knows nothing of rules: it never decodes a checkpoint or a
// compiled set. It makes no API promise.
package store
