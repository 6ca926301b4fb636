package rules

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/lazyregexp"
)

// Files is how the files of a workspace are written, found and told (RFC 0059).
type Files struct {
	// Fits tells whether a path has the form of one; what its segments are comes later.
	Fits func(path string) bool

	// Climbs tells whether a path with this segment is refused for where it leads.
	Climbs func(segment string) bool

	// Etag is that of a version.
	Etag func(version int64, content string) string

	// Next is the number of the version that is written, after the latest one, which may be a delete.
	Next func(latest int64, exists bool) int64

	// Counts tells whether a write is a version; same tells whether the file is already what is written.
	Counts func(same func() bool) bool

	// Overwrites tells whether a write without a condition replaces what is there; a turn writes without any.
	Overwrites func(byTurn bool) bool

	// Holds tells whether a write on a condition is made.
	Holds func(FileCondition) bool

	// Ahead tells whether the condition of a write was judged before it took its place among the writes that are under way,
	// and what came of it.
	Ahead func(path string, judge func() error) (judged bool, err error)

	// Bytes is the size of a content, as it is held against the largest one.
	Bytes func(content string) int

	// Room tells whether a write finds room beside the files that are there; exists tells whether it is of one of them.
	Room func(there, most int, exists bool) bool

	// Gone tells whether an operation does not find what was deleted. asked is the path, or the prefix of a list.
	Gone func(op FileOperation, asked string) bool

	// Lists tells whether a file is in the list of a prefix.
	Lists func(path, prefix string) bool

	// Serves is the version that is served where one was asked for; false: none.
	Serves func(asked, oldest, latest int64) (version int64, ok bool)

	// Told is what the log of a run says of a file that it wrote; false: nothing.
	Told func(p openwopv1.WorkspaceUpdatedPayload, content string) (FileTold, bool)
}

// FileOperation is what is done with files that may have been deleted.
type FileOperation int

// The operations.
const (
	ReadsFile FileOperation = iota
	DeletesFile
	ListsFiles
)

// FileCondition is an If-Match, and how the file stands.
type FileCondition struct {
	Path, IfMatch string
	Etag          string // of the file; empty: it is not there
	Version       int64  // of the file, its last delete counted; 0: it never was there
}

// FileTold is a write as the log has it.
type FileTold struct {
	openwopv1.WorkspaceUpdatedPayload

	Content string `json:"content,omitempty"` // of the file, which the log is not to hold
}

// pathPattern is the protocol's. It lets an inner ".." pass.
var pathPattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,255}$`)

func honestFiles() Files {
	return Files{
		Fits:       pathPattern.MatchString,
		Climbs:     func(segment string) bool { return segment == ".." },
		Etag:       honestEtag,
		Next:       func(latest int64, _ bool) int64 { return latest + 1 },
		Counts:     func(func() bool) bool { return true },
		Overwrites: func(bool) bool { return true },
		Holds: func(c FileCondition) bool {
			return c.Etag != "" && (c.IfMatch == "*" || c.IfMatch == c.Etag)
		},
		Ahead: func(string, func() error) (bool, error) { return false, nil },
		Bytes: func(content string) int { return len(content) },
		Room:  func(there, most int, exists bool) bool { return exists || there < most },
		Gone:  func(FileOperation, string) bool { return true },
		Lists: strings.HasPrefix,
		Serves: func(asked, oldest, latest int64) (int64, bool) {
			return asked, oldest <= asked && asked <= latest
		},
		Told: func(p openwopv1.WorkspaceUpdatedPayload, _ string) (FileTold, bool) {
			return FileTold{WorkspaceUpdatedPayload: p}, true
		},
	}
}

// honestEtag is a strong one: two versions of a file never share it, since the version is in it.
func honestEtag(version int64, content string) string {
	digest := sha256.Sum256([]byte(content))
	return fmt.Sprintf(`"%d-%x"`, version, digest[:4])
}
