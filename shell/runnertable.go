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
	glued  string // of line, those whose value is never the next word
	prog   string // options that name the program: only its words stand behind "after"
	as     string // the program when no option names it
	chdir  string // options that name the folder the command runs in
	none   string // options with which nothing is run
	clear  string // options that empty the environment
	after  string // the command stands behind this option only
	data   bool   // the operands are no command: only the lines of options run
	joined bool   // the operands joined by blanks are a line
	text   string // with one of these flags, they are
	each   bool   // each operand is a line
	assign bool   // NAME=value words stand in front of the command
	mixed  bool   // options may follow operands
	lost   bool   // the command has an environment of its own
	shell  bool   // without a command it is a shell that reads its input
	flagSh string // with one of these flags and no command, too
	here   bool   // the command runs in this shell
	plain  bool   // of two words, but the call goes by the first
	argv   string // with one of these flags, the operands are a command, not a line
	subs   string // first operands with which nothing is run
	remote string
}

// runners is the table, sorted by name. It is data: nothing is built at start.
var runners = [...]runner{
	{name: "aa-exec", opts: "-p --profile -n --namespace"},
	{name: "abduco", skip: 1, opts: "-e"},
	{name: "ack", data: true, line: "--pager"},
	{name: "ag", data: true, line: "--pager"},
	{name: "alacritty", after: "-e --command"},
	{name: "apptainer exec", plain: true, skip: 1, remote: "container", opts: "-B --bind --env --env-file -H --home -W --workdir --pwd -S --scratch --overlay --app --mount"},
	{name: "aria2c", data: true, line: "--on-download-complete --on-download-start --on-download-stop --on-download-error --on-download-pause --on-bt-download-complete"},
	{name: "bear", opts: "--output -o --config"},
	{name: "borg", data: true, line: "--rsh"},
	{name: "bpftrace", data: true, line: "-c", opts: "-e -p -B -f -o -I"},
	{name: "buildah run", plain: true, skip: 1, remote: "container", opts: "-v --volume -u --user --workingdir -e --env --mount --network --cap-add --cap-drop --isolation --hostname", lost: true},
	{name: "builtin", here: true},
	{name: "busybox", none: "--list --list-full --install"},
	{
		name: "bwrap", chdir: "--chdir",
		opts: "--unsetenv --proc --dev --tmpfs --dir --uid --gid --hostname --args --lock-file --perms --seccomp --size --overlay-src --tmp-overlay --ro-overlay --cap-add --cap-drop --userns --userns2 --pidns --info-fd --json-status-fd --block-fd --userns-block-fd --sync-fd --mqueue --remount-ro --argv0 --exec-label --file-label --add-seccomp-fd",
		two:  "--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --bind-fd --ro-bind-fd --symlink --setenv --file --bind-data --ro-bind-data --chmod --overlay",
	},
	{name: "caffeinate", opts: "-t -w"},
	{name: "capsh", after: "--", prog: "--shell", as: "bash"},
	{name: "cargo watch", plain: true, data: true, line: "-s --shell", opts: "-x --exec -w --watch -i --ignore -d --delay -C --workdir"},
	{name: "catchsegv"},
	{name: "ccache", opts: "-d --directory -o --set-config -F --max-files -M --max-size -k --get-config"},
	{name: "cgexec", opts: "-g"},
	{name: "chokidar", data: true, line: "-c --command"},
	{name: "chpst", opts: "-u -U -b -e -/ -C -n -l -L -m -d -o -p -f -c -r -t"},
	{name: "chronic"},
	{name: "chroot", skip: 1, shell: true, opts: "--userspec --groups", remote: "chroot", lost: true},
	{name: "chrt", skip: 1, opts: "-T -P -D --sched-runtime --sched-deadline --sched-period", none: "-p --pid -m --max"},
	{name: "clush", joined: true, remote: "host", lost: true, opts: "-w -g -x -X -l -o -t -u -f -O --user --options --fanout --outdir --errdir --hostfile"},
	{name: "colima ssh", plain: true, after: "--", remote: "host", lost: true},
	{name: "command", here: true, none: "-v -V"},
	{name: "composer exec", plain: true, opts: "-d --working-dir"},
	{
		name: "concurrently", each: true,
		opts: "-n --names -c --prefix-colors -p --prefix -l --prefix-length -t --timestamp-format -m --max-processes -s --success --restart-tries --restart-after --name-separator --default-input-target --kill-signal --hide",
	},
	{name: "consul exec", plain: true, joined: true, remote: "host", lost: true, opts: "-node -service -tag -prefix -http-addr -token -datacenter -wait -wait-repl"},
	{name: "consul lock", plain: true, skip: 1, joined: true, opts: "-name -n -timeout -http-addr -token -monitor-retry -datacenter"},
	{name: "consul watch", plain: true, joined: true, opts: "-type -key -keyprefix -prefix -name -service -tag -state -http-addr -token -datacenter -filter"},
	{name: "cpio", data: true, line: "--rsh-command"},
	{name: "cpulimit", opts: "-l --limit -p --pid -e --exe -P --path", none: "-p --pid -e --exe"},
	{name: "crictl exec", plain: true, skip: 1, remote: "container", lost: true, opts: "--timeout -r --transport"},
	{name: "cross-env", assign: true},
	{name: "cross-env-shell", assign: true, joined: true},
	{name: "ctr run", plain: true, skip: 2, remote: "container", lost: true, opts: "--mount --env --env-file --cwd --user --runtime --label --snapshotter --platform --cpus --memory-limit"},
	{name: "ctr t", plain: true, skip: 2, remote: "container", lost: true, opts: "--exec-id --cwd --user --log-uri --fifo-dir", subs: "attach checkpoint delete del remove rm kill list ls metrics metric pause ps resume start"},
	{name: "ctr task", plain: true, skip: 2, remote: "container", lost: true, opts: "--exec-id --cwd --user --log-uri --fifo-dir", subs: "attach checkpoint delete del remove rm kill list ls metrics metric pause ps resume start"},
	{name: "ctr tasks", plain: true, skip: 2, remote: "container", lost: true, opts: "--exec-id --cwd --user --log-uri --fifo-dir", subs: "attach checkpoint delete del remove rm kill list ls metrics metric pause ps resume start"},
	{name: "daemon", line: "-X --command", opts: "-n --name -p --pidfiles -F --pidfile -u --user -R --chroot -D --chdir -m --umask -e --env -a --attempts -L --limit -A --delay -M --limit -o --output -O --stdout -E --stderr -l --errlog -b --dbglog -C --config", chdir: "-D --chdir"},
	{name: "daemonize", opts: "-e -o -p -l -u -E", chdir: "-c"},
	{name: "dbus-launch", opts: "--autolaunch --config-file"},
	{name: "dbus-run-session", opts: "--config-file --dbus-daemon"},
	{name: "delta", data: true, line: "--pager"},
	{name: "devbox run", plain: true, opts: "-c --config -e --env --env-file --environment"},
	{name: "devenv shell", plain: true},
	{name: "distcc"},
	{name: "distrobox enter", plain: true, after: "-- -e --exec"},
	{name: "distrobox-enter", after: "-- -e --exec"},
	{name: "doas", opts: "-u -C -a", lost: true, flagSh: "-s"},
	{name: "docker-machine ssh", plain: true, skip: 1, joined: true, remote: "host", lost: true},
	{name: "dotenv", opts: "-e -v -p -f -q --env-file", subs: "run set get unset list", none: "-p"},
	{name: "dotenvx run", plain: true, opts: "-f --env-file -e --env -fk --env-keys-file -fv --env-vault-file"},
	{name: "dsh", joined: true, remote: "host", lost: true, opts: "-m --machine -g --group -f --file -r --remoteshell -o --remoteshellopt -F --forklimit"},
	{name: "dtach", opts: "-a -A -c -n -N -p -e -r", none: "-a -p"},
	{name: "dtrace", data: true, line: "-c"},
	{name: "dumb-init", opts: "-r --rewrite"},
	{name: "eatmydata"},
	{name: "elvish", data: true, line: "-c"},
	{name: "entr", text: "-s"},
	{name: "env", opts: "-u --unset -C --chdir -a --argv0", chdir: "-C --chdir", clear: "-i - --ignore-environment", assign: true},
	{name: "env-cmd", opts: "-f --file -r --rc-file -e --environments", text: "--use-shell"},
	{name: "envconsul", opts: "-prefix -secret -config -consul-addr -consul-token -vault-addr -vault-token -log-level -kill-signal -splay -reload-signal -service"},
	{name: "envdir", skip: 1},
	{name: "envuidgid", skip: 1},
	{name: "etcdctl exec-watch", plain: true, after: "--"},
	{name: "etcdctl lock", plain: true, skip: 1, opts: "--ttl --endpoints"},
	{name: "etcdctl watch", plain: true, after: "--"},
	{name: "exec", opts: "-a", here: true},
	{name: "execlineb", data: true, line: "-c"},
	{name: "fakechroot", opts: "-e -c --environment --config-dir"},
	{name: "fakeroot", opts: "-l -s -i -b --lib --faked --save --load"},
	{name: "faketime", skip: 1},
	{name: "firejail"},
	{name: "flatpak run", plain: true, skip: 1, prog: "--command", opts: "--arch --branch --cwd --runtime --runtime-version --env --socket --device --filesystem --share"},
	{name: "flatpak-spawn", opts: "--env --forward-fd --directory", chdir: "--directory"},
	{name: "flock", skip: 1, opts: "-w --wait --timeout -E --conflict-exit-code -c --command", line: "-c --command", mixed: true},
	{name: "gamemoderun"},
	{name: "gdb", after: "--args"},
	{name: "gnome-terminal", line: "-e --command", after: "-- -x --execute"},
	{name: "gosu", skip: 1, lost: true},
	{name: "guix environment", plain: true, after: "--"},
	{name: "guix shell", plain: true, after: "--"},
	{name: "heaptrack", opts: "-o --output -p --pid", none: "-p --pid"},
	{name: "hwloc-bind", after: "--"},
	{
		name: "hyperfine", each: true, line: "-p --prepare -s --setup -c --cleanup --conclude -C",
		opts: "-w --warmup -m --min-runs -M --max-runs -r --runs -p --prepare -s --setup -c --cleanup --conclude -C -n --command-name -D --parameter-step-size -S --shell --export-json --export-csv --export-markdown --export-asciidoc --export-orgmode --style --sort --time-unit -u --output --input --reference --reference-name",
		two:  "-L --parameter-list",
	},
	{name: "incus exec", plain: true, skip: 1, remote: "container", lost: true, opts: "--cwd --env --user --group --mode"},
	{name: "infisical run", plain: true, line: "--command", after: "--"},
	{name: "ionice", opts: "-c --class -n --classdata", none: "-p --pid -P --pgid -u --uid"},
	{name: "ip netns", plain: true, skip: 2, subs: "add del delete list list-id show identify pids set attach monitor"},
	{name: "ip vrf", plain: true, skip: 2, subs: "show identify pids list"},
	{name: "jobs", after: "-x"},
	{name: "kcov", skip: 1, opts: "--include-path --exclude-path --include-pattern --exclude-pattern"},
	{name: "kitty", opts: "-c --config -o --override -d --directory --working-directory -T --title --class --name --session -1 --instance-group --listen-on", none: "-v --version -h --help", subs: "@ +kitten +kitty +open +launch +runpy"},
	{name: "konsole", after: "-e"},
	{name: "lima", remote: "host"},
	{name: "limactl shell", plain: true, skip: 1, remote: "host", lost: true, opts: "--workdir --shell"},
	{name: "linux32"},
	{name: "linux64"},
	{name: "lldb", after: "--"},
	{name: "logsave", skip: 1},
	{name: "ltrace", opts: "-e -o --output -p -s -u -n -a -A -l -x -F -D -w", none: "-p"},
	{name: "lxc exec", plain: true, skip: 1, remote: "container", lost: true, opts: "--cwd --env --user --group --mode"},
	{name: "lxc-attach", after: "--", remote: "container", lost: true},
	{name: "lxterminal", line: "-e --command"},
	{name: "machinectl shell", plain: true, skip: 1, remote: "container", lost: true, opts: "-E --setenv --uid -M --machine"},
	{name: "man", data: true, line: "-P --pager -H --html", glued: "-H --html", opts: "-C --config-file -R --recode -L --locale -m --systems -M --manpath -S -s --sections -e --extension -r --prompt -E --encoding -p --preprocessor"},
	{name: "minikube ssh", plain: true, joined: true, remote: "host", lost: true, opts: "-n --node -p --profile"},
	{name: "mosh", skip: 1, remote: "host", lost: true, line: "--ssh", opts: "--client --server --predict -p --port --family"},
	{name: "mpiexec", opts: "-n -np -c -H -host --host -hostfile --hostfile -machinefile -x -wdir --map-by --bind-to -ppn -f -env", two: "-mca --mca -genv"},
	{name: "mpirun", opts: "-n -np -c -H -host --host -hostfile --hostfile -machinefile -x -wdir --map-by --bind-to -ppn -f -env", two: "-mca --mca -genv"},
	{name: "multipass exec", plain: true, skip: 1, remote: "host", lost: true, opts: "-d --working-directory"},
	{name: "newgrp", data: true, shell: true},
	{name: "nice", opts: "-n --adjustment"},
	{name: "nocorrect", here: true},
	{name: "nodemon", data: true, line: "-x --exec", opts: "-w --watch -e --ext -i --ignore --config -d --delay -s --signal"},
	{name: "noglob", here: true},
	{name: "nohup"},
	{name: "nomad alloc", plain: true, skip: 2, remote: "container", lost: true, opts: "-task -job -e -i -t", subs: "status stop logs fs restart signal checks pause"},
	{name: "nomad exec", plain: true, skip: 1, remote: "container", lost: true, opts: "-task -job -e -i -t"},
	{name: "nq"},
	{name: "nsenter", shell: true, opts: "-t --target -S --setuid -G --setgid", lost: true},
	{name: "nsjail", after: "--"},
	{name: "nu", data: true, line: "-c --commands -e --execute"},
	{name: "numactl", opts: "-i --interleave -p --preferred -P --preferred-many -m --membind -N --cpunodebind -C --physcpubind", none: "-s --show -H --hardware"},
	{name: "nx exec", plain: true, after: "--"},
	{name: "onchange", after: "--"},
	{name: "orb", remote: "host", lost: true, opts: "-m --machine -u --user -w --workdir -p --path", subs: "list ls create start stop delete info config logs push pull ssh restart rename default status update version help docker k8s completion doctor export import clone reset report"},
	{name: "pandoc", data: true, line: "-F --filter"},
	{name: "parallel-ssh", joined: true, remote: "host", lost: true, opts: "-h --hosts -H --host -l --user -p --par -o --outdir -e --errdir -t --timeout -O --option -x --extra-args -X --extra-arg"},
	{name: "pdsh", joined: true, remote: "host", lost: true, opts: "-w -g -l -x -X -R -u -t -f -M"},
	{name: "perf record", opts: "-e --event -o --output -F --freq -c --count -p --pid -t --tid -C --cpu -u --uid -G --cgroup -D --delay -m --mmap-pages -k --clockid -b --filter --call-graph"},
	{name: "perf stat", opts: "-e --event -o --output -r --repeat -p --pid -t --tid -C --cpu -G --cgroup -D --delay -I --interval-print -x --field-separator -M --metrics --log-fd"},
	{name: "perf trace", opts: "-e --event -o --output -p --pid -t --tid -u --uid -G --cgroup", none: "-p --pid"},
	{name: "pgrphack"},
	{name: "pixi run", plain: true, opts: "-e --environment --manifest-path"},
	{name: "pkexec", opts: "--user", lost: true, shell: true},
	{name: "please", opts: "-u --user -g --group -t --target -d --dir -a --allowenv -r --reason", lost: true},
	{name: "prlimit"},
	{name: "proot", opts: "-r --rootfs -b --bind -m --mount -w --cwd --pwd -q --qemu -k --kernel-release -v --verbose -R -S"},
	{name: "proxychains", opts: "-f"},
	{name: "proxychains4", opts: "-f"},
	{name: "pssh", joined: true, remote: "host", lost: true, opts: "-h --hosts -H --host -l --user -p --par -o --outdir -e --errdir -t --timeout -O --option -x --extra-args -X --extra-arg"},
	{name: "ptw", data: true, line: "--runner --beforerun --afterrun --onpass --onfail --onexit --onint"},
	{name: "pueue add", plain: true, joined: true, opts: "-g --group -d --delay -l --label -a --after -o --priority", chdir: "-w --working-directory"},
	{name: "py-spy record", plain: true, after: "--"},
	{name: "reflex", opts: "-r --regex -g --glob -R --inverse-regex -G --inverse-glob -d --decoration -t --shutdown-timeout -c --config"},
	{name: "restic", data: true, line: "--password-command"},
	{name: "rlwrap", opts: "-a -b -C -D -f -g -H -l -M -N -O -p -P -q -s -S -t -w -z"},
	{name: "rpm", data: true, line: "--pipe"},
	{name: "rr record", plain: true, opts: "-c -n -o --output-trace-dir"},
	{name: "run0", lost: true, shell: true, opts: "-u --user -g --group --nice -D --chdir --setenv --slice --unit --property --description --background -M --machine", chdir: "-D --chdir"},
	{name: "runuser", opts: "-u --user -g --group -G --supp-group -s --shell -w --whitelist-environment -c --command --session-command -T", line: "-c --command --session-command", argv: "-u --user", mixed: true, lost: true, shell: true},
	{name: "rye run", plain: true, opts: "--pyproject"},
	{name: "s6-envdir", skip: 1},
	{name: "s6-setsid"},
	{name: "s6-setuidgid", skip: 1},
	{name: "sbatch", data: true, line: "--wrap"},
	{name: "scan-build", opts: "-o --status-bugs -analyze-headers --use-analyzer --use-cc --use-c++ -enable-checker -disable-checker"},
	{name: "sccache", none: "--start-server --stop-server -s --show-stats -z --zero-stats"},
	{name: "schroot", after: "--", remote: "chroot"},
	{name: "script", line: "-c --command", opts: "-c --command -o --output-limit -O --log-out -I --log-in -B --log-io -m --logging-format -E --echo -t", skip: 1, mixed: true, shell: true},
	{name: "sem", joined: true, opts: "-j --jobs --id --timeout --st --semaphoretimeout --semaphorename", none: "--wait"},
	{name: "setarch", skip: 1},
	{name: "setlock", skip: 1},
	{name: "setpriv", opts: "--reuid --regid --ruid --euid --rgid --egid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig --selinux-label --apparmor-profile --landlock-access --landlock-rule --seccomp-filter", none: "-d --dump"},
	{name: "setsid"},
	{name: "setuidgid", skip: 1},
	{name: "sg", skip: 1, line: "-c", joined: true},
	{name: "shx"},
	{name: "singularity exec", plain: true, skip: 1, remote: "container", opts: "-B --bind --env --env-file -H --home -W --workdir --pwd -S --scratch --overlay --app --mount"},
	{name: "softlimit", opts: "-m -d -s -l -a -o -p -f -c -r -t"},
	{name: "srun", opts: "-n --ntasks -N --nodes -p --partition -t --time -c --cpus-per-task -J --job-name -A --account -w --nodelist -o --output -e --error -D --chdir -q --qos -G --gpus --mem --gres --constraint --container-image --container-mounts", chdir: "-D --chdir"},
	{name: "sshpass", opts: "-f -d -p -P"},
	{name: "st", after: "-e"},
	{name: "start-stop-daemon", after: "--", prog: "-x --exec -a --startas", opts: "-p --pidfile -n --name -u --user -g --group -c --chuid -r --chroot -d --chdir -N --nicelevel -P --procsched -I --iosched -k --umask -s --signal -R --retry -O --output", none: "-K --stop -T --status -H --help"},
	{name: "stdbuf", opts: "-i -o -e --input --output --error"},
	{name: "strace", opts: "-e -o --output -p --attach -P --trace-path -s --string-limit -u --user -E --env -a --columns -b --detach-on -I --interruptible -O --summary-syscall-overhead -S --summary-sort-by -X --const-print-style -U --summary-columns", none: "-p --attach"},
	{name: "su", opts: "-c --command --session-command -s --shell -g --group -G --supp-group -w --whitelist-environment -T", line: "-c --command --session-command", mixed: true, lost: true, shell: true},
	{name: "su-exec", skip: 1, lost: true},
	{name: "sudo", opts: "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T --command-timeout -U --other-user -R --chroot -D --chdir", chdir: "-D --chdir", none: "-e --edit -l --list -v --validate -V --version -K --remove-timestamp", assign: true, lost: true, flagSh: "-s -i --shell --login"},
	{name: "svn", data: true, line: "--diff-cmd --diff3-cmd --editor-cmd"},
	{name: "systemd-cat", opts: "-t --identifier -p --priority --stderr-priority --level-prefix --namespace"},
	{name: "systemd-inhibit", opts: "--what --who --why --mode"},
	{name: "systemd-nspawn", remote: "container", lost: true, opts: "-D --directory --template -i --image -M --machine -u --user -S --slice --property -p --port --bind --bind-ro --tmpfs --overlay --chdir -E --setenv --capability --drop-capability --uuid --hostname --network-interface"},
	{name: "systemd-run", lost: true, opts: "-u --unit -p --property --description --slice -M --machine -H --host -E --setenv --working-directory --uid --gid --nice --on-active --on-boot --on-startup --on-unit-active --on-unit-inactive --on-calendar --path-property --socket-property --timer-property --service-type", chdir: "--working-directory"},
	{name: "taskset", skip: 1, none: "-p --pid"},
	{name: "tcpdump", data: true, line: "-z", opts: "-w -i -r -G -C -W -c -s -F -E -T -y -Z -B -j -M -Q -V"},
	{name: "teller run", plain: true, after: "--"},
	{name: "terminator", line: "-e --command", after: "-x --execute"},
	{name: "tilix", line: "-e --command"},
	{name: "time", opts: "-o --output -f --format"},
	{name: "timeout", skip: 1, opts: "-k --kill-after -s --signal"},
	{name: "tini", opts: "-p -e"},
	{name: "toolbox run", plain: true, opts: "-c --container -d --distro -r --release"},
	{name: "torsocks", opts: "-a --address -P --port -u --user -p --pass"},
	{name: "toybox", none: "--long"},
	{name: "trickle", opts: "-u -d -w -t -l -n -p"},
	{name: "tsocks"},
	{name: "tsp", opts: "-L -N -D -W -E", none: "-K -C -l -k -r -w -u -c -t -s -i -p -q -o -S -T -U"},
	{name: "unbuffer"},
	{name: "unshare", opts: "-S --setuid -G --setgid -R --root -w --wd --setgroups --propagation --map-user --map-group --map-users --map-groups --monotonic --boottime", chdir: "-w --wd", shell: true},
	{name: "urxvt", after: "-e"},
	{name: "uxterm", after: "-e"},
	{name: "vagrant ssh", plain: true, line: "-c --command", after: "--", remote: "host", lost: true},
	{name: "valgrind"},
	{name: "vault agent", plain: true, data: true, line: "-exec"},
	{name: "vglrun"},
	{name: "watch", joined: true, opts: "-n --interval -q --equexit", argv: "-x --exec"},
	{name: "watchexec", opts: "-w --watch -e --exts -f --filter -i --ignore -s --signal -d --debounce --shell -E --env -p --poll --stop-signal --stop-timeout --workdir -W --watch-non-recursive", joined: true, argv: "-n"},
	{name: "watchman-make", data: true, line: "-r --run"},
	{name: "watchmedo shell-command", plain: true, data: true, line: "-c --command"},
	{name: "wezterm start", plain: true, after: "--"},
	{name: "winpty"},
	{name: "with-contenv"},
	{name: "wsl", joined: true, argv: "-e --exec", chdir: "--cd", opts: "-d --distribution --distribution-id -u --user --shell-type", none: "-l --list --install --set-default -s --shutdown --terminate -t --status --version --update --export --import --mount --unmount --unregister --manage --set-version --set-default-version"},
	{name: "x-terminal-emulator", after: "-e"},
	{name: "xfce4-terminal", line: "-e --command", after: "-x --execute"},
	{name: "xonsh", data: true, line: "-c"},
	{name: "xterm", after: "-e"},
	{name: "xvfb-run", opts: "-e --error-file -f --auth-file -n --server-num -p --xauth-protocol -s --server-args"},
	{name: "youtube-dl", data: true, line: "--exec"},
	{name: "yt-dlp", data: true, line: "--exec --exec-before-download"},
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
