package adapter

import (
	"errors"
	"fmt"
	"os"

	"github.com/agentltl/agentltl-hook/internal/edit"
)

// ReadOrNothing reads a file that need not be there.
func ReadOrNothing(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// ReadJSON reads a settings file that is only looked at.
func ReadJSON(path string) (*edit.JSON, error) {
	src, err := ReadSmall(path)
	if err != nil {
		return nil, err
	}
	return edit.ParseJSON(src)
}

// SettingIs says whether a JSON file's setting has that value.
func SettingIs(path string, want any, key ...string) bool {
	j, err := ReadJSON(path)
	if err != nil {
		return false
	}
	v, ok := j.Get(key...)
	return ok && v == want
}

// NotStrict is the trouble with a file whose program reads plain JSON only.
func NotStrict(path, program string) error {
	return fmt.Errorf("%s holds comments or trailing commas: %s ignores such a file without a word, and hooks in it with the rest; "+
		"take them out first; nothing was changed", path, program)
}
