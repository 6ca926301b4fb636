package openwop

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// filing is a request about a file of the workspace, and what the host advertises.
type filing struct {
	asked
	most      int64 // bytes of a content, 0 if the host does not say
	versioned bool
	written   *asked // the write whose reply has the etag that is read
}

// filings are the rules about single requests for files.
var filings = struct{ paths, writes, conflicts, reads, lists rule[filing] }{
	rule[filing]{"file-path", scenarios.IDs{openwop.OWPWSP21, openwop.OWPWSP22}, func(f filing, j *scenarios.Judge) {
		switch path := f.id(); {
		case climbs(path) && f.Ok() && !f.Body.Key("version").Present(): // it led to another endpoint
		case climbs(path):
			j.Check(openwop.OWPWSP21, f.Status).To(check.Status(4), "%s of a path with a segment of two dots", f.Method)
		case f.op == dialect.WriteFile && !possiblePath.MatchString(path):
			j.Check(openwop.OWPWSP22, f.Status).To(check.Status(4), "a write of a path that no file can have")
		}
	}},
	rule[filing]{"file-written", scenarios.IDs{openwop.OWPWSP2, openwop.OWPWSP3, openwop.OWPWSP23}, func(f filing, j *scenarios.Judge) {
		members, ok := f.members()
		content, isText := members["content"].(string)
		switch {
		case f.op != dialect.WriteFile || !ok || f.keyed() || climbs(f.id()) || !possiblePath.MatchString(f.id()):
		case !isText:
			j.Check(openwop.OWPWSP3, f.Status).To(check.Status(4), "a write without a content that is a text")
		case f.most > 0 && int64(len(content)) > f.most:
			j.Check(openwop.OWPWSP23, f.Status).To(check.Status(4), "content of %d bytes, where %d are the limit", len(content), f.most)
		case f.Ok() && members["contentType"] == nil && f.Body.Key("contentType").Present():
			j.Check(openwop.OWPWSP2, f.Body.Key("contentType")).To(check.OneOf(nil, "text/markdown"), "contentType of a file that was put without")
		}
	}},
	rule[filing]{"file-conflict", scenarios.IDs{openwop.OWPWSP14}, func(f filing, j *scenarios.Judge) {
		_, conditional := f.Get("If-Match")
		conflict := f.Code == http.StatusConflict && dialect.CodeOf(f.Body.Key("error")) == dialect.WorkspaceConflict
		if f.op != dialect.WriteFile || !conditional || f.keyed() || !conflict && f.Code != http.StatusPreconditionFailed {
			return
		}
		if j.Check(openwop.OWPWSP14, f.Status).To(check.Status(http.StatusConflict), "a write whose If-Match is not the etag of the file") {
			j.Check(openwop.OWPWSP14, f.Body.At("/details/currentVersion")).To(check.Integer(0, 0), "details.currentVersion")
		}
	}},
	rule[filing]{"file-read", scenarios.IDs{openwop.OWPWSP1, openwop.OWPWSP18, openwop.OWPWSP19}, func(f filing, j *scenarios.Judge) {
		asked, byVersion := f.Query["version"]
		version := int64(0)
		if byVersion && len(asked) == 1 {
			version, _ = strconv.ParseInt(asked[0], 10, 64)
		}
		switch {
		case f.op != dialect.ReadFile || climbs(f.id()):
		case byVersion && f.versioned && len(f.Query) == 1 && version < 1 && !whole.MatchString(asked[0]):
			j.Check(openwop.OWPWSP19, f.Status).To(check.Status(4), "a read of a version that is none")
		case byVersion && f.versioned && f.Ok() && version > 0:
			j.Check(openwop.OWPWSP18, f.Body.Key("version")).To(check.Equal(version), "version of the file as it was")
		case f.written != nil:
			members, _ := f.written.members()
			if host.Holds(f.Body.Actual(), "REDACTED") { // secrets need not be stored
				return
			}
			j.Check(openwop.OWPWSP1, f.Body.Key("content")).To(check.Equal(members["content"]), "content of a file with the etag of a write")
			j.Check(openwop.OWPWSP1, f.Body.Key("path")).To(check.Equal(f.id()), "path of a file")
		}
	}},
	rule[filing]{"files-listed", scenarios.IDs{openwop.OWPWSP4, openwop.OWPWSP5}, func(f filing, j *scenarios.Judge) {
		list := f.Body.Key("files")
		if f.op != dialect.ListFiles || !f.Ok() || len(list.Items()) == 0 {
			return
		}
		entries := wire.Found{Values: list.Items(), In: list.Ref()}
		if prefix := f.Query["prefix"]; len(prefix) == 1 && prefix[0] != "" && !wire.HoldsSecret(prefix[0]) {
			j.Check(openwop.OWPWSP4, entries.Each("/path")).To(check.Each(check.That("a path that begins with "+prefix[0], func(v any) bool {
				path, _ := v.(string)
				return strings.HasPrefix(path, prefix[0])
			})), "paths in a list")
		}
		j.Check(openwop.OWPWSP5, entries.Each("/content")).To(check.Absent(), "contents in a list")
	}},
}

var (
	possiblePath = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,255}$`)
	whole        = lazyregexp.New(`^\+?0*[1-9][0-9]*$`)
)

// climbs reports whether a path has a segment of two dots. One that is escaped once more is none.
func climbs(path string) bool { return slices.Contains(strings.Split(path, "/"), "..") }

func (t *traffic) judgeFilings() {
	most, _ := claims.Family(t.discovery, "workspace").Key("maxFileBytes").Int()
	_, versioned := claims.WorkspaceVersioned.Look(t.discovery)
	type version struct{ by, path, etag string }
	of := func(x asked) version { return version{x.By(), x.id(), x.Body.Key("etag").String()} }
	writes, twice := map[version]*asked{}, map[version]bool{}
	for _, x := range t.of(dialect.WriteFile) {
		v := of(x)
		if members, ok := x.members(); x.Ok() && v.etag != "" && ok && !x.keyed() {
			_, isText := members["content"].(string)
			twice[v] = twice[v] || writes[v] != nil || !isText // each version has an etag of its own: that is asked elsewhere
			writes[v] = &x
		}
	}
	for _, x := range t.of(dialect.ListFiles, dialect.ReadFile, dialect.WriteFile, dialect.DeleteFile) {
		if !x.decided() || wire.HoldsSecret(x.id()) {
			continue
		}
		f := filing{asked: x, most: most, versioned: versioned && t.discovery.Document.Present()}
		if v := of(x); x.op == dialect.ReadFile && x.Code == http.StatusOK && len(x.Query) == 0 && !twice[v] && wire.Hidden(x.Body) == 0 {
			if w := writes[v]; w != nil && w.Body.Key("updatedAt").Present() && // a file may be deleted and begin with its first etag anew
				w.Body.Key("updatedAt").JSON() == x.Body.Key("updatedAt").JSON() {
				f.written = w
			}
		}
		for _, r := range []rule[filing]{filings.paths, filings.writes, filings.conflicts, filings.reads, filings.lists} {
			r.hold(t.sights, x.Path, f)
		}
	}
}
