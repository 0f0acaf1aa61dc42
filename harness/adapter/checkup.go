package adapter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A Registration is one event of ours in one place.
type Registration struct {
	Place string   // the file, or the plugin's name
	Event string   // the harness's name
	Words []string // program and arguments; nil: a plugin's launcher
	// Launcher is a plugin's launcher, where it is known.
	Launcher string
	Line     string // the command line for a shell; "": run without one
	Fault    string // how it differs from what install writes; "" not at all
}

// A Checkup is what doctor looks at for one harness.
type Checkup struct {
	Name          string
	Program       string   // the harness's own program
	Tested        []string // its versions that were tested
	Events        []string // that must be registered
	Registrations []Registration
	Untrusted     []string // why the harness would not run them
	Off           []Switch
	OffHeld       bool   // a managed registration holds against switches
	Sample        Sample // run through each registered line
}

// A Sample is a harmless call to try a registered command with.
type Sample struct {
	Event   string                                // the event that judges calls
	Payload func(dir string) []byte               // a read of a file in dir, which is empty
	Env     func(dir string) []string             // what the harness would set
	Good    func(stdout []byte, status int) error // is the answer one the harness obeys?
}

// Findings are the checks of rules.md 22.5 that an adapter can make, in order;
// none when the harness is neither found nor registered.
func (c Checkup) Findings(o InstallOptions) []Finding {
	found := o.Find(c.Program)
	if len(c.Registrations) == 0 {
		if found == "" {
			return nil
		}
		return []Finding{
			c.finding("registered", Warn, "no hook of "+c.Name+" runs this program", "agentltl-hook install "+c.Name),
			c.version(o, found),
		}
	}
	return []Finding{
		c.registered(), c.trusted(), c.hooksOff(), c.program(o), c.env(), c.duplicate(), c.version(o, found), c.runs(o),
	}
}

func (c Checkup) finding(id, severity, detail, fix string) Finding {
	if severity == OK {
		fix = ""
	}
	return Finding{ID: "harness." + c.Name + "." + id, Severity: severity, Detail: detail, Fix: fix}
}

// judge makes a finding of a list of troubles.
func (c Checkup) judge(id, severity string, troubles []string, good, fix string) Finding {
	if len(troubles) == 0 {
		return c.finding(id, OK, good, "")
	}
	return c.finding(id, severity, strings.Join(troubles, "; "), fix)
}

func (c Checkup) registered() Finding {
	var troubles []string
	for _, event := range c.Events {
		if !slices.ContainsFunc(c.Registrations, func(r Registration) bool { return r.Event == event }) {
			troubles = append(troubles, "no hook for "+event)
		}
	}
	for _, r := range c.Registrations {
		if r.Fault != "" {
			troubles = append(troubles, fmt.Sprintf("%s, %s: %s", r.Place, r.Event, r.Fault))
		}
	}
	return c.judge("registered", Bad, troubles,
		fmt.Sprintf("%d events in %s", len(c.Events), strings.Join(c.places(), ", ")), "agentltl-hook install "+c.Name)
}

func (c Checkup) places() []string {
	var out []string
	for _, r := range c.Registrations {
		if !slices.Contains(out, r.Place) {
			out = append(out, r.Place)
		}
	}
	return out
}

func (c Checkup) trusted() Finding {
	return c.judge("trusted", Bad, c.Untrusted, "the harness runs these hooks", "agentltl-hook install "+c.Name)
}

func (c Checkup) hooksOff() Finding {
	var off []string
	for _, s := range c.Off {
		off = append(off, s.File+": "+s.Key)
	}
	if c.OffHeld && len(off) > 0 {
		return c.finding("hooks_off", OK, strings.Join(off, "; ")+" (the managed registration holds against it)", "")
	}
	return c.judge("hooks_off", Bad, off, "no setting switches hooks off", "remove that setting, or install a managed registration")
}

// programs are the distinct registered programs.
func (c Checkup) programs() []string {
	var out []string
	for _, r := range c.Registrations {
		if len(r.Words) > 0 && !slices.Contains(out, r.Words[0]) {
			out = append(out, r.Words[0])
		}
	}
	return out
}

func (c Checkup) program(o InstallOptions) Finding {
	var troubles []string
	programs := c.programs()
	if slices.ContainsFunc(c.Registrations, func(r Registration) bool { return r.Words == nil }) {
		p, trouble := o.launched(c.Name)
		if trouble != "" {
			troubles = append(troubles, trouble)
		} else {
			programs = append(programs, p+" (by the plugin's launcher)")
		}
	}
	for _, p := range c.programs() {
		if t := programTrouble(p); t != "" {
			troubles = append(troubles, t)
		}
	}
	return c.judge("program", Bad, troubles, strings.Join(programs, ", "), "agentltl-hook install "+c.Name)
}

// launched is the program that a plugin's launcher finds first: the shipped one,
// the one install wrote down, or one in the fixed folders (trust.md 5).
func (o InstallOptions) launched(harness string) (program, trouble string) {
	shipped := filepath.Join(o.MarketplaceDir(), harness, "bin", runtime.GOOS+"-"+runtime.GOARCH, "agentltl-hook")
	if IsFile(shipped) {
		return shipped, programTrouble(shipped)
	}
	if b, err := os.ReadFile(filepath.Join(o.SharedDir, "program")); err == nil {
		if p := strings.TrimSpace(string(b)); programTrouble(p) == "" {
			return p, ""
		}
	}
	for _, dir := range []string{
		"/usr/local/bin", "/opt/homebrew/bin", filepath.Join(o.Home, ".local", "bin"), filepath.Join(o.Home, "go", "bin"),
	} {
		if p := filepath.Join(dir, "agentltl-hook"); IsFile(p) {
			return p, programTrouble(p)
		}
	}
	if p := o.Find("agentltl-hook"); p != "" {
		return p, programTrouble(p)
	}
	return "", "the plugin's launcher finds no agentltl-hook"
}

