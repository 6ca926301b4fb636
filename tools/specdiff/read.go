package specdiff

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/openassay/assay/tools/specgen"
)

// Folder is one version of a spec.
type Folder struct {
	Contract *specgen.Contract

	at    string // the spec on disk
	shown string // its name in messages
	temp  string // removed when it is closed
}

// Open reads a spec: the folder or document name, whatever [specgen.Read] takes, or the folder spec at the git revision
// name. An empty spec allows no revisions. Close the result.
func Open(ctx context.Context, name, spec string) (*Folder, error) {
	f := &Folder{at: name, shown: name}
	if _, err := os.Stat(name); err != nil {
		if spec == "" {
			return nil, fmt.Errorf("read the spec %s: there is no such folder: for a git revision, name the folder in it with --spec DIR", name)
		}
		if f.temp, err = os.MkdirTemp("", "assay-diff-"); err != nil {
			return nil, fmt.Errorf("make a folder for the spec at %s: %w", name, err)
		}
		f.at, f.shown = filepath.Join(f.temp, "spec"), spec
		if err := checkOut(ctx, name, spec, f.at); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	var err error
	if f.Contract, err = specgen.Read(f.at); err != nil {
		if f.temp == "" {
			return nil, err
		}
		return nil, errors.Join(fmt.Errorf("read the spec at %s: %w", name, f.hide(err)), f.Close())
	}
	return f, nil
}

// Close removes what was checked out.
func (f *Folder) Close() error {
	if f.temp == "" {
		return nil
	}
	return os.RemoveAll(f.temp)
}

// hide names the spec as it was named, in place of a temporary folder.
func (f *Folder) hide(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), filepath.ToSlash(f.at), filepath.ToSlash(f.shown)))
}

// Compare lists the differences between two folders, worst first: of their contracts, and of the requirements, fixtures,
// profiles, readings and schema ids beside them.
func (f *Folder) Compare(after *Folder, o Options) (Result, error) {
	a, err := readFiles(f.at)
	if err != nil {
		return Result{}, err
	}
	b, err := readFiles(after.at)
	if err != nil {
		return Result{}, err
	}
	return compare(f.Contract, after.Contract, beside(a, b), o)
}

// checkOut writes a folder of a git revision into dir. It leaves the work tree and the index alone.
func checkOut(ctx context.Context, revision, spec, dir string) error {
	doing := fmt.Sprintf("read %s at the git revision %s", spec, revision)
	if _, err := exec.LookPath("git"); err != nil {
		return fmt.Errorf("%s: there is no git on the PATH: install it, or name two folders", doing)
	}
	commit, err := git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return fmt.Errorf("%s: git knows no such revision here: name one that git log shows, or a folder", doing)
	}
	folder, err := gitPath(spec)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	tree, err := git(ctx, "rev-parse", "--verify", "--quiet", strings.TrimSpace(string(commit))+":"+folder)
	kind, none := git(ctx, "cat-file", "-t", strings.TrimSpace(string(tree)))
	if err != nil || none != nil || strings.TrimSpace(string(kind)) != "tree" {
		return fmt.Errorf("%s: the revision has no such folder: is it called otherwise there?", doing)
	}
	top, err := git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	// Below the top, git would archive only the content of the working folder.
	archive, err := git(ctx, "-C", strings.TrimSuffix(string(top), "\n"), "archive", "--format=tar", strings.TrimSpace(string(tree)))
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := unpack(archive, dir); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// gitPath returns a folder in git's syntax, relative to the working folder.
func gitPath(spec string) (string, error) {
	if filepath.IsAbs(spec) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		if spec, err = filepath.Rel(here, spec); err != nil {
			return "", err
		}
	}
	spec = filepath.ToSlash(filepath.Clean(spec))
	if spec == ".." || strings.HasPrefix(spec, "../") {
		return spec, nil
	}
	return "./" + spec, nil
}

func git(ctx context.Context, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return nil, errors.Join(err, errors.New(said))
	}
	return out.Bytes(), nil
}

// mostFile bounds the bytes of one file of a spec.
const mostFile = 16 << 20

// unpack writes the files of an archive. It ignores links: a spec consists of files.
func unpack(archive []byte, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(strings.TrimSuffix(head.Name, "/"))
		switch {
		case head.Typeflag == tar.TypeDir && name != "":
			err = root.MkdirAll(name, 0o700)
		case head.Typeflag == tar.TypeReg && head.Size > mostFile:
			err = fmt.Errorf("%s has more than %d bytes: is it a spec?", head.Name, mostFile)
		case head.Typeflag == tar.TypeReg:
			var content []byte
			if content, err = io.ReadAll(r); err == nil {
				err = root.WriteFile(name, content, 0o600)
			}
		}
		if err != nil {
			return err
		}
	}
}
