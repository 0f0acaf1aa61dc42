package shell

import (
	"encoding/json"
	"reflect"
	"testing"
)

// What rule files written for the peer match (shell.md 5.6): the tool and the
// fields it gives, in the call itself or in another form of it. Each line is
// followed by its calls, "tool fields cli"; of the fields and of cli only those
// given are compared.
var formTests = []struct {
	line  string
	calls []formCall
}{
	// words that no operand takes
	{`pwd a -x b`, []formCall{{"pwd", `{"extra_args":["-x","a","b"]}`, `{"spec_matched":false}`}}},
	{`git remote add a --zz b c`, []formCall{{"git_remote_add", `{"name":"a","url":"b","extra_args":["--zz","c"]}`, ``}}},
	{`docker compose down web`, []formCall{{"docker_compose_down", `{"extra_args":["web"],"volumes":false}`, ``}}},
	{`git stash push a`, []formCall{{"git_stash_push", `{"extra_args":["a"],"include_untracked":false}`, ``}}},
	{`git log HEAD -- a b`, []formCall{{"git_log", `{"targets":["HEAD","a","b"]}`, ``}}},
	{`git diff a --`, []formCall{{"git_diff", `{"targets":["a"],"paths":[]}`, ``}}},
	{`kubectl apply x`, []formCall{{"kubectl_apply", `{"extra_args":["x"]}`, ``}}},
	{`docker A x`, []formCall{{"docker", `{"extra_args":["A","x"]}`, ``}}},
	{`heroku pg:reset`, []formCall{{"heroku", `{"extra_args":["pg:reset"]}`, ``}}},
	{`echo a -- b`, []formCall{{"echo", `{"words":["a","--","b"]}`, ``}}},
	{`mysql -D d e`, []formCall{{"mysql", `{"database":"e"}`, ``}}},
	{`az ad sp create-for-rbac --scopes s`, []formCall{{"az_ad_sp_create_for_rbac", `{"scopes":"s"}`, ``}}},
	// letters
	{`perl -lne x f`, []formCall{{"perl", `{"loop":true,"line_endings":true,"expression":["x"],"paths":["/proj/f"]}`, ``}}},
	{`perl -0777pe x f`, []formCall{{"perl", `{"print_loop":true,"expression":["x"],"record_separator_suffix":"777"}`, ``}}},
	{`perl -i=.bak -p x`, []formCall{{"perl", `{"in_place":true,"in_place_suffix":"=.bak"}`, ``}}},
	{`vim -esR f`, []formCall{{"vim", `{"ex_mode":true,"silent":true,"readonly":true}`, ``}}},
	{`cat -AE f`, []formCall{{"cat", `{"extra_args":["-AE"],"paths":["/proj/f"]}`, ``}}},
	// words as typed
	{`python ~/x.py`, []formCall{{"python", `{"script":"~/x.py"}`, ``}}},
	{`make -C ~/x`, []formCall{{"make", `{"argv":["-C","~/x"]}`, ``}}},
	{`wget -O ~/x u`, []formCall{{"wget", `{"output_document":"~/x"}`, ``}}},
	{`docker run -v ~/x:/y img`, []formCall{{"docker_run", `{"volume":["~/x:/y"]}`, ``}}},
	{`A=~/x ls`, []formCall{{"ls", `{}`, `{"env":{"A":"~/x"}}`}}},
	{`find . -exec cp {} $HOME/b \;`, []formCall{
		{"find", `{"exec":["cp {} $HOME/b ;"]}`, `{"dynamic_args":["cp {} $HOME/b ;"]}`},
		{"cp", `{"destination":"/home/dev/b"}`, `{"dynamic_args":["$HOME/b"]}`},
	}},
	{`echo $0`, []formCall{{"echo", `{"words":["$0"]}`, `{"dynamic_args":["$0"]}`}}},
	{`'git push' a`, []formCall{{"git_push", `{"argv":["a"]}`, ``}}},
	// what is known of a word
	{`F=a; rm "$F/$X"`, []formCall{{"rm", `{"paths":["/proj/a/$X"],"unknown_paths":["paths"]}`, `{"dynamic_args":["a/$X"]}`}}},
	{`rm $HOME/$X`, []formCall{{"rm", `{"paths":["/home/dev/$X"],"unknown_paths":["paths"]}`, `{"dynamic_args":["$HOME/$X"]}`}}},
	{`D=b; tar -czf $D-$(date).tgz $D`, []formCall{
		{"date", `{}`, `{"operator":"$()"}`},
		{"tar", `{"file":"/proj/b-$(date).tgz","paths":["/proj/b"],"unknown_paths":["file"]}`, ``},
	}},
	{`for i in 1; do echo "$i $X"; done`, []formCall{{"echo", `{"words":["1 $X"]}`, ``}}},
	// words the shell would still expand
	{`export P=$HOME/bin:$P`, []formCall{{"export", `{"assignments":["P=$HOME/bin:$P"]}`, `{"dynamic_args":["P=$HOME/bin:$P"]}`}}},
	{`for i in a; do export V="$i/x"; done`, []formCall{{"export", `{"assignments":["V=\"a/x\""]}`, `{"dynamic_args":null}`}}},
	{`[[ -n "$X" ]]`, []formCall{{"test", `{"argv":["-n \"$X\""]}`, `{"dynamic_args":["-n \"$X\""]}`}}},
	{`for i in a; do [[ -f $i ]]; done`, []formCall{{"test", `{"argv":["-f a"]}`, `{"dynamic_args":null}`}}},
	{`grep "x$" f`, []formCall{{"grep", `{"pattern":"x$"}`, `{"dynamic_args":["x$"]}`}}},
	{`grep 'x$' f`, []formCall{{"grep", `{"pattern":"x$"}`, `{"dynamic_args":null}`}}},
	// places
	{`echo $(date) | cat`, []formCall{{"date", `{}`, `{"pipeline":null}`}, {"echo", `{}`, `{"pipeline":1}`}, {"cat", `{}`, `{"pipeline":1}`}}},
	{`bash -c 'A=1; rm $A'`, []formCall{{"bash", `{}`, ``}, {"rm", `{"paths":["/proj/1"]}`, `{"operator":"wrap"}`}}},
	{`bash -c 'A=1 || rm x'`, []formCall{{"bash", `{}`, ``}, {"rm", `{}`, `{"operator":"||"}`}}},
	{`ls | xargs npm test`, []formCall{{"ls", `{}`, ``}, {"xargs", `{}`, ``}, {"npm", `{"argv":["test"],"unknown_paths":true}`, ``}}},
	{`npm test > $F`, []formCall{{"npm", `{"argv":["test"],"unknown_paths":["redirect_to","overwrite_to"]}`, ``}}},
}

type formCall struct{ tool, args, cli string }

func TestForms(t *testing.T) {
	for _, v := range formTests {
		t.Run(v.line, func(t *testing.T) {
			got := asVector(t, Translate(request(v.line, "", "")))
			if len(got.Unresolved) > 0 || len(got.Calls) != len(v.calls) {
				t.Fatalf("got %s %v", show(got.Calls), got.Unresolved)
			}
			for i, want := range v.calls {
				c := got.Calls[i]
				found := false
				for _, f := range append([]vectorCall{c}, c.Forms...) {
					found = found || f.Tool == want.tool && holds(f.Args, decoded(t, want.args))
				}
				if !found {
					t.Errorf("got %s, want %s %s", show(append([]vectorCall{c}, c.Forms...)), want.tool, want.args)
				}
				for k, x := range decoded(t, want.cli) {
					if !reflect.DeepEqual(c.CLI[k], x) {
						t.Errorf("%s: cli.%s is %v, want %v", c.Tool, k, c.CLI[k], x)
					}
				}
			}
		})
	}
}

func decoded(t *testing.T, text string) (m map[string]any) {
	t.Helper()
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}
