package hooks

import (
	"os"
	"path/filepath"
	"testing"
)

// writeFiles puts files below a folder.
func writeFiles(tb testing.TB, root string, files map[string]string) {
	tb.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}
