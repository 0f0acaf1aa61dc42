package shell

import (
	"slices"
	"strings"
	"testing"
)

// Everyday lines that look like attempts to run something: their calls are
// those of the programs that are named, and nothing is unresolved.
func TestVariants(t *testing.T) {
	for _, tt := range variants {
		got := Translate(request(tt.line, "", ""))
		var words []string
		for _, c := range got.Calls {
			words = append(words, c.Tool)
		}
		for _, u := range got.Unresolved {
			words = append(words, u.Code)
		}
		if !slices.Equal(words, strings.Fields(tt.want)) {
			t.Errorf("%q: %v, want %s", tt.line, words, tt.want)
		}
	}
}

var variants = []struct{ line, want string }{
	{`git -c color.ui=always diff`, `git_diff`},
	{`git -c user.name=x commit -m y`, `git_commit`},
	{`git -c core.pager=cat log`, `git_log cat`},
	{`git difftool HEAD`, `git_difftool`},
	{`git ls-remote origin`, `git_ls_remote`},
	{`git fetch origin main`, `git_fetch`},
	{`git clone https://h/r.git`, `git_clone`},
	{`git clone --template= https://h/r.git`, `git_clone`},
	{`git submodule add https://h/r.git d`, `git_submodule_add`},
	{`git remote add o git@h:r.git`, `git_remote_add`},
	{`git commit -m 'ext::sh -c ls'`, `git_commit`},
	{`git grep -O x`, `git_grep`},
	{`git send-email p`, `git_send_email`},
	{`git archive -o f HEAD`, `git_archive`},
	{`git config color.ui always`, `git_config`},
	{`git config remote.o.url https://h/r.git`, `git_config`},
	{`man ls`, `man`},
	{`man 3 printf`, `man`},
	{`man -k word`, `man`},
	{`fzf --height 40%`, `fzf`},
	{`fzf --bind 'ctrl-a:select-all,ctrl-d:page-down'`, `fzf`},
	{`socat - TCP:h:80`, `socat`},
	{`emacs f`, `emacs`},
	{`expect f.exp`, `expect`},
	{`nodemon app.js`, `nodemon`},
	{`nodemon --watch src app.js`, `nodemon`},
	{`sed 's/e/x/' f`, `sed`},
	{`sed -n '1,3p' f`, `sed`},
	{`sed 's/a/e/g;s/b/w/' f`, `sed`},
	{`sed -e 's/x/y/' -e '/re/d' f`, `sed`},
	{`sed "s/a/$X/" f`, `sed`},
	{`less f`, `less`},
	{`less +F f`, `less`},
	{`less +/word f`, `less`},
	{`vim f`, `vim`},
	{`vim +12 f`, `vim`},
	{`vim -c 'set nu' f`, `vim`},
	{`vim -c 'wq' f`, `vim`},
	{`vim -c '%s/lua/x/g' f`, `vim`},
	{`tar -czf a.tgz d`, `tar`},
	{`rsync -a -e 'ssh -p 22' a h:b`, `rsync`},
	{`rsync -a a b`, `rsync`},
	{`ssh -o BatchMode=yes h`, `ssh`},
	{`start-stop-daemon --stop --pidfile p`, `start_stop_daemon`},
	{`screen -ls`, `screen`},
	{`screen -r s`, `screen`},
	{`tmux ls`, `tmux`},
	{`tmux attach -t s`, `tmux`},
	{`tmux kill-session -t s`, `tmux`},
	{`tmux send-keys -t s C-c`, `tmux`},
	{`tmux select-pane -t 1`, `tmux`},
	{`capsh --print`, `capsh`},
	{`wsl --list`, `wsl`},
	{`npx eslint .`, `npx`},
	{`npx tsc --noEmit`, `npx`},
	{`npx prettier --write src`, `npx`},
	{`pnpm dlx create-vite`, `pnpm_dlx`},
	{`gh alias list`, `gh_alias_list`},
	{`gh config set git_protocol ssh`, `gh_config_set`},
	{`gh repo clone o/r`, `gh_repo_clone`},
	{`docker run --rm i`, `docker_run`},
	{`docker create i`, `docker_create`},
	{`docker run --entrypoint '' i`, `docker_run`},
	{`awk '{print $1}' f`, `awk`},
	{`awk '/a|b/ {print}' f`, `awk`},
	{`awk -F'|' '{print $2}' f`, `awk`},
	{`awk '{if ($1 || $2) print $1/2}' f`, `awk`},
	{`perl -pe 's/the system (x)/y/' f`, `perl`},
	{`perl -ne 'print if /system/' f`, `perl`},
	{`python3 -c 'print(1)'`, `python`},
	{`python3 -c 'import re; re.compile("x").match("y")'`, `python`},
	{`python3 -c 'def run(x): pass'`, `python`},
	{`python3 -c 'import subprocess; print(subprocess.PIPE)'`, `python`},
	{`node -e 'console.log(/a/.exec("abc"))'`, `node abc`},
	{`node -e 'const m = re.exec(s)'`, `node`},
	{`ruby -e 'puts 1'`, `ruby`},
	{`curl -d '{"a":1}' u`, `curl`},
	{`curl -d name=x u`, `curl`},
	{`curl -d user@example.com u`, `curl`},
	{`curl -H 'A: b' u`, `curl`},
	{`curl -b a=b u`, `curl`},
	{`wget https://h/f`, `wget`},
	{`http GET https://h`, `http`},
	{`lldb a.out`, `lldb`},
	{`gdb -ex run a.out`, `gdb`},
	{`gdb -ex 'break main' -ex run a.out`, `gdb`},
	{`cmake -B build`, `cmake`},
	{`cmake -E echo x`, `cmake`},
	{`cmake --build build`, `cmake`},
	{`hg commit -m x`, `hg`},
	{`hg --config ui.username=x commit`, `hg`},
	{`dc -e '1 2 + p'`, `dc`},
	{`octave --eval 'disp(1)'`, `octave`},
	{`R -e 'print(1)'`, `r`},
	{`Rscript f.R`, `rscript`},
	{`CC=clang make`, `make`},
	{`CC='ccache gcc' make`, `make`},
	{`SHELL=/bin/bash make`, `make`},
	{`MAKEFLAGS=-j8 make`, `make`},
	{`GOFLAGS=-mod=mod go build`, `go_build`},
	{`LESS=-R git log`, `git_log`},
	{`JAVA_OPTS=-Xmx2g mvn test`, `mvn`},
	{`GIT_CONFIG_GLOBAL=/dev/null git log`, `git_log`},
}
