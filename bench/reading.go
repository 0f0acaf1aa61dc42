package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// measureReading: what the shell package and its data add to the start of a
// process, and what ten times as many command specs would.
func measureReading(b *bench) error {
	for name, pkg := range map[string]string{"std": "./bench/std", "reader": "./bench/reader"} {
		if err := build(pkg, filepath.Join(b.dir, name)); err != nil {
			return err
		}
	}
	overlay, err := b.manySpecs(10)
	if err != nil {
		return err
	}
	if err := build("./bench/reader", filepath.Join(b.dir, "reader10"), "-overlay", overlay); err != nil {
		return err
	}
	program := func(name string, args ...string) *proc {
		return &proc{name: name, path: filepath.Join(b.dir, name), args: args, dir: b.dir, env: []string{"PATH=/usr/bin:/bin"}}
	}
	const line = "git status"
	m, err := b.interleave("reading", b.rounds(600),
		program("std"), program("reader"), program("reader10"), program("reader", line), program("reader10", line))
	if err != nil {
		return err
	}
	b.limit("the shell package and its data, at process start", float64((m[1]-m[0]).Microseconds())/1000, 0.3, "%.2f ms")
	b.ratio("the same with 10 times as many command specs", m[2], m[1], 1.05, "that with the specs there are")
	b.note("the same, and the process reads a line", fmt.Sprintf("%.2f times (%s / %s)", float64(m[4])/float64(m[3]), ms(m[4]), ms(m[3])))
	return nil
}

// manySpecs makes the embedded command specs n times as many, each copy under
// names of its own, and returns an overlay file for the build.
func (b *bench) manySpecs(n int) (string, error) {
	dir, err := filepath.Abs("shell")
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(dir, "packs.gen.json"))
	if err != nil {
		return "", err
	}
	index, err := os.ReadFile(filepath.Join(dir, "packs.gen.idx"))
	if err != nil {
		return "", err
	}
	var lines []string
	for line := range strings.Lines(string(index)) {
		f := strings.Split(line, "\t")
		off, err := strconv.Atoi(f[1])
		if err != nil {
			return "", err
		}
		for k := range n {
			prefix := ""
			if k > 0 {
				prefix = fmt.Sprintf("copy%d-", k)
			}
			f[1] = strconv.Itoa(off + k*len(data))
			lines = append(lines, prefix+strings.Join(f, "\t"))
		}
	}
	key := func(line string) string { k, _, _ := strings.Cut(line, "\t"); return k }
	slices.SortFunc(lines, func(x, y string) int { return strings.Compare(key(x), key(y)) })
	replace := map[string]string{}
	for name, text := range map[string]string{"packs.gen.json": strings.Repeat(string(data), n), "packs.gen.idx": strings.Join(lines, "")} {
		to := filepath.Join(b.dir, name)
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(dir, name)] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.dir, "overlay.json")
	return file, os.WriteFile(file, text, 0o644)
}
