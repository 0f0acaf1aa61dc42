// Package e2e runs the real coding agents, headless, against a scripted model
// ([github.com/agentltl/agentltl-hook/e2e/model]) and checks that the installed
// guard decides. Its tests are behind the build tag e2e:
//
//	e2e/install.sh && go test -tags e2e ./e2e
//
// harnesses.txt pins the programs; install.sh fetches them once into a cache
// folder, $AGENTLTL_E2E_CACHE or a folder of the user's cache. A program that
// is not there skips its scenarios, and fails them where CI is set.
package e2e
