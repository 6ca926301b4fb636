package main

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// packed is a file of an archive: its name there, where it is, and who may do what with it.
type packed struct {
	name, path string
	mode       fs.FileMode
}

// pack writes files into a .tar.gz, below one folder, all of the same age and nobody's.
func pack(archive, folder string, made time.Time, files []packed) (err error) {
	out, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	zipped, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(zipped)
	sorted := slices.SortedFunc(slices.Values(files), func(a, b packed) int { return cmp.Compare(a.name, b.name) })
	for _, f := range sorted {
		if err := add(w, folder+"/"+f.name, made, f); err != nil {
			return fmt.Errorf("pack %s: %w", f.path, err)
		}
	}
	return errors.Join(w.Close(), zipped.Close())
}

func add(w *tar.Writer, name string, made time.Time, f packed) error {
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: int64(f.mode), ModTime: made, Format: tar.FormatUSTAR}
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}

// checksumsName is the file with the SHA-256 of each archive, as sha256sum -c reads it.
const checksumsName = "checksums.txt"

func checksums(dir string, names []string) error {
	var lines strings.Builder
	for _, name := range names {
		sum, err := digestOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", sum, name)
	}
	return os.WriteFile(filepath.Join(dir, checksumsName), []byte(lines.String()), 0o644)
}

func digestOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
