package trace

import "bytes"

// EntryTools says whether may holds for a tool name that data, an entry as
// [AppendEntry] writes it, names: its own or one of a form. It looks at the
// bytes without decoding them, for passing over calls that cannot matter to a
// rule; a "tool" that some argument has counts too, so it errs by saying true.
// may must not keep its argument.
func EntryTools(data []byte, may func(tool []byte) bool) bool {
	const mark = `"tool":"`
	for {
		_, rest, found := bytes.Cut(data, []byte(mark))
		if !found {
			return false
		}
		end := bytes.IndexByte(rest, '"')
		if end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
			return true // escaped, or no entry of ours: let the caller decode it
		}
		if may(rest[:end]) {
			return true
		}
		data = rest[end:]
	}
}
