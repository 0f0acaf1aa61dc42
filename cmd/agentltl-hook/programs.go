package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
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
		if c.Talk != nil {
			return adapter.Result{}, talk(ctx, cmd, c.Talk)
		}
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

// talk holds a conversation with a program and ends it.
func talk(ctx context.Context, cmd *exec.Cmd, say func(io.Writer, *bufio.Reader) error) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = say(in, bufio.NewReader(out))
	if cerr := in.Close(); err == nil {
		err = cerr
	}
	// It has said all we wanted to know: how it ends is its own affair.
	if kerr := cmd.Process.Kill(); kerr != nil && !errors.Is(kerr, os.ErrProcessDone) && err == nil {
		err = kerr
	}
	_ = cmd.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// randomHex is 8 random hexadecimal digits.
func randomHex() (string, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}
