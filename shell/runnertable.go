package shell

import "strings"

// A runner is a program that runs another one, named by its words (shell.md
// 3.2). Options in opts take a value: the next word, or the rest of a bundle,
// or what follows "=". An unknown option is a flag.
type runner struct {
	name   string // one or two words
	opts   string // options with a value
	two    string // options with two values
	skip   int    // operands in front of the command
	line   string // options whose value is a line for a shell
	chdir  string // options that name the folder the command runs in
	none   string // options with which nothing is run
	clear  string // options that empty the environment
	after  string // the command stands behind this option only
	joined bool   // the operands joined by blanks are a line
	each   bool   // each operand is a line
	assign bool   // NAME=value words stand in front of the command
	mixed  bool   // options may follow operands
	lost   bool   // the command has an environment of its own
	shell  bool   // without a command it is a shell that reads its input
	flagSh string // with one of these flags and no command, too
	here   bool   // the command runs in this shell
	plain  bool   // of two words, but the call goes by the first
	argv   string // with one of these flags, the operands are a command, not a line
	remote string
}

// runners is the table, sorted by name. It is data: nothing is built at start.
var runners = [...]runner{
	{name: "builtin", here: true},
	{name: "busybox", none: "--list --list-full --install"},
	{
		name: "bwrap", chdir: "--chdir",
		opts: "--unsetenv --proc --dev --tmpfs --dir --uid --gid --hostname --args --lock-file --perms --seccomp --size --overlay-src --tmp-overlay --ro-overlay --cap-add --cap-drop --userns --userns2 --pidns --info-fd --json-status-fd --block-fd --userns-block-fd --sync-fd --mqueue --remount-ro --argv0 --exec-label --file-label --add-seccomp-fd",
		two:  "--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --bind-fd --ro-bind-fd --symlink --setenv --file --bind-data --ro-bind-data --chmod --overlay",
	},
	{name: "caffeinate", opts: "-t -w"},
	{name: "cgexec", opts: "-g"},
	{name: "chpst", opts: "-u -U -b -e -/ -C -n -l -L -m -d -o -p -f -c -r -t"},
	{name: "chronic"},
	{name: "chroot", skip: 1, shell: true, opts: "--userspec --groups", remote: "chroot", lost: true},
	{name: "chrt", skip: 1, opts: "-T -P -D --sched-runtime --sched-deadline --sched-period", none: "-p --pid -m --max"},
	{name: "command", here: true, none: "-v -V"},
	{
		name: "concurrently", each: true,
		opts: "-n --names -c --prefix-colors -p --prefix -l --prefix-length -t --timestamp-format -m --max-processes -s --success --restart-tries --restart-after --name-separator --default-input-target --kill-signal --hide",
	},
	{name: "cross-env", assign: true},
	{name: "cross-env-shell", assign: true, joined: true},
	{name: "dbus-run-session", opts: "--config-file --dbus-daemon"},
	{name: "doas", opts: "-u -C -a", lost: true, flagSh: "-s"},
	{name: "dotenvx run", plain: true, opts: "-f --env-file -e --env -fk --env-keys-file -fv --env-vault-file"},
	{name: "dumb-init", opts: "-r --rewrite"},
	{name: "eatmydata"},
	{name: "entr"},
	{name: "env", opts: "-u --unset -C --chdir -a --argv0", chdir: "-C --chdir", clear: "-i - --ignore-environment", assign: true},
	{name: "exec", opts: "-a", here: true},
	{name: "fakechroot", opts: "-e -c --environment --config-dir"},
	{name: "fakeroot", opts: "-l -s -i -b --lib --faked --save --load"},
	{name: "firejail"},
	{name: "flock", skip: 1, opts: "-w --wait --timeout -E --conflict-exit-code -c --command", line: "-c --command", mixed: true},
	{name: "gdb", after: "--args"},
	{name: "gosu", skip: 1, lost: true},
	{
		name: "hyperfine", each: true, line: "-p --prepare -s --setup -c --cleanup --conclude -C",
		opts: "-w --warmup -m --min-runs -M --max-runs -r --runs -p --prepare -s --setup -c --cleanup --conclude -C -n --command-name -D --parameter-step-size -S --shell --export-json --export-csv --export-markdown --export-asciidoc --export-orgmode --style --sort --time-unit -u --output --input --reference --reference-name",
		two:  "-L --parameter-list",
	},
	{name: "ionice", opts: "-c --class -n --classdata", none: "-p --pid -P --pgid -u --uid"},
	{name: "kcov", skip: 1, opts: "--include-path --exclude-path --include-pattern --exclude-pattern"},
	{name: "lima", remote: "host"},
	{name: "linux32"},
	{name: "linux64"},
	{name: "ltrace", opts: "-e -o --output -p -s -u -n -a -A -l -x -F -D -w", none: "-p"},
	{name: "nice", opts: "-n --adjustment"},
	{name: "nocorrect", here: true},
	{name: "noglob", here: true},
	{name: "nohup"},
	{name: "nsenter", shell: true, opts: "-t --target -S --setuid -G --setgid", lost: true},
	{name: "numactl", opts: "-i --interleave -p --preferred -P --preferred-many -m --membind -N --cpunodebind -C --physcpubind", none: "-s --show -H --hardware"},
	{name: "perf record", opts: "-e --event -o --output -F --freq -c --count -p --pid -t --tid -C --cpu -u --uid -G --cgroup -D --delay -m --mmap-pages -k --clockid -b --filter --call-graph"},
	{name: "perf stat", opts: "-e --event -o --output -r --repeat -p --pid -t --tid -C --cpu -G --cgroup -D --delay -I --interval-print -x --field-separator -M --metrics --log-fd"},
	{name: "pkexec", opts: "--user", lost: true, shell: true},
	{name: "prlimit"},
	{name: "proot", opts: "-r --rootfs -b --bind -m --mount -w --cwd --pwd -q --qemu -k --kernel-release -v --verbose -R -S"},
	{name: "proxychains", opts: "-f"},
	{name: "proxychains4", opts: "-f"},
	{name: "rlwrap", opts: "-a -b -C -D -f -g -H -l -M -N -O -p -P -q -s -S -t -w -z"},
	{name: "run0", lost: true, shell: true, opts: "-u --user -g --group --nice -D --chdir --setenv --slice --unit --property --description --background -M --machine", chdir: "-D --chdir"},
	{name: "runuser", opts: "-u --user -g --group -G --supp-group -s --shell -w --whitelist-environment -c --command --session-command -T", line: "-c --command --session-command", argv: "-u --user", mixed: true, lost: true, shell: true},
	{name: "script", line: "-c --command", opts: "-c --command -o --output-limit -O --log-out -I --log-in -B --log-io -m --logging-format -E --echo -t", skip: 1, mixed: true, shell: true},
	{name: "setarch", skip: 1},
	{name: "setpriv", opts: "--reuid --regid --ruid --euid --rgid --egid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig --selinux-label --apparmor-profile --landlock-access --landlock-rule --seccomp-filter", none: "-d --dump"},
	{name: "setsid"},
	{name: "stdbuf", opts: "-i -o -e --input --output --error"},
	{name: "strace", opts: "-e -o --output -p --attach -P --trace-path -s --string-limit -u --user -E --env -a --columns -b --detach-on -I --interruptible -O --summary-syscall-overhead -S --summary-sort-by -X --const-print-style -U --summary-columns", none: "-p --attach"},
	{name: "su", opts: "-c --command --session-command -s --shell -g --group -G --supp-group -w --whitelist-environment -T", line: "-c --command --session-command", mixed: true, lost: true, shell: true},
	{name: "su-exec", skip: 1, lost: true},
	{name: "sudo", opts: "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T --command-timeout -U --other-user -R --chroot -D --chdir", chdir: "-D --chdir", none: "-e --edit -l --list -v --validate -V --version -K --remove-timestamp", assign: true, lost: true, flagSh: "-s -i --shell --login"},
	{name: "systemd-inhibit", opts: "--what --who --why --mode"},
	{name: "systemd-run", lost: true, opts: "-u --unit -p --property --description --slice -M --machine -H --host -E --setenv --working-directory --uid --gid --nice --on-active --on-boot --on-startup --on-unit-active --on-unit-inactive --on-calendar --path-property --socket-property --timer-property --service-type", chdir: "--working-directory"},
	{name: "taskset", skip: 1, none: "-p --pid"},
	{name: "time", opts: "-o --output -f --format"},
	{name: "timeout", skip: 1, opts: "-k --kill-after -s --signal"},
	{name: "tini", opts: "-p -e"},
	{name: "tmux new", plain: true, joined: true, opts: "-c -e -f -F -n -s -t -x -y"},
	{name: "tmux new-session", plain: true, joined: true, opts: "-c -e -f -F -n -s -t -x -y"},
	{name: "tmux new-window", plain: true, joined: true, opts: "-c -e -F -n -t"},
	{name: "tmux neww", plain: true, joined: true, opts: "-c -e -F -n -t"},
	{name: "tmux split-window", plain: true, joined: true, opts: "-c -e -l -p -t -F"},
	{name: "tmux splitw", plain: true, joined: true, opts: "-c -e -l -p -t -F"},
	{name: "torsocks", opts: "-a --address -P --port -u --user -p --pass"},
	{name: "toybox", none: "--long"},
	{name: "tsocks"},
	{name: "unbuffer"},
	{name: "unshare", opts: "-S --setuid -G --setgid -R --root -w --wd --setgroups --propagation --map-user --map-group --map-users --map-groups --monotonic --boottime", chdir: "-w --wd", shell: true},
	{name: "valgrind"},
	{name: "watch", joined: true, opts: "-n --interval -q --equexit", argv: "-x --exec"},
	{name: "watchexec", opts: "-w --watch -e --exts -f --filter -i --ignore -s --signal -d --debounce --shell -E --env -p --poll --stop-signal --stop-timeout --workdir -W --watch-non-recursive", joined: true, argv: "-n"},
	{name: "winpty"},
	{name: "xvfb-run", opts: "-e --error-file -f --auth-file -n --server-num -p --xauth-protocol -s --server-args"},
}

