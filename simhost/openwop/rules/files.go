package rules

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
)

// Files is how the files of a workspace are written, found and told (RFC 0059).
type Files struct {
	// Fits tells whether a path can be that of a file.
	Fits func(path string) bool

	// Etag is that of a version.
	Etag func(version int64, content string) string

	// Next is the number of the version that is written; false: the write makes none.
	Next func(FileWrite) (version int64, made bool)

	// Holds tells whether a write is made over what there is.
	Holds func(FileCondition) bool

	// Bytes is the size of a content, as it is held against the largest one.
	Bytes func(content string) int

	// Room tells whether a write finds room beside the files that are there; exists tells whether it is of one of them.
	Room func(there, most int, exists bool) bool

	// Gone tells whether an operation does not find what was deleted. asked is the path, or the prefix of a list.
	Gone func(op FileOperation, asked string) bool

	// Serves is the version that is served where one was asked for; false: none.
	Serves func(asked, oldest, latest int64) (version int64, ok bool)
}

// FileOperation is what is done with files that may have been deleted.
type FileOperation int

// The operations.
const (
	ReadsFile FileOperation = iota
	DeletesFile
	ListsFiles
)

// FileWrite is a write, and how the file stands.
type FileWrite struct {
	Latest int64       // version of the file, its last delete counted; 0: it never was there
	Exists bool        // the latest is no delete
	Same   func() bool // the file is already what is written
}

// FileCondition is what a write asks for, and how the file stands.
type FileCondition struct {
	Path    string
	IfMatch *string // nil: the write is made whatever there is
	ByTurn  bool    // a turn of a run writes, which is without a condition
	Etag    string  // of the file; empty: it is not there
	Version int64   // of the file, its last delete counted; 0: it never was there
}

// pathPattern is the protocol's. It lets an inner ".." pass.
var pathPattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,255}$`)

func honestFiles() Files {
	return Files{
		Fits: func(path string) bool {
			return pathPattern.MatchString(path) && !slices.Contains(strings.Split(path, "/"), "..")
		},
		Etag: honestEtag,
		Next: func(w FileWrite) (int64, bool) { return w.Latest + 1, true },
		Holds: func(c FileCondition) bool {
			return c.IfMatch == nil || c.Etag != "" && (*c.IfMatch == "*" || *c.IfMatch == c.Etag)
		},
		Bytes: func(content string) int { return len(content) },
		Room:  func(there, most int, exists bool) bool { return exists || there < most },
		Gone:  func(FileOperation, string) bool { return true },
		Serves: func(asked, oldest, latest int64) (int64, bool) {
			return asked, oldest <= asked && asked <= latest
		},
	}
}

// honestEtag is a strong one: two versions of a file never share it, since the version is in it.
func honestEtag(version int64, content string) string {
	digest := sha256.Sum256([]byte(content))
	return fmt.Sprintf(`"%d-%x"`, version, digest[:4])
}
