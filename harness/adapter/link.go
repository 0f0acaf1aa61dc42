package adapter

import (
	"os"
	"path/filepath"
	"strings"
)

// linkRecord keeps the link that LinkProgram made and where it led.
const linkRecord = "link"

// Linked is the link to the program that install made; "" if there is none.
func (o InstallOptions) Linked() string {
	path, _ := o.linked()
	return path
}

func (o InstallOptions) linked() (path, target string) {
	b, ok := o.Kept(linkRecord)
	if !ok {
		return "", ""
	}
	path, target, _ = strings.Cut(strings.TrimSuffix(string(b), "\n"), "\n")
	return path, target
}

// LinkProgram makes the program findable by its name: a link at path, where
// nothing is yet. UnlinkProgram takes it away again.
func (o InstallOptions) LinkProgram(path string) (Change, error) {
	c := Change{Path: path, Action: "unchanged"}
	if _, err := os.Lstat(path); err == nil {
		return c, nil
	}
	c.Action = o.would("created")
	if o.DryRun {
		return c, nil
	}
	if err := o.makeFolders(filepath.Dir(path)); err != nil {
		return c, err
	}
	if err := os.Symlink(o.Program, path); err != nil {
		return c, err
	}
	return c, o.Keep(linkRecord, []byte(path+"\n"+o.Program+"\n"))
}

// UnlinkProgram removes the link that install made; one that somebody has pointed
// elsewhere stays.
func (o InstallOptions) UnlinkProgram() (Change, error) {
	path, target := o.linked()
	c := Change{Path: path, Action: "unchanged"}
	if path == "" {
		return c, nil
	}
	to, err := os.Readlink(path)
	ours := err == nil && to == target
	if ours {
		c.Action = o.would("removed")
	}
	if o.DryRun {
		return c, nil
	}
	if ours {
		if err := os.Remove(path); err != nil {
			return c, err
		}
	}
	o.sweepFolders()
	o.DropKept(linkRecord)
	return c, nil
}
