package shell

import (
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// gitLines walks aliases and settings by which git runs something.
func (w *walker) gitLines(st *state, c ctx, cmd command, p spec.Parsed, i int) {
	for _, f := range w.files {
		// Hooks and settings that the line wrote are in force now.
		if strings.Contains(f.path, "/.git/hooks/") || strings.HasSuffix(f.path, "/.git/config") || strings.HasSuffix(f.path, "/.gitconfig") {
			w.note("script-written", cmd.src, cmd.pos)
			break
		}
	}
	sub := gitSub(cmd.words)
	used := ""
	if sub < len(cmd.words) {
		used = cmd.words[sub].text
	}
	for _, r := range p.Roles {
		if r.Role == "url" {
			w.transport(st, c, cmd, r.Value.Text)
		}
		if r.Role != "config" {
			continue
		}
		key, val, has := strings.Cut(r.Value.Text, "=")
		if v := r.Value.Word; strings.ContainsAny(key, "$`") && v >= 0 && v < len(cmd.words) && !cmd.words[v].known {
			w.note("env-exec", cmd.src, cmd.pos) // which setting is not known
			continue
		}
		if r.Field == "config_env" && gitRuns(key) {
			w.note("env-exec", cmd.src, cmd.pos)
			continue
		}
		if name, ok := cutFold(key, "alias."); ok && has {
			rest := []word(nil)
			if strings.EqualFold(name, used) {
				rest = cmd.words[min(sub+1, len(cmd.words)):]
			}
			w.gitAlias(st, c, cmd, val, rest, strings.EqualFold(name, used))
			continue
		}
		w.gitSetting(st, c, cmd, key, val, i)
	}
	if used == "config" {
		w.gitConfig(st, c, cmd, sub)
	}
}

// transport walks the program that an address names: ext::sh -c% x runs it
// (git-remote-ext). Blanks part its words, "% " is a blank within one, %S and
// its like stand for names of the service.
func (w *walker) transport(st *state, c ctx, cmd command, url string) {
	line, ok := cutFold(url, "ext::")
	if !ok {
		return
	}
	line = strings.NewReplacer("%%", "%", "% ", `\ `, "%s", "upload-pack", "%S", "git-upload-pack").Replace(line)
	w.shellOut(st, c, cmd, line, "git remote-ext")
}

// gitSub is the index of the subcommand in the words of git.
func gitSub(words []word) int {
	i := 1
	for ; i < len(words); i++ {
		t := words[i].text
		switch t {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source":
			i++
			continue
		}
		if !strings.HasPrefix(t, "-") {
			break
		}
	}
	return i
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// gitAlias walks the text of an alias: a line behind "!", else words of git. One
// that is only defined is conditional.
func (w *walker) gitAlias(st *state, c ctx, cmd command, text string, rest []word, now bool) {
	in := within(c, "git alias")
	if !now {
		in = in.skippable()
	}
	words := []word{}
	if line, ok := strings.CutPrefix(text, "!"); ok {
		words = append(words, literal(line, cmd.pos))
	} else {
		words = append(words, literal("git "+text, cmd.pos))
	}
	for _, u := range rest {
		if u.known {
			u = literal(w.quotedText(u), u.pos)
		}
		words = append(words, u)
	}
	w.again(st.clone(), in, words, cmd.pos)
}

// gitRuns says whether the value of a setting is run.
func gitRuns(key string) bool {
	k := strings.ToLower(key)
	switch k {
	case "core.sshcommand", "core.pager", "core.editor", "core.askpass", "core.gitproxy", "core.fsmonitor",
		"sequence.editor", "diff.external", "credential.helper", "gpg.program", "interactive.difffilter",
		"core.alternaterefscommand", "uploadpack.packobjectshook", "gc.recentobjectshook", "sendemail.sendmailcmd",
		"sendemail.tocmd", "sendemail.cccmd", "sendemail.headercmd", "imap.tunnel", "instaweb.httpd", "instaweb.browser",
		"web.browser":
		return true
	}
	first, rest, ok := strings.Cut(k, ".")
	j := strings.LastIndexByte(rest, '.')
	if !ok {
		return false
	}
	last := rest[j+1:]
	switch first {
	case "alias", "pager":
		return true
	case "filter":
		return last == "clean" || last == "smudge" || last == "process"
	case "diff":
		return j >= 0 && (last == "command" || last == "textconv")
	case "merge":
		return j >= 0 && last == "driver"
	case "difftool", "mergetool", "browser", "man", "guitool", "trailer", "tar", "hook":
		return last == "cmd" || last == "command" || last == "path"
	case "remote":
		return last == "uploadpack" || last == "receivepack"
	case "credential", "gpg", "submodule":
		return last == "helper" || last == "program" || last == "update" || last == "defaultkeycommand"
	}
	return false
}

// gitSetting walks a setting given for one call.
func (w *walker) gitSetting(st *state, c ctx, cmd command, key, val string, i int) {
	k := strings.ToLower(key)
	switch {
	case k == "core.hookspath":
		if i < len(w.calls) {
			w.calls[i].Args["no_verify"] = true
		}
	case k == "include.path" || strings.HasPrefix(k, "includeif.") || k == "init.templatedir":
		w.note("env-exec", cmd.src, cmd.pos)
	case k == "sendemail.smtpserver" && strings.HasPrefix(val, "/"):
		w.settingLine(st, c, cmd, k, val) // a program of that name, not a host
	case strings.HasSuffix(k, ".url") || strings.HasSuffix(k, ".pushurl"):
		w.transport(st, c, cmd, val)
	case strings.HasPrefix(k, "url.") && strings.HasSuffix(k, "insteadof"):
		w.transport(st, c, cmd, key[len("url."):strings.LastIndexByte(key, '.')])
	case gitRuns(k):
		w.settingLine(st, c, cmd, k, val)
	}
}

// settingLine walks the value of a setting that git hands to a shell.
func (w *walker) settingLine(st *state, c ctx, cmd command, key, val string) {
	switch strings.ToLower(val) {
	case "", "true", "false", "0", "1", "yes", "no", "on", "off":
		return
	}
	line := val
	if strings.HasSuffix(key, ".helper") || strings.HasPrefix(key, "submodule.") {
		rest, ok := strings.CutPrefix(val, "!")
		switch {
		case ok:
			line = rest
		case !strings.HasPrefix(val, "/"):
			return // a helper of git's own: store, cache
		}
	}
	in := within(c, "git config").skippable()
	in.in, in.out, in.feed = &input{}, nil, nil
	w.again(st.clone(), in, []word{literal(line, cmd.pos)}, cmd.pos)
}

// gitConfig walks "git config key value": what is only set runs later, maybe.
func (w *walker) gitConfig(st *state, c ctx, cmd command, sub int) {
	var ops []word
	for j := sub + 1; j < len(cmd.words); j++ {
		t := cmd.words[j].text
		if cmd.words[j].known && strings.HasPrefix(t, "-") && len(ops) == 0 {
			switch t {
			case "-f", "--file", "--blob", "--type", "--default", "--comment", "--value":
				j++
			case "--unset", "--unset-all", "--get", "--get-all", "--get-regexp", "--list", "-l", "--remove-section":
				return
			}
			continue
		}
		if len(ops) == 0 && (t == "set" || t == "get" || t == "unset" || t == "list") {
			if t != "set" {
				return
			}
			continue
		}
		ops = append(ops, cmd.words[j])
	}
	if len(ops) < 2 {
		return
	}
	key, val := ops[0].text, ops[1]
	if !val.known {
		if gitRuns(key) {
			w.note("dynamic-script", cmd.src, cmd.pos)
		}
		return
	}
	if _, ok := cutFold(key, "alias."); ok {
		w.gitAlias(st, c, cmd, val.text, nil, false)
		return
	}
	if k := strings.ToLower(key); k != "core.hookspath" && k != "init.templatedir" {
		w.gitSetting(st, c, cmd, key, val.text, len(w.calls))
	}
}
