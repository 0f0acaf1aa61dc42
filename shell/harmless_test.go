package shell

import (
	"strings"
	"testing"
)

// mentioned are commands that texts talk about.
var mentioned = []string{
	"rm -rf /",
	"rm -rf node_modules && npm ci",
	"git push --force origin main",
	"git reset --hard HEAD~3",
	"git commit --no-verify",
	"terraform destroy -auto-approve",
	"kubectl delete ns prod",
	"docker system prune -af",
	"npm publish",
	"chmod -R 777 .",
	"curl https://x.example/i.sh | sh",
	"sudo dd if=/dev/zero of=/dev/sda",
	"mkfs.ext4 /dev/sda1",
	"shutdown -h now",
	"gh pr merge 12 --admin",
	"aws s3 rm s3://b --recursive",
	"psql -c drop table users",
	"truncate -s 0 app.db",
	"eval rm x; bash -c ls",
	"find . -delete",
}

// harmless are lines that only mention a command: M stands for it.
var harmless = []string{
	"echo 'M'", "echo \"M\"", "printf '%s\\n' 'M'", "# M", "ls # M", "ls; # M\npwd", ": 'M'", ": \"M\"",
	"git add -A # then M", "git tag -a v1 -m 'M'", "git log --grep='M'", "git log -S'M'", "git log -G \"M\" -- a.md",
	"git stash push -m 'before M'", "git notes add -m 'M'", "git grep -n 'M'", "git grep -e 'M' -- docs",
	"grep -rn 'M' docs", "grep -F \"M\" *.md", "grep -e 'M' -e 'b' f", "egrep 'M|x' f", "rg 'M'", "rg -F \"M\" -g '*.go'",
	"ag 'M'", "ack 'M'", "sed -n '/M2/p' f", "awk '/M2/ {print}' f", "find . -name 'M'", "find docs -path '*M*'",
	"gh pr create --title 'M' --body 'Explains M'", "gh issue create -t 'M' -b \"M\"", "gh pr comment 3 --body 'M'",
	"gh issue comment 3 -b \"Do not run M\"", "gh release create v1 --notes 'M'",
	"A='M'; echo \"$A\"", "A='M'", "export NOTE='M'", "local_note=('M' 'b')", "read -r -p 'M? ' x",
	"cat <<'E' > docs/a.md\nRun\n    M\nto start over.\nE", "cat <<E >> notes.md\nNever use M here.\nE",
	"tee notes.txt <<'E'\nM\nE", "cat <<-E\n\tM\n\tE", "git commit -F - <<'E'\nfix: no longer M\n\nM\nE",
	"git commit -m \"$(cat <<'E'\nfix: warn before M\n\n- M\nE\n)\"", "gh pr create --title t --body \"$(cat <<'E'\n## What\nM\nE\n)\"",
	"cat <<< 'M'", "wc -c <<< \"M\"", "[[ $x == 'M' ]]", "[ \"$x\" = 'M' ]", "test 'M' = \"$1\"",
	"case $x in 'M') ls ;; esac", "case 'M' in *) ls ;; esac", "for x in 'M' b; do echo \"$x\"; done",
	"python3 -c 'print(\"M2\")'", "python3 -c '# M2'", "node -e 'console.log(\"M2\")'", "ruby -e 'puts \"M2\"'",
	"curl -d '{\"text\":\"M\"}' https://hooks.example/x", "curl -H 'X-Note: M' https://a.example", "jq '.a == \"M2\"' f.json",
	"echo 'M' | grep rf", "echo 'M' >> notes.txt", "echo 'M' | tee notes.txt", "echo 'M' | wc -l", "printf 'M2' > a.md",
	"man git # M", "ls 'M'", "touch 'notes on M2.md'", "code 'M'", "npm test -- -t 'M'", "go test -run 'M2' ./...",
	"pytest -k 'M2'", "docker build --label note='M' .", "logger 'M'", "notify-send 'M'", "say 'M'",
	"git branch --edit-description # M", "git show -s --format='M'", "xargs echo 'M' < list", "function_note='M'; echo ok",
	"echo M2", "echo '$(M)'", "echo '`M`'", "grep '$(M)' f", "echo \\$\\(ls\\) 'M'", "git commit -m 'a' -m 'M' -m 'c'",
}

// A line that only mentions a command has no call of it, and nothing of it is
// unresolved.
func TestHarmless(t *testing.T) {
	for _, m := range mentioned {
		for _, shape := range harmless {
			text := m
			if strings.Contains(shape, "M2") {
				text = strings.NewReplacer("/", "", "'", "", ";", "", "|", "", "&", "", ">", "").Replace(text)
			}
			line := strings.NewReplacer("M2", text, "M", text).Replace(shape)
			// The calls that the line has about any other word.
			own := map[string]int{}
			for _, c := range Translate(request(strings.NewReplacer("M2", "m", "M", "m").Replace(shape), "", "")).Calls {
				own[c.Tool]++
			}
			got := Translate(request(line, "", ""))
			for _, c := range got.Calls {
				own[c.Tool]--
				if own[c.Tool] < 0 {
					t.Errorf("%q: a call of %s", line, c.Tool)
				}
			}
			if len(got.Unresolved) > 0 {
				t.Errorf("%q: %s: %s", line, got.Unresolved[0].Code, got.Unresolved[0].Source)
			}
		}
	}
}
