// Command release makes the archives of a release: the command for linux and macOS on amd64 and arm64, each with its manual
// pages and completions, and their checksums. The same commit and toolchain give the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	r := release{flags: []string{"-trimpath"}, env: []string{"CGO_ENABLED=0"}}
	flag.StringVar(&r.version, "version", "", "`TAG` of the release, like v0.3.0 (default what git describe says)")
	flag.StringVar(&r.out, "out", "dist", "`DIR` for the archives")
	only := flag.String("only", strings.Join(platforms, ","), "`PLATFORMS` to build for, separated by commas")
	flag.Parse()
	r.platforms = strings.Split(*only, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := r.make(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// platforms are those that a release has archives for, as GOOS/GOARCH.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}

// isVersion is a tag, or what git describe makes of a commit behind one: it stands in the names of files.
var isVersion = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]*$`)

// release is one run of the command. It is run at the root of the checkout.
type release struct {
	version, out string
	platforms    []string
	made         time.Time // of every file in an archive
	flags, env   []string  // for the go command: no C, and no paths of this machine
}

func (r *release) make(ctx context.Context) error {
	if _, err := os.Stat("tools/assay"); err != nil {
		return fmt.Errorf("%w: run it at the root of the checkout: make release", err)
	}
	if err := r.fill(ctx); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "assay-release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	extra, err := r.manuals(ctx, work)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	var archives []string
	for _, platform := range r.platforms {
		goos, goarch, ok := strings.Cut(platform, "/")
		if !ok {
			return fmt.Errorf("-only %s: write GOOS/GOARCH, like linux/amd64", platform)
		}
		program := filepath.Join(work, goos+"-"+goarch, "assay")
		if err := r.build(ctx, program, "GOOS="+goos, "GOARCH="+goarch); err != nil {
			return err
		}
		name := fmt.Sprintf("assay_%s_%s_%s", strings.TrimPrefix(r.version, "v"), goos, goarch)
		files := append([]packed{{"assay", program, 0o755}}, extra...)
		if err := pack(filepath.Join(r.out, name+".tar.gz"), name, r.made, files); err != nil {
			return err
		}
		archives = append(archives, name+".tar.gz")
		fmt.Println(filepath.Join(r.out, name+".tar.gz"))
	}
	return checksums(r.out, archives)
}

// fill finds the version and the time of the commit.
func (r *release) fill(ctx context.Context) error {
	if r.version == "" {
		described, err := said(ctx, "git", "describe", "--tags", "--always", "--dirty")
		if err != nil {
			return fmt.Errorf("%w: name the version with -version", err)
		}
		r.version = described
	}
	if !isVersion.MatchString(r.version) {
		return fmt.Errorf("-version %s: letters, digits, dots, plus and minus signs make a version, like v0.3.0", r.version)
	}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		committed, err := said(ctx, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return fmt.Errorf("%w: say with SOURCE_DATE_EPOCH how old the files are, in seconds since 1970", err)
		}
		epoch = committed
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH=%s: give seconds since 1970", epoch)
	}
	r.made = time.Unix(seconds, 0).UTC()
	return nil
}

// build makes the command.
func (r *release) build(ctx context.Context, program string, env ...string) error {
	args := append([]string{"build", "-ldflags", "-s -w -X main.released=" + r.version, "-o", program}, r.flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./tools/assay")...)
	cmd.Env = slices.Concat(os.Environ(), r.env, env)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build for %s: %w", strings.Join(env, " "), err)
	}
	return nil
}

// manuals are the files beside the command: texts of the checkout, and what the command writes of itself.
func (r *release) manuals(ctx context.Context, work string) ([]packed, error) {
	here := filepath.Join(work, "here", "assay")
	if err := r.build(ctx, here); err != nil {
		return nil, err
	}
	files := []packed{{"CHANGELOG.md", "CHANGELOG.md", 0o644}, {"LICENSE", "LICENSE", 0o644}, {"README.md", "README.md", 0o644}}
	for shell, name := range map[string]string{"bash": "assay.bash", "zsh": "_assay", "fish": "assay.fish"} {
		script, err := said(ctx, here, "completion", shell)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(work, name)
		if err := os.WriteFile(path, []byte(script+"\n"), 0o600); err != nil {
			return nil, err
		}
		files = append(files, packed{"completions/" + name, path, 0o644})
	}
	pages := filepath.Join(work, "man1")
	if _, err := said(ctx, here, "man", pages); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(pages)
	for _, e := range entries {
		files = append(files, packed{"man1/" + e.Name(), filepath.Join(pages, e.Name()), 0o644})
	}
	return files, err
}

// said is what a program prints, without the line break at its end.
func said(ctx context.Context, program string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(ended.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", filepath.Base(program), strings.Join(args, " "), err)
	}
	return strings.TrimRight(string(out), "\n"), nil
}
