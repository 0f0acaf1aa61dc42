package rules

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Steps of other shells are left out, and what a workflow says of its variables
// is known.
func TestWorkflows(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"default shell of the file", "defaults: {run: {shell: pwsh}}\njobs: {a: {steps: [{run: x}, {run: y, shell: bash}]}}\n", []string{"y"}},
		{"default shell of a job", "jobs: {a: {steps: [{run: x}], defaults: {run: {shell: cmd}}}, b: {steps: [{run: y}]}}\n", []string{"y"}},
		{"a job on windows", "jobs: {a: {steps: [{run: x}, {run: y, shell: bash}], runs-on: windows-2022}, b: {runs-on: ubuntu-latest, steps: [{run: z}]}}\n", []string{"y", "z"}},
		{"labels", "jobs: {a: {runs-on: [self-hosted, Windows], steps: [{run: x}]}}\n", nil},
		{"a matrix of windows", "jobs: {a: {runs-on: '${{ matrix.os }}', strategy: {matrix: {os: [windows-2019, windows-2022]}}, steps: [{run: x}]}}\n", nil},
		{"a matrix with windows", "jobs: {a: {runs-on: '${{ matrix.os }}', strategy: {matrix: {os: [ubuntu-latest], include: [{os: windows-2022}]}}, steps: [{run: x}, {run: y, if: \"runner.os == 'Windows'\"}, {run: z, if: \"runner.os != 'Windows'\"}]}}\n", []string{"x", "z"}},
		{"PowerShell", "jobs: {a: {steps: [{run: \"go test\\n$Env:N = 1\\n\"}, {run: 'docker push app-$env:x=1'}]}}\n", []string{"docker push app-$env:x=1"}},
		{"variables", "env: {A: one, B: '${{ github.sha }}', D: d}\njobs: {a: {env: {B: \"it's\", C: '${{ env.A }}/c'}, steps: [{run: 'ls ${{ env.A }} ${{env.C}} ${{ env.X }} \"$B\"'}, {run: 'ls ${{ env.A }} $Ab', env: {A: '${{ matrix.x }}'}}]}}\n", []string{"export B='it'\\''s'\nls one one/c $WORKFLOW_VALUE \"$B\"", "ls $WORKFLOW_VALUE $Ab"}},
		{"folders of the runner", "jobs: {a: {steps: [{run: 'ls ${{ github.workspace }}/a ${{ runner.temp }}'}]}}\n", []string{"ls ${GITHUB_WORKSPACE}/a ${RUNNER_TEMP}"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range Scripts(fstest.MapFS{".github/workflows/a.yml": {Data: []byte(tt.text)}}) {
				got = append(got, s.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
