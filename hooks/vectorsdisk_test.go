package hooks

import (
	"encoding/json"
	"testing"
)

// diskOf are the further files of a case.
func diskOf(t *testing.T, text []byte) map[string]string {
	t.Helper()
	var c struct {
		Disk map[string]string `json:"disk"`
	}
	must(t, json.Unmarshal(text, &c))
	return c.Disk
}
