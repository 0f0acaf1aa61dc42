package adapter

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// Patch turns the text of an apply_patch call into the calls it stands for, one
// a file and in the patch's order: Add File is a Write, Update File an Edit,
// Delete File an rm, Move to an Edit, a Write of the new name and an rm of the
// old (rules.md 6.1). base gives what the calls have in common. A text without
// any file header is no patch: nil.
//
// It reads more than the harnesses' own parsers accept, so that no text is a
// patch to them and none to us. One of more than maxPatchFiles files is a
// [PayloadError]: it could not be judged in time, and must not run unjudged.
func Patch(text string, base trace.Call) ([]trace.Call, error) {
	var files []patchFile
	state := outside
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		header := line
		if state != inUpdate {
			header = strings.TrimSpace(line) // as the harnesses do between files
		}
		if op, name, ok := fileHeader(header); ok {
			if op == moveTo {
				if len(files) > 0 {
					files[len(files)-1].moved = name
				}
				continue
			}
			if len(files) == maxPatchFiles {
				return nil, &PayloadError{Problem: fmt.Sprintf("a patch of more than %d files; make it smaller", maxPatchFiles)}
			}
			files = append(files, patchFile{op: op, name: name})
			state = outside
			switch op {
			case addFile:
				state = inAdd
			case updateFile:
				state = inUpdate
			}
			continue
		}
		switch state {
		case inAdd:
			if rest, ok := strings.CutPrefix(line, "+"); ok {
				files[len(files)-1].add(rest)
			}
		case inUpdate:
			files[len(files)-1].change(line)
		case outside:
		}
	}
	var calls []trace.Call
	for _, f := range files {
		calls = append(calls, f.calls(base)...)
	}
	return calls, nil
}

// maxPatchFiles is far more than an agent patches at once; every file is judged
// by every rule within the second an answer may take.
const maxPatchFiles = 500

type patchState int

const (
	outside patchState = iota
	inAdd
	inUpdate
)

const (
	addFile    = "*** Add File:"
	updateFile = "*** Update File:"
	deleteFile = "*** Delete File:"
	moveTo     = "*** Move to:"
)

func fileHeader(line string) (op, name string, ok bool) {
	if !strings.HasPrefix(line, "***") {
		return "", "", false
	}
	for _, op := range []string{addFile, updateFile, deleteFile, moveTo} {
		if rest, ok := strings.CutPrefix(line, op); ok {
			return op, strings.TrimSpace(rest), true
		}
	}
	return "", "", false
}

// A patchFile is what a patch does to one file.
type patchFile struct {
	op, name, moved string
	before, after   strings.Builder
}

func (f *patchFile) add(line string) { addLine(&f.after, line) }

// change takes one line of an Update section: removed, added or context.
func (f *patchFile) change(line string) {
	switch {
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "***"):
	case strings.HasPrefix(line, "-"):
		addLine(&f.before, line[1:])
	case strings.HasPrefix(line, "+"):
		addLine(&f.after, line[1:])
	case line == "":
	default:
		line = strings.TrimPrefix(line, " ")
		addLine(&f.before, line)
		addLine(&f.after, line)
	}
}

func addLine(b *strings.Builder, line string) {
	b.WriteString(line)
	b.WriteByte('\n')
}

func (f *patchFile) calls(base trace.Call) []trace.Call {
	write := func(name string) trace.Call {
		return with(base, "Write", trace.Args{"file_path": name, "content": f.after.String()})
	}
	remove := func() trace.Call {
		c := with(base, "rm", trace.Args{"paths": []any{f.name}})
		c.Effects = []trace.Effect{{Op: "delete", Target: absolute(f.name, base.Dir), Certainty: "sure"}}
		return c
	}
	switch f.op {
	case addFile:
		return []trace.Call{write(f.name)}
	case deleteFile:
		return []trace.Call{remove()}
	}
	edit := with(base, "Edit", trace.Args{
		"file_path": f.name, "old_string": f.before.String(), "new_string": f.after.String(),
	})
	if f.moved == "" || f.moved == f.name {
		return []trace.Call{edit}
	}
	return []trace.Call{edit, write(f.moved), remove()}
}

func with(base trace.Call, tool string, args trace.Args) trace.Call {
	base.Tool, base.Args = tool, args
	return base
}

func absolute(name, dir string) string {
	if filepath.IsAbs(name) || dir == "" {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// ShellPatch finds the one shell line by which a harness applies a patch itself
// instead of starting a program: apply_patch with a here-document, alone or
// behind one "cd DIR &&". It returns the patch and the folder.
func ShellPatch(line string) (patch, dir string, ok bool) {
	head, rest, ok := strings.Cut(strings.TrimSpace(line), "\n")
	if !ok {
		return "", "", false
	}
	words := strings.Fields(head)
	if len(words) >= 3 && words[0] == "cd" && words[2] == "&&" {
		dir = strings.Trim(words[1], `'"`)
		words = words[3:]
	}
	if len(words) == 0 || (words[0] != "apply_patch" && words[0] != "applypatch") {
		return "", "", false
	}
	doc := strings.Join(words[1:], "")
	mark, found := strings.CutPrefix(doc, "<<")
	if !found || mark == "" {
		return "", "", false
	}
	mark = strings.Trim(strings.TrimPrefix(mark, "-"), `'"`)
	body, found := strings.CutSuffix(strings.TrimRight(rest, " \t\r\n"), mark)
	if !found || mark == "" || (body != "" && !strings.HasSuffix(strings.TrimRight(body, "\t"), "\n")) {
		return "", "", false
	}
	if strings.Contains(body, "\n"+mark+"\n") {
		return "", "", false // the document ends earlier: more commands follow
	}
	return body, dir, true
}
