package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/rules"
)

type libraryOptions struct {
	id  string
	tag string
}

func newLibraryCmd(e *env) *cobra.Command {
	o := libraryOptions{}
	cmd := &cobra.Command{
		Use:   "library [ID]",
		Short: "List the packaged rules, or show one in full",
		Long: "List the packaged rules with what they do, their tags and whether a rule file here uses\n" +
			"them; with ID, print that entry in full, its digest in the first line.",
		Args: cli.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.id = args[0]
			}
			return runLibrary(cmd.Context(), e, o)
		},
	}
	cmd.Flags().StringVar(&o.tag, "tag", "", "only entries with this `TAG`")
	return cmd
}

// libraryEntry is an entry as it is printed.
type libraryEntry struct {
	ID        string   `json:"id"`
	Summary   string   `json:"summary"`
	Tags      []string `json:"tags"`
	Rev       int      `json:"rev"`
	InUse     bool     `json:"in_use"`
	Rules     []string `json:"rules,omitempty"`
	Include   []string `json:"include,omitempty"`
	Harnesses []string `json:"harnesses,omitempty"`
	Digest    string   `json:"digest"`
	Text      string   `json:"text,omitempty"`
}

func runLibrary(_ context.Context, e *env, o libraryOptions) error {
	used := usedEntries(e)
	if o.id != "" {
		return showEntry(e, o.id, used)
	}
	var list []libraryEntry
	tags := map[string]bool{}
	for _, entry := range rules.Library() {
		for _, t := range entry.Tags {
			tags[t] = true
		}
		if o.tag == "" || slices.Contains(entry.Tags, o.tag) {
			list = append(list, entryOf(entry, used))
		}
	}
	if len(list) == 0 {
		var known []string
		for t := range tags {
			known = append(known, t)
		}
		slices.Sort(known)
		return cli.WithHint(cli.Findingf("no packaged rule has the tag %s", o.tag), "tags: %s", strings.Join(known, ", "))
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, struct {
			Version int            `json:"version"`
			Entries []libraryEntry `json:"entries"`
		}{1, list})
	}
	for _, x := range list {
		mark := " "
		if x.InUse {
			mark = "*"
		}
		fmt.Fprintf(e.Stdout, "%s %-34s %s [%s]\n", mark, x.ID, x.Summary, strings.Join(x.Tags, ", "))
	}
	_, err := fmt.Fprintln(e.Stdout, "\n* in use here. agentltl-hook use ID.. switches on, library ID shows one in full.")
	return err
}

func entryOf(entry rules.Entry, used map[string]bool) libraryEntry {
	return libraryEntry{
		ID: entry.ID, Summary: entry.Summary, Tags: append([]string{}, entry.Tags...), Rev: entry.Rev, InUse: used[entry.ID],
		Rules: entry.Rules, Include: entry.Include, Harnesses: entry.Harnesses, Digest: entry.Digest,
	}
}

func showEntry(e *env, id string, used map[string]bool) error {
	entry, ok := rules.LibraryEntry(id)
	if !ok {
		return unknownEntry(id)
	}
	if e.JSON {
		x := entryOf(entry, used)
		x.Text = string(entry.Text)
		return cli.WriteJSON(e.Stdout, struct {
			Version int `json:"version"`
			libraryEntry
		}{1, x})
	}
	_, err := fmt.Fprintf(e.Stdout, "# %s %s\n%s", entry.ID, entry.Digest, entry.Text)
	return err
}

// usedEntries are the entries that rules in force here come from, bundles
// included whose entries all are.
func usedEntries(e *env) map[string]bool {
	used := map[string]bool{}
	p, err := localPipeline(e, e.Harness)
	if err != nil {
		return used
	}
	set, _ := p.Load(e.Dir)
	for i := range set.Rules {
		if id, ok := strings.CutPrefix(set.Rules[i].Source, "library:"); ok {
			used[id] = true
		}
	}
	for _, entry := range rules.Library() {
		if len(entry.Include) > 0 && len(entry.Rules) == 0 && !slices.ContainsFunc(entry.Include, func(id string) bool { return !used[id] }) {
			used[entry.ID] = true
		}
	}
	return used
}
