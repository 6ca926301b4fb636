package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

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
	// ByTurn says that a turn of a run writes.
	ByTurn bool
}

// Put writes a file and returns it as it was written, secrets redacted.
func (f *Files) Put(ctx context.Context, owner Owner, p Put) (openwopv1.WorkspaceFile, error) {
	var (
		written record
		before  uint64
	)
	err := f.owners.Append(ctx, LogName(owner), func(x *index) (data []byte, err error) {
		if before = x.origins[p.Origin]; before > 0 {
			return nil, nil
		}
		made := false
		if written, made, err = f.next(x, p); err != nil {
			return nil, err
		}
		if !made {
			before = x.files[written.Path].latest().revision
			return nil, nil
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

// holds tells whether a file is already what is to be written.
func (f *Files) holds(file *file, r record) bool {
	return file.exists() && file.latest().etag == f.o.Rules.Etag(file.version(), r.Content) && file.latest().contentType == r.ContentType
}

// next is what a write makes of the files as they are; made is false where they already are so.
func (f *Files) next(x *index, p Put) (r record, made bool, err error) {
	if err := f.check(p); err != nil {
		return record{}, false, err
	}
	file, rule := x.files[p.Path], &f.o.Rules
	r = record{
		Path:        p.Path,
		UpdatedAt:   f.now(),
		Content:     f.redactor.Text(p.Content),
		ContentType: cmp.Or(f.redactor.Text(p.ContentType), defaultContentType),
		Origin:      p.Origin,
	}
	r.Version, made = rule.Next(rules.FileWrite{
		Latest: file.version(), Exists: file.exists(), Same: func() bool { return f.holds(file, r) },
	})
	r.Etag = rule.Etag(r.Version, r.Content)
	// The marker of a secret can be longer than the secret, and no file is ever served that could not be put back.
	if bytes := max(rule.Bytes(p.Content), rule.Bytes(r.Content)); bytes > f.o.MaxFileBytes {
		return record{}, false, fileTooLarge(p.Path, bytes, f.o.MaxFileBytes)
	}
	if err := f.match(file, p); err != nil {
		return record{}, false, err
	}
	if !rule.Room(len(x.live), f.o.MaxFiles, file.exists()) {
		return record{}, false, tooMany(f.o.MaxFiles)
	}
	return r, made, nil
}

// defaultContentType is the protocol's.
const defaultContentType = "text/markdown"

// check judges a write without a look at the files.
func (f *Files) check(p Put) error {
	if err := f.checkPath(p.Path); err != nil {
		return err
	}
	if !utf8.ValidString(p.Content) {
		return invalid("content", "it is not UTF-8: a file is text")
	}
	return checkContentType(p.ContentType)
}

// match compares the If-Match of a write with what there is.
func (f *Files) match(file *file, p Put) error {
	etag, current := "", int64(0)
	if file.exists() {
		etag, current = file.latest().etag, file.version()
	}
	condition := rules.FileCondition{Path: p.Path, IfMatch: p.IfMatch, ByTurn: p.ByTurn, Etag: etag, Version: file.version()}
	if !f.o.Rules.Holds(condition) {
		return conflict(p.Path, current)
	}
	return nil
}

// Delete removes a file. The delete is a version of its own, so that a file that is there again counts on from it. An origin
// that has deleted before deletes nothing more, as with Put; "" is none.
func (f *Files) Delete(ctx context.Context, owner Owner, path, origin string) error {
	if err := f.checkPath(path); err != nil {
		return err
	}
	return f.owners.Append(ctx, LogName(owner), func(x *index) ([]byte, error) {
		if x.origins[origin] > 0 {
			return nil, nil
		}
		file := x.files[path]
		if !f.finds(file, rules.DeletesFile, path) {
			return nil, notFound(path)
		}
		return json.Marshal(record{Path: path, Version: file.version() + 1, UpdatedAt: f.now(), Deleted: true, Origin: origin})
	})
}
