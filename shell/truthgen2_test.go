//go:build truth

package shell

import "strings"

// quote puts a text in single quotes.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'" }

// special is a command with a meaning of its own: builtins, runners, shells.
func (m *lineMaker) special() string {
	kinds := []struct {
		name string
		make func() string
	}{
		{"assignment", func() string {
			return m.pick("A=q", "A=", "B='r s'", "A=$B", "A=${A}b", "A=x B=y", "A=$(alpha as)", "X=*.txt", "A=~/z")
		}},
		{"assignment-append", func() string { return m.pick("A+=q", "B+=' t'", "X+=1") }},
		{"array-assignment", func() string {
			return m.pick("arr=(a b c); gamma ${arr[1]} \"${arr[@]:1}\"", "arr=($(alpha ar) b)", "arr+=(z); zap \"${arr[@]}\"", "arr[0]=$(beta ai)", "arr=(alpha x 'y z'); \"${arr[@]}\"")
		}},
		{"table-assignment", func() string { return "declare -A m=([k]=v); ship ${m[k]}" }},
		{"export", func() string {
			return m.pick("export A=aa", "export X=$(beta ex) Y=1", "A=zz; export A; bash -c 'relay $A'", "export \"B=$A\"")
		}},
		{"declare", func() string {
			return m.pick("declare X=$(alpha dc)", "declare -x B=q", "readonly Q"+m.pick("1", "2", "3")+"=$(gamma ro)", "declare -i N=3")
		}},
		{"unset", func() string { return m.pick("unset A; alpha $A b", "unset B E") }},
		{"read", func() string {
			return m.pick("read A < list; alpha $A", "read -r A B <<< 'p q'; zap \"$A\"", "mapfile -t arr < list; mk \"${arr[@]}\"")
		}},
		{"set-parameters", func() string {
			return m.pick("set -- a b; shift; mk $1", "set -- alpha p; \"$@\"", "set -- x y; beta \"$@\" $#")
		}},
		{"set-options", func() string {
			return m.pick("set -f; zap *.txt; set +f", "set +B; mk {a,b}; set -B", "set -e; set +e")
		}},
		{"ifs", func() string { return "IFS=,; L=a,b; beta $L; IFS=$' \\t\\n'" }},
		{"default-assignment", func() string {
			return m.pick(": ${Z:=q}; zap $Z", ": ${E:=r}; zap $E", ": ${A:=s}; zap $A", ": ${Z:=$(alpha z)}")
		}},
		{"colon", func() string { return m.pick(":", ": $(alpha co)", ": > log") }},
		{"bare-redirect", func() string { return m.pick("> out", ">> log", "> $(echo bare)") }},
		{"here-doc-command", func() string { return m.program() + " " + m.hereDoc() + " " + m.arg() }},
		{"cd", func() string {
			return m.pick("cd sub", "cd ..", "cd", "cd -", "cd src", "cd nosuch", "cd sub/deep", "cd \"$HOME\"", "cd -P sub", "cd -- sub", "cd \"$U1\"") + m.pick("", "; zap here", " && zap here", " || zap here")
		}},
		{"pushd", func() string { return m.pick("pushd sub; zap p; popd; zap q", "pushd sub >/dev/null", "popd") }},
		{"eval", func() string {
			return "eval " + m.pick(quote(m.safeList()), "\"alpha $A\"", "alpha x '&&' beta", quote("V='gamma a b'; $V c"), "\"$U1\"", "\"$(alpha ev)\"")
		}},
		{"shell-text", func() string {
			return m.pick("bash -c ", "sh -c ", "bash -ec ", "bash --norc -c ", "bash -o pipefail -c ") + quote(m.safeList()) + m.pick("", " _ w1 w2")
		}},
		{"shell-parameters", func() string {
			return m.pick("bash -c 'alpha \"$1\"' _ w", "bash -c '\"$@\"' _ probe y", "bash -c '$0 x' gamma", "sh -c 'relay $#' a b")
		}},
		{"shell-double-quoted", func() string { return m.pick("bash -c \"ship $A\"", "bash -c \"zap $U1\"", "sh -c \"$C\"") }},
		{"shell-stdin", func() string {
			return m.pick("echo 'alpha st' | bash", "printf 'beta x\\ngamma y\\n' | sh", "bash <<< 'alpha hs; beta hs'", "echo 'cd sub; zap q' | cat | sh", "bash -s a b <<< 'mk $1'", "cat list | bash", "bash < script", "echo rm x | sudo bash")
		}},
		{"written-script", func() string {
			return m.pick("echo 'alpha wr' > s.sh; bash s.sh", "echo 'beta x; gamma y' > s.sh; . ./s.sh", "printf 'zap w\\n' > s.sh && sh ./s.sh", "echo 'mk 1' > s.sh; echo 'mk 2' >> s.sh; bash s.sh", "alpha > s.sh; bash s.sh", "{ echo 'w4 g'; } > s.sh; sh s.sh")
		}},
		{"env", func() string {
			if m.chance(15) {
				return "env -i " + m.nowhere() + " " + m.arg()
			}
			return m.pick("env ", "env A=1 B='2 3' ", "env -u FOO ", "env -- ", "env X=$A ") + m.program() + " " + m.arg()
		}},
		{"env-split", func() string {
			return m.pick("env -S 'alpha x'", "env -S 'A=1 beta' y", "env -vS 'gamma x'", "env -S'zap 1 2' 3")
		}},
		{"env-chdir", func() string { return m.pick("env -C sub zap w", "env --chdir=sub zap w") }},
		{"nice", func() string {
			return m.pick("nice ", "nice -n 5 ", "nice -n5 ", "nice -5 ", "nice --adjustment=3 ") + m.program() + " " + m.arg()
		}},
		{"timeout", func() string {
			return m.pick("timeout 3 ", "timeout -k1 2 ", "timeout -s KILL 3s ", "timeout --signal=9 3 ") + m.program() + " " + m.arg()
		}},
		{"nohup", func() string { return "nohup " + m.program() + " " + m.arg() }},
		{"setsid", func() string { return "setsid -w " + m.program() + " " + m.arg() }},
		{"stdbuf", func() string { return m.pick("stdbuf -oL ", "stdbuf -o0 -e0 ") + m.program() + " " + m.arg() }},
		{"sudo", func() string { return m.pick("sudo ", "sudo -u dev ", "sudo -n ") + m.program() + " " + m.arg() }},
		{"command", func() string {
			if m.chance(30) {
				return "command -p " + m.nowhere() + " " + m.arg()
			}
			return m.pick("command ", "command -- ") + m.program() + " " + m.arg()
		}},
		{"builtin", func() string {
			return m.pick("builtin cd sub; zap b", "builtin echo x", "command cd sub; zap c", "builtin eval 'alpha be'")
		}},
		{"exec", func() string {
			return m.pick("(exec "+m.program()+" "+m.arg()+")", "(exec -a n alpha x)", "exec 3>>log", "exec {fd}>log")
		}},
		{"xargs", func() string {
			return m.pick("echo z | xargs alpha", "cat list | xargs -n1 beta x", "printf '%s\\n' p q | xargs -I{} ship {} -v", "echo a b | xargs -r -n2 w4", "xargs -a list mk x", "echo q | xargs sh -c 'zap \"$@\"' _", "echo alpha x | xargs env", "echo y | xargs -I% rm %")
		}},
		{"find", func() string {
			return m.pick("find . -name '*.c' -exec alpha {} \\;", "find src -type f -exec beta {} +", "find . -maxdepth 0 -exec sh -c 'gamma x' \\;", "find . -name x.c -execdir probe {} \\;", "find . -name a.txt -exec zap y {} \\; -exec rm {} \\;")
		}},
		{"trap", func() string { return "trap " + quote(m.safeList()) + " EXIT" }},
		{"alias", func() string { return m.pick("alias ll='rm -rf x'; ll", "alias r='zap q'; r w") }},
		{"source", func() string { return m.pick(". ./lib.sh", "source lib.sh x", "source ./nosuch.sh") }},
		{"exit", func() string { return m.pick("(exit 1)", "(exit; zap gone)", "false || exit") }},
		{"output-maybe", func() string {
			return m.pick("V=$([ -f nosuch ] && echo alpha); $V beta om", "V=$([ -f a.txt ] && exit; echo alpha); $V beta om", "V=$(if gamma om; then exit; fi; echo zap); $V mk om",
				"fo() { probe om && return; echo alpha; }; V=$(fo); $V relay om", "V=$(set -e; ship om; echo alpha); $V w4 om", "V=$(cd nosuch && pwd); \"$V\"zap om")
		}},
		{"output-followed", func() string {
			return m.pick("V=$(true; echo alpha); $V of", "V=$(dirname a/b/c); zap $V", "V=$(cd sub && pwd); zap \"$V/x\"", "V=$(cd sub; pwd); zap \"$V\"", "V=$(basename \"$PWD\"); zap of")
		}},
		{"branch-value", func() string {
			return m.pick("V=alpha; beta bv && V=gamma; $V bv", "if beta bv; then V=alpha; else V='zap y'; fi; $V bv", "V=; gamma bv || V=ship; $V probe bv",
				"case $(alpha bv) in zed*) V=mk ;; *) V=w4 ;; esac; \"$V\" bv", "V=false; beta bv && V=true; if $V; then zap yes; else zap no; fi", "V='a*'; beta bv && V=gamma; $V bv",
				"V=alpha,x; beta bv && V=gamma,y; IFS=,; $V bv; IFS=$' \\t\\n'",
				"V=alpha; beta bv && V=gamma; env $V bv", "V=alpha; beta bv && V='-u FOO zap'; env $V mk bv", "V=alpha; beta bv && V=A=1; env $V mk bv", "V=alpha; beta bv && V=; nice $V w4 bv")
		}},
		{"read-loop", func() string {
			return m.pick("printf 'p1\\np2\\n' | while read -r l; do rm \"$l\"; mk; done", "while read -r l; do zap \"$l\"; done <<< 'q1'; rm \"$l/x\"", "ls src | while read l; do rm \"$l\"; done",
				"find src -name '*.c' | while IFS= read -r l; do touch \"$l\"; done", "printf 'alpha\\nbeta\\n' | while read l; do $l rl; done")
		}},
		{"true-false", func() string { return m.pick("true", "false", "true && false") }},
		{"echo", func() string { return "echo " + m.pick("hi", "-n x", "'rm -rf x'", "$A", "-e 'a\\nb'") }},
	}
	k := kinds[m.r.IntN(len(kinds))]
	if len(m.heres) > 0 && (k.name == "here-doc-command" || k.name == "trap" || k.name == "shell-text" || k.name == "eval") {
		return m.program()
	}
	m.use(k.name)
	return k.make()
}
