package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/openassay/assay/gen/openwopv1"
)

// defaultContentType is the protocol's.
const defaultContentType = "text/markdown"

// Put is a write.
type Put struct {
	Path, Content string
	ContentType   string // "" is text/markdown
	// IfMatch is the etag that the file must have for the write to happen; "*" is any, of a file that exists. nil writes
	// over whatever there is.
	IfMatch *string
	// Origin names the cause of the write among all of the owner. A write with an origin that has written before returns
	// what was written then and writes nothing, so that what a crash interrupted can be done again. "" is none.
	Origin string
}

// Put writes a file and returns it as it was written, secrets redacted.
func (f *Files) Put(ctx context.Context, owner Owner, p Put) (openwopv1.WorkspaceFile, error) {
	var (
		written record
		before  uint64
	)
	err := f.owners.Append(ctx, owner.log(), func(x *index) (data []byte, err error) {
		if before = x.origins[p.Origin]; before > 0 {
			return nil, nil
		}
		if written, err = f.next(x, p); err != nil {
			return nil, err
		}
		return json.Marshal(written)
	})
	switch {
	case err != nil:
		return openwopv1.WorkspaceFile{}, err
	case before > 0:
		return f.load(ctx, owner, before)
	}
	return written.file(), nil
}

// next is what a write makes of the files as they are.
func (f *Files) next(x *index, p Put) (record, error) {
	if err := f.check(p); err != nil {
		return record{}, err
	}
	r := record{
		Path:        p.Path,
		Version:     x.files[p.Path].version() + 1,
		UpdatedAt:   f.now(),
		Content:     f.redactor.Text(p.Content),
		ContentType: f.redactor.Text(p.ContentType),
		Origin:      p.Origin,
	}
	if r.ContentType == "" {
		r.ContentType = defaultContentType
	}
	r.Etag = etag(r.Version, r.Content)
	// The marker of a secret can be longer than the secret, and no file is ever served that could not be put back.
	if bytes := max(len(p.Content), len(r.Content)); bytes > f.o.MaxFileBytes {
		return record{}, fileTooLarge(p.Path, bytes, f.o.MaxFileBytes)
	}
	if err := match(x.files[p.Path], p); err != nil {
		return record{}, err
	}
	if !x.files[p.Path].exists() && len(x.live) >= f.o.MaxFiles {
		return record{}, tooMany(f.o.MaxFiles)
	}
	return r, nil
}

// check judges a write without a look at the files.
func (f *Files) check(p Put) error {
	if err := checkPath(p.Path); err != nil {
		return err
	}
	if !utf8.ValidString(p.Content) {
		return invalid("content", "it is not UTF-8: a file is text")
	}
	return checkContentType(p.ContentType)
}

// match compares the If-Match of a write with what there is.
func match(f *file, p Put) error {
	switch {
	case p.IfMatch == nil:
		return nil
	case !f.exists():
		return conflict(p.Path, 0)
	case *p.IfMatch != "*" && *p.IfMatch != f.latest().etag:
		return conflict(p.Path, f.version())
	}
	return nil
}

// etag is a strong one: two versions of a file never share it, since the version is in it.
func etag(version int64, content string) string {
	digest := sha256.Sum256([]byte(content))
	return fmt.Sprintf(`"%d-%x"`, version, digest[:4])
}

// Delete removes a file. The delete is a version of its own, so that a file that is there again counts on from it.
func (f *Files) Delete(ctx context.Context, owner Owner, path string) error {
	if err := checkPath(path); err != nil {
		return err
	}
	return f.owners.Append(ctx, owner.log(), func(x *index) ([]byte, error) {
		file := x.files[path]
		if !file.exists() {
			return nil, notFound(path)
		}
		return json.Marshal(record{Path: path, Version: file.version() + 1, UpdatedAt: f.now(), Deleted: true})
	})
}