// programTrouble says what is wrong with a registered program, "" if nothing.
func programTrouble(p string) string {
	if !filepath.IsAbs(p) {
		return p + " is not an absolute path: another program of that name could run in its place"
	}
	st, err := os.Stat(p)
	switch {
	case err != nil:
		return p + " does not exist"
	case !st.Mode().IsRegular() || st.Mode().Perm()&0o111 == 0:
		return p + " is not a program"
	}
	if uid, known := Owner(st); known {
		if uid != 0 && uid != os.Geteuid() {
			return p + " belongs to somebody else"
		}
		if st.Mode().Perm()&0o022 != 0 {
			return p + " is writable by others"
		}
	}
	return ""
}

func (c Checkup) env() Finding {
	var troubles []string
	for _, r := range c.Registrations {
		if r.Words != nil && !slices.Contains(r.Words, "--no-env") {
			troubles = append(troubles, fmt.Sprintf("%s, %s: the hook reads the environment, which a repository can set", r.Place, r.Event))
		}
	}
	if len(troubles) > 1 {
		troubles = []string{troubles[0], fmt.Sprintf("and %d more", len(troubles)-1)}
	}
	return c.judge("env", Warn, troubles, "every line carries --no-env", "agentltl-hook install "+c.Name)
}

func (c Checkup) duplicate() Finding {
	var troubles []string
	seen := map[string][]string{}
	for _, r := range c.Registrations {
		seen[r.Event] = append(seen[r.Event], r.Place)
	}
	var places []string
	for _, event := range c.Events {
		if len(seen[event]) > 1 {
			troubles = append(troubles, event)
			places = seen[event]
		}
	}
	if len(troubles) > 0 {
		troubles = []string{fmt.Sprintf("%s more than once (%s)", strings.Join(troubles, ", "), strings.Join(places, ", "))}
	}
	return c.judge("duplicate", Warn, troubles, "each event is registered once",
		"agentltl-hook uninstall "+c.Name+" in one of the places")
}

func (c Checkup) version(o InstallOptions, found string) Finding {
	if found == "" {
		return c.finding("version", Warn, c.Program+" was not found on PATH", "put "+c.Program+" on PATH")
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	res, err := o.Exec(ctx, Command{Args: []string{found, "--version"}})
	if err != nil {
		return c.finding("version", Warn, fmt.Sprintf("%s --version: %v", found, err), "")
	}
	v := VersionIn(string(res.Stdout))
	if slices.Contains(c.Tested, v) {
		return c.finding("version", OK, c.Program+" "+v, "")
	}
	return c.finding("version", Warn, fmt.Sprintf("%s %s was not tested; tested: %s", c.Program, v, strings.Join(c.Tested, ", ")),
		"look into the release notes for changes to hooks")
}

// VersionIn is the first dotted number of a program's version line.
func VersionIn(s string) string {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '(' || r == ')' || r == ',' }) {
		w = strings.TrimPrefix(w, "v")
		if w != "" && w[0] >= '0' && w[0] <= '9' && strings.Contains(w, ".") {
			return strings.TrimSuffix(w, ".")
		}
	}
	return OneLine(s)
}

// ProbeFolder begins the name of the temporary project of doctor's sample
// payload. With rules of the user's in force the hook makes a store for it.
const ProbeFolder = "agentltl-doctor-"

// answerWithin is how long a registered hook may take for a harmless call.
const answerWithin = time.Second

// runs starts each registered line that judges calls, as the harness would.
func (c Checkup) runs(o InstallOptions) Finding {
	var troubles []string
	n := 0
	for _, r := range c.Registrations {
		if r.Words == nil && r.Launcher != "" && r.Event == c.Sample.Event {
			r.Words = []string{"/bin/sh", r.Launcher, c.Name, r.Event}
		}
		if r.Event != c.Sample.Event || r.Words == nil {
			continue
		}
		n++
		if err := c.try(o, r); err != nil {
			troubles = append(troubles, fmt.Sprintf("%s: %v", r.Place, err))
		}
	}
	good := "a harmless call was answered"
	if n == 0 {
		good = "the plugin's launcher is tried by the harness itself"
	}
	return c.judge("runs", Bad, troubles, good, "agentltl-hook install "+c.Name)
}

func (c Checkup) try(o InstallOptions, r Registration) error {
	dir, err := os.MkdirTemp("", ProbeFolder)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), 10*answerWithin)
	defer stop()
	cmd := Command{Args: r.Words, Dir: dir, Env: c.Sample.Env(dir), Stdin: c.Sample.Payload(dir)}
	if r.Line != "" {
		cmd.Args = []string{"/bin/sh", "-c", r.Line}
	}
	began := o.now()
	res, err := o.Exec(ctx, cmd)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Words[0], err)
	}
	if took := o.now().Sub(began); took > answerWithin {
		return fmt.Errorf("the answer took %s", took.Round(time.Millisecond))
	}
	if err := c.Sample.Good(res.Stdout, res.Status); err != nil {
		return fmt.Errorf("%w (%s)", err, Cut(OneLine(string(res.Stderr)), 200))
	}
	return nil
}

// IsFile says whether a regular file is at path.
func IsFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}
