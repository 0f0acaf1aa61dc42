package adapter

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CheckManagedProgram says why a program cannot stand in a managed
// registration: it has to belong to root, be writable by nobody else, and lie
// outside every home (trust.md 9).
func (o InstallOptions) CheckManagedProgram() error {
	if o.ManagedRoot != "" {
		return nil // a test's own tree
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("a managed registration needs root")
	}
	real, err := filepath.EvalSymlinks(o.Program)
	if err != nil {
		return err
	}
	for _, home := range []string{"/home/", "/root/", "/Users/", o.Home + string(filepath.Separator)} {
		if home != string(filepath.Separator) && strings.HasPrefix(real, home) {
			return fmt.Errorf("%s lies in a home folder; install the program where only root can write, such as /usr/local/bin", real)
		}
	}
	for p := real; ; p = filepath.Dir(p) {
		st, err := os.Stat(p)
		if err != nil {
			return err
		}
		uid, known := Owner(st)
		if known && uid != 0 {
			return fmt.Errorf("%s does not belong to root", p)
		}
		if known && st.Mode().Perm()&0o022 != 0 && st.Mode()&os.ModeSticky == 0 {
			return fmt.Errorf("%s is writable by others", p)
		}
		if p == filepath.Dir(p) {
			return nil
		}
	}
}
