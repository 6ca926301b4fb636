package workspace

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/simhost/refusal"
)

const (
	codeNotFound = refusal.NotFound
	codeConflict = "workspace_conflict"
	codeTooLarge = "workspace_too_large"
)

// refuse and invalid make refusals.
var (
	refuse  = refusal.New
	invalid = refusal.Invalid
)

// checkPath refuses what is no plain relative path. The path itself is not repeated: it can be of any length.
func (f *Files) checkPath(path string) error {
	if !f.o.Rules.Fits(path) {
		if strings.Contains(path, "/..") {
			return invalid("path", noDots)
		}
		return invalid("path", "give 1 to 256 characters of A-Z a-z 0-9 . _ / -, of which the first is a letter or a digit")
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == "":
			return invalid("path", "a slash stands between two names: leave out the second one in a row, and the last")
		case segment == ".":
			return invalid("path", noDots)
		}
	}
	return nil
}

const noDots = "no part of it may be . or .."

// contentTypePattern is loose: the type is handed back as it came, and only has to fit into a header of a reply.
var contentTypePattern = lazyregexp.New(`^[ -~]{0,255}$`)

func checkContentType(contentType string) error {
	if !contentTypePattern.MatchString(contentType) {
		return invalid("contentType", "give at most 255 printable ASCII characters")
	}
	return nil
}

func notFound(path string) *refusal.Error {
	return refuse(codeNotFound, fmt.Sprintf("there is no file %q", path), "path", path)
}

func versionNotFound(path string, version, oldest, latest int64) *refusal.Error {
	kept := fmt.Sprintf("versions %d to %d are", oldest, latest)
	if oldest == latest {
		kept = fmt.Sprintf("version %d is", latest)
	}
	return refuse(codeNotFound, fmt.Sprintf("version %d of file %q is not kept: %s", version, path, kept), "path", path, "version", version)
}

func conflict(path string, current int64) *refusal.Error {
	message := fmt.Sprintf("file %q has changed: read it, and send the etag that it has now", path)
	if current == 0 {
		message = fmt.Sprintf("there is no file %q: leave If-Match off to make it", path)
	}
	return refuse(codeConflict, message, "path", path, "currentVersion", current)
}

func fileTooLarge(path string, bytes, most int) *refusal.Error {
	return refuse(codeTooLarge, fmt.Sprintf("file %q has %d bytes: keep it within %d", path, bytes, most), "path", path, "maxFileBytes", most)
}

func tooMany(most int) *refusal.Error {
	return refuse(codeTooLarge, fmt.Sprintf("the workspace has %d files, which is all it may have: delete one first", most), "maxFiles", most)
}