// runnerFor finds the entry of a program, or of a program and its first word.
func runnerFor(base, sub string) *runner {
	if sub != "" {
		if r := findRunner(base + " " + sub); r != nil {
			return r
		}
	}
	if r := findRunner(base); r != nil {
		return r
	}
	if isLoader(base) {
		return &loader
	}
	// GNU programs under the names they have on other systems.
	if rest, ok := strings.CutPrefix(base, "g"); ok {
		switch rest {
		case "env", "nice", "nohup", "stdbuf", "timeout", "time", "chroot":
			return findRunner(rest)
		}
	}
	return nil
}

// loader is ld.so, which runs the program it is given.
var loader = runner{name: "ld.so", opts: "--library-path --preload --inhibit-rpath --audit --argv0 --glibc-hwcaps-prepend --glibc-hwcaps-mask", none: "--list --verify --help --version --list-tunables --list-diagnostics"}

func isLoader(base string) bool {
	return strings.HasPrefix(base, "ld-linux") && strings.Contains(base, ".so") ||
		strings.HasPrefix(base, "ld-musl") || base == "ld.so" || strings.HasPrefix(base, "ld64.so")
}

func findRunner(name string) *runner {
	lo, hi := 0, len(runners)
	for lo < hi {
		mid := (lo + hi) / 2
		if runners[mid].name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(runners) && runners[lo].name == name {
		return &runners[lo]
	}
	return nil
}

// has says whether a list of options holds one.
func has(list, option string) bool {
	for len(list) > 0 {
		var o string
		o, list, _ = strings.Cut(list, " ")
		if o == option {
			return true
		}
	}
	return false
}
