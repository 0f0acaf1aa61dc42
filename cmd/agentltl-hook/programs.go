package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os/exec"

	"github.com/agentltl/agentltl-hook/harness/adapter"
)

// runProgram starts programs for install and doctor. Hooks start none.
func runProgram(e *env) func(context.Context, adapter.Command) (adapter.Result, error) {
	return func(ctx context.Context, c adapter.Command) (adapter.Result, error) {
		var out, errs bytes.Buffer
		cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
		cmd.Env = append(e.Environ(), c.Env...)
		cmd.Dir = c.Dir
		cmd.Stdin = bytes.NewReader(c.Stdin)
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		r := adapter.Result{Stdout: out.Bytes(), Stderr: errs.Bytes()}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
			r.Status = exit.ExitCode()
			return r, nil
		}
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		return r, err
	}
}

// randomHex is 8 random hexadecimal digits.
func randomHex() (string, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}
