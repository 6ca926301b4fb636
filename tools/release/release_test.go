package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// mostBytes bounds the command in an archive. Nearly a third of it is NATS, kin-openapi and oasdiff, and every start pays
// for them: weigh a new library before it is linked. Our own code grows with each model and suite: the bound may
// follow that, and never a library that nobody weighed.
const mostBytes = 76_000_000

// The archive of this machine's platform: its checksum holds, and the command in it knows which release it is. It is built as
// make build does, which most machines have done before; a release leaves out C and paths.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("it links the command twice")
	}
	t.Chdir("../..")
	t.Setenv("SOURCE_DATE_EPOCH", "1767225600")
	dir := t.TempDir()
	r := release{version: "v9.8.7", out: dir, platforms: []string{runtime.GOOS + "/" + runtime.GOARCH}}
	if err := r.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "assay_9.8.7_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")
	files := unpack(t, archive, dir)
	root := "assay_9.8.7_" + runtime.GOOS + "_" + runtime.GOARCH
	for _, want := range []string{"assay", "LICENSE", "README.md", "CHANGELOG.md", "man1/assay-certify.1", "completions/assay.bash",
		"completions/_assay", "completions/assay.fish"} {
		if !slices.Contains(files, root+"/"+want) {
			t.Errorf("the archive has no %s", want)
		}
	}
	program := filepath.Join(dir, root, "assay")
	says, err := exec.CommandContext(t.Context(), program, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(says), "assay v9.8.7 (") {
		t.Errorf("the command in the archive says %q", says)
	}
	if info, err := os.Stat(program); err != nil {
		t.Error(err)
	} else if info.Size() > mostBytes {
		t.Errorf("the command in the archive has %d bytes, more than %d: go version -m and go tool nm -size tell of what", info.Size(), mostBytes)
	}
	if _, err := exec.LookPath("sha256sum"); err == nil {
		check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", checksumsName)
		check.Dir = dir
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("sha256sum --check: %v\n%s", err, out)
		}
	}
}

// The same files give the same bytes, in whatever order and however old they are.
func TestPackedAgain(t *testing.T) {
	dir := t.TempDir()
	var archives [][]byte
	for i, order := range [][]string{{"a", "b/c"}, {"b/c", "a"}} {
		var files []packed
		for _, name := range order {
			path := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
			if err := os.WriteFile(path, []byte("of "+name), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Time{}, time.Unix(int64(1000*i), 0)); err != nil {
				t.Fatal(err)
			}
			files = append(files, packed{name, path, 0o644})
		}
		archive := filepath.Join(dir, "archive.tar.gz")
		if err := pack(archive, "root", time.Unix(1767225600, 0), files); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, content)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same files gave two archives")
	}
}

func unpack(t *testing.T, archive, dir string) (names []string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(time.Unix(1767225600, 0)) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s has a trace of this machine: %v, %d, %q", h.Name, h.ModTime, h.Uid, h.Uname)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, h.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, h.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

// A release that cannot be made says what is wrong, and leaves no archive.
func TestNoRelease(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("SOURCE_DATE_EPOCH", "0")
	for _, c := range []struct {
		r    release
		want string
	}{
		{release{version: "../v1", platforms: platforms}, "make a version"},
		{release{version: "v1 2", platforms: platforms}, "make a version"},
	} {
		c.r.out = filepath.Join(t.TempDir(), "dist")
		err := c.r.make(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("version %q: %v, want %q", c.r.version, err, c.want)
		}
		if _, err := os.Stat(c.r.out); err == nil {
			t.Errorf("version %q left something in %s", c.r.version, c.r.out)
		}
	}
}
