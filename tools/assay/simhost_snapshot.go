package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/snapshot"
	"github.com/openassay/assay/tools/internal/protocols"
)

const snapshotLong = `Saves the logs of a simulated host in one file, for a bug report or a test, and makes
a --data folder of such a file.

The file holds no keys: placeholders stand for those of the host, and tokens of
interrupts are left out, so they hold no longer. What clients have sent stays in it.`

// newSnapshot makes the command that saves and loads snapshots.
func (o *simhostFlags) newSnapshot() *cobra.Command {
	cmd := &cobra.Command{
		Use: "snapshot", Short: "Save a simulated host in a file, or load one", Long: snapshotLong,
		Args: cobra.ArbitraryArgs, RunE: group("command of simhost snapshot"),
	}
	cmd.AddCommand(o.newSnapshotSave(), newSnapshotLoad())
	return cmd
}

func (o *simhostFlags) newSnapshotSave() *cobra.Command {
	var host running
	var data string
	var secrets []string
	cmd := &cobra.Command{
		Use: "save FILE", Short: "Save a host that runs, or the --data folder of one that does not",
		Long: `Saves a host that runs (--url), as a crash at that moment would have left it, or the
--data folder of one that does not run: only one process has such a folder open. The
host's own --key is asked for: the file holds what all tenants did. FILE must not
exist yet.`,
		Example: "  assay simhost snapshot save bug.snapshot\n  assay simhost snapshot save bug.snapshot --data DIR --secret KEY",
		Args:    args("FILE"),
		RunE: func(cmd *cobra.Command, typed []string) error {
			write := host.save
			switch f := cmd.Flags(); {
			case data != "" && (f.Changed("url") || f.Changed("key")):
				return usage("simhost snapshot save: --data is for a host that does not run, --url and --key for one that does: give one of the two")
			case data == "" && f.Changed("secret"):
				return usage("simhost snapshot save --secret: a host that runs knows its keys: leave it out, or name the folder with --data")
			case data != "":
				write = func(ctx context.Context, w io.Writer) error { return o.saveFolder(ctx, data, secrets, w) }
			}
			h, err := snapshot.SaveFile(typed[0], func(w io.Writer) error { return write(cmd.Context(), w) })
			switch {
			case errors.Is(err, fs.ErrExist):
				return usage("simhost snapshot save: %w", err)
			case err != nil:
				return fmt.Errorf("simhost snapshot save: %w", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s holds %d entries\n", typed[0], h.Last)
			return err
		},
	}
	host.register(cmd.Flags())
	cmd.Flags().StringVar(&data, "data", "", "`DIR` of a host that does not run, in place of --url")
	cmd.Flags().StringArrayVar(&secrets, "secret", nil, "`TEXT` to put a placeholder for, such as a key of that host; may be repeated")
	return cmd
}

// save writes a snapshot of a running host.
func (h *running) save(ctx context.Context, w io.Writer) error {
	reply, err := h.ask(ctx, "", console.PathSnapshot, nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, reply.Body)
	return errors.Join(err, reply.Body.Close())
}

// saveFolder writes a snapshot of a folder that nobody has open.
func (o *simhostFlags) saveFolder(ctx context.Context, dir string, secrets []string, w io.Writer) (err error) {
	if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
		return usage("%s holds no logs: name the --data folder of a host", dir)
	}
	store, err := eventlog.Open(ctx, eventlog.Options{Dir: dir, Checked: true})
	if errors.Is(err, eventlog.ErrLocked) {
		return fmt.Errorf("a host runs on %s: save that with --url, or stop it", dir)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	options := o.snapshotOptions()
	options.Secrets.Values = append(options.Secrets.Values, secrets...)
	taken, err := snapshot.Take(ctx, store, options)
	if err != nil {
		return err
	}
	return taken.Write(ctx, w)
}

// snapshotOptions say how a snapshot of these hosts is written.
func (o *simhostFlags) snapshotOptions() snapshot.Options {
	options := snapshot.Options{Release: version(), Start: o.given}
	for _, h := range o.hosts {
		s := h.Secrets()
		options.Secrets.Logs = append(options.Secrets.Logs, s.Logs...)
		options.Secrets.Texts = append(options.Secrets.Texts, s.Texts...)
	}
	// Everybody knows the default key.
	options.Secrets.Values = slices.DeleteFunc(slices.Clone(o.keys), func(key string) bool { return key == protocols.DefaultKey })
	return options
}

func newSnapshotLoad() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use: "load FILE", Short: "Make a --data folder of a snapshot",
		Long: `Makes a --data folder of a snapshot, once the whole file was found sound, and prints
the command that starts a host on it. A folder that is not empty is left as it is.`,
		Example: "  assay simhost snapshot load bug.snapshot --data DIR",
		Args:    args("FILE"),
		RunE: func(cmd *cobra.Command, typed []string) error {
			if data == "" {
				return usage("simhost snapshot load: name the folder to make with --data DIR")
			}
			h, err := snapshot.LoadFile(cmd.Context(), typed[0], data)
			if err != nil {
				return fmt.Errorf("simhost snapshot load: %w", err)
			}
			return printLoaded(cmd.OutOrStdout(), h, data)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "`DIR` to make; it must not exist yet, or be empty")
	return cmd
}

// printLoaded says what was loaded, and how to start a host on it. The flags are those of whoever made the file: they are quoted,
// so that a shell takes them for nothing else.
func printLoaded(out io.Writer, h snapshot.Header, data string) error {
	words := []string{"assay simhost --data", quoted(data)}
	secret := false
	for _, flag := range h.Start {
		secret = secret || strings.Contains(flag, "<secret")
		words = append(words, quoted(flag))
	}
	for _, fault := range h.On.Faults {
		words = append(words, "--fault", quoted(fault))
	}
	for _, variation := range h.On.Variations {
		words = append(words, "--vary", quoted(variation))
	}
	if (h.Clock == clockManual || h.Clock == clockSkip && h.Now.After(time.Now())) && !h.Now.IsZero() {
		words = append(words, "--clock-at", h.Now.UTC().Format(time.RFC3339)) // or its logs would be of a time to come
	}
	_, err := fmt.Fprintf(out, "%d entries, saved %s by assay %s\nstart it: %s\n", h.Last, h.Taken.UTC().Format("2006-01-02 15:04:05 UTC"),
		safe(h.Release), safe(strings.Join(words, " ")))
	if err == nil && secret {
		_, err = fmt.Fprintln(out, "keys of your own belong in place of <secret:N>")
	}
	return err
}

// quoted is a word of a shell.
func quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
