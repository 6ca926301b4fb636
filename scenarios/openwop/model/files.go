package model

import (
	"cmp"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// FilePaths are the paths of the files, below a prefix. They are near each other: as a folder and its neighbours, in case, as a
// beginning of another, as what a pattern matches.
var FilePaths = [6]string{"a/one.md", "a/One.md", "a/one.md.x", "a-one.md", "a/b/two_2", "a_one.md"}

// OddPaths are those that no file can have, as told; see [OddPath].
var OddPaths = []string{
	"P/a/../climb", `P/a\one.md`, "P/a/b/../../ab", "P/a one", "P/a/..", "P/a/é", "/P/a", ".P/a", "-P/a", "_P/a", "P/ of 257 characters",
}

// OddPath returns one of the odd paths, where P stands for the prefix without its slash.
func OddPath(odd int, prefix string) string {
	const most = 256
	path := strings.TrimSuffix(prefix, "/")
	if odd == len(OddPaths)-1 {
		return prefix + strings.Repeat("x", most+1-len(prefix))
	}
	return strings.Replace(OddPaths[odd], "P", path, 1)
}

// Prefixes are those of lists. Not each names a folder, and some match other paths where a host takes them for patterns.
var Prefixes = []string{"", "a", "a/", "a/o", "a/one.md", "a/b/", "b", "A", "a_", "a_one.", "a.one", "a/one."}

// keptVersions is how many versions of a file the model remembers.
const keptVersions = 6

// Files is a part of a workspace.
type Files struct {
	Versioned bool                 `json:"versioned"`          // former versions can be read
	MaxBytes  int64                `json:"maxBytes,omitempty"` // of a file; 0 if it is not told, or too many to send
	Keeps     int64                `json:"keeps,omitempty"`    // how many versions; 0 if it is not told
	Files     [len(FilePaths)]File `json:"files"`
}

// File is what is at a path.
type File struct {
	There bool   `json:"there"`
	Text  Text   `json:"text"`
	Type  string `json:"type"`
	// Version is that of the last write, or the least that it may be if it is not Sure; 0 if there was none.
	Version int64     `json:"version"`
	Sure    bool      `json:"sure"`
	Etag    string    `json:"etag"`   // "" if it was not shown
	Former  [3]string `json:"former"` // etags before
	From    int64     `json:"from"`   // all versions from it on were written; 0 if it is not known
	// Texts and Types are those of former versions, by the rest of the version, and Wrote the versions themselves.
	Texts [keptVersions]Text   `json:"texts"`
	Types [keptVersions]string `json:"types"`
	Wrote [keptVersions]int64  `json:"wrote"`
	// Dropped is the version that was deleted last, and Again the first one after that; 0 if they are not known.
	Dropped int64 `json:"dropped,omitempty"`
	Again   int64 `json:"again,omitempty"`
}

// FileDo is an operation on files.
type FileDo string

// The operations.
const (
	PutFile     FileDo = "write"
	PutOdd      FileDo = "write without content"
	GetFile     FileDo = "read"
	GetVersion  FileDo = "read a version of"
	DropFile    FileDo = "delete"
	ListFiles   FileDo = "list"
	GetForeign  FileDo = "read, as another tenant,"
	DropForeign FileDo = "delete, as another tenant,"
	PutStray    FileDo = "write to"
)

// Condition is which etag a write names.
type Condition string

// The conditions.
const (
	Unconditional Condition = ""
	CurrentEtag   Condition = "current" // that was seen last
	FormerEtag    Condition = "former"  // before that
	OtherEtag     Condition = "other"   // of the next file
	MixedEtag     Condition = "mixed"   // it begins as the former and ends as the current one
	InventedEtag  Condition = "invented"
	AnyEtag       Condition = "any" // a star
)

// FileAsk is a step.
type FileAsk struct {
	Do   FileDo    `json:"do"`
	Path int       `json:"path"` // of FilePaths, OddPaths for PutStray, Prefixes for ListFiles
	If   Condition `json:"if,omitempty"`
	Text Text      `json:"text"`
	Type string    `json:"type,omitempty"`
	// Back is how many versions before the one that was seen last, or how many etags before the former one.
	Back int64 `json:"back,omitempty"`
}

// FileSaw is a reply.
type FileSaw struct {
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
	Prefix string     `json:"prefix"`            // of all paths
	Alone  string     `json:"alone,omitempty"`   // the path of the first file, where nothing is known of others
	Below  string     `json:"below,omitempty"`   // the prefix that a list was asked for then
	Named  string     `json:"named,omitempty"`   // the etag that was sent
	Asked  int64      `json:"version,omitempty"` // the version that was asked for
	Beside bool       `json:"beside,omitempty"`  // another write of the file was under way
	Nobody bool       `json:"nobody,omitempty"`  // there is no other tenant
}

// path returns the path of a file, "" if nothing is known of it.
func (s FileSaw) path(i int) string {
	switch {
	case s.Alone == "":
		return s.Prefix + FilePaths[i]
	case i == 0:
		return s.Alone
	}
	return ""
}

// below returns the prefix of a list.
func (s FileSaw) below(in FileAsk) string {
	if s.Alone == "" {
		return s.Prefix + Prefixes[in.Path]
	}
	return s.Below
}

type (
	fileStep = history.Step[FileAsk, FileSaw]
	fileRule = history.Rule[Files, FileAsk, FileSaw]
	fileWay  = history.Way[Files, FileAsk, FileSaw]
)

func (f Files) at(in FileAsk) File { return f.Files[in.Path] }

func (f Files) same(fileStep) Files { return f }

func (in FileAsk) puts(cond bool) bool { return in.Do == PutFile && (in.If != Unconditional) == cond }

// tooLarge reports whether a content is over the bound on size.
func (f Files) tooLarge(in FileAsk) bool {
	return f.MaxBytes > 0 && in.Text.size(f.MaxBytes) > f.MaxBytes
}

var goneCodes = []int64{404, 403, 410}

// FilesModel says what a workspace may show.
var FilesModel = &history.Model[Files, FileAsk, FileSaw]{
	Rules: append(fileReads, fileWrites...),
	Tell:  tellFile,
}

var fileReads = []*fileRule{
	{
		Name: "a file is served as it was put", Of: scenarios.IDs{openwop.OWPWSP1},
		When: func(f Files, in FileAsk) bool { return in.Do == GetFile && f.at(in).There },
		Ways: []fileWay{{Must: true, Shows: Files.shown, To: Files.seen}},
	},
	{
		Name: "a file that was deleted is not found", Of: scenarios.IDs{openwop.OWPWSP6},
		When: func(f Files, in FileAsk) bool { return in.Do == GetFile && f.at(in).Version > 0 },
		Ways: []fileWay{{Must: true, Shows: absent, To: Files.same}},
	},
	{
		Name: "a file that was never there is not found", Of: scenarios.IDs{openwop.OWPWSP7},
		When: func(_ Files, in FileAsk) bool { return in.Do == GetFile },
		Ways: []fileWay{{Must: true, Shows: absent, To: Files.same}},
	},
	{
		Name: "a version is served as it was written, and one that never was is not found", Of: scenarios.IDs{openwop.OWPWSP18, openwop.OWPWSP19},
		When: func(f Files, in FileAsk) bool { return in.Do == GetVersion && f.Versioned && f.at(in).There },
		Ways: []fileWay{{Must: true, Shows: Files.versionShown, To: Files.same}},
	},
	{ // No text says what becomes of the versions of a file that was deleted, nor what ?version= is where there are none.
		Name: "what else is asked of versions is left open", Of: nil,
		When: func(_ Files, in FileAsk) bool { return in.Do == GetVersion },
		Ways: []fileWay{{Shows: anyFile, To: Files.same}},
	},
	{
		Name: "a list shows the files below a prefix", Of: scenarios.IDs{openwop.OWPWSP4},
		When: func(_ Files, in FileAsk) bool { return in.Do == ListFiles },
		Ways: []fileWay{{Must: true, Shows: Files.listed, To: Files.same}},
	},
	{
		Name: "nobody sees the files of another tenant", Of: scenarios.IDs{openwop.OWPISO10},
		When: func(_ Files, in FileAsk) bool { return in.Do == GetForeign || in.Do == DropForeign },
		Ways: []fileWay{
			{Name: "there is no other tenant", Shows: nobody, To: Files.same},
			{Name: "there is", Must: true, Shows: absent, To: Files.same},
		},
	},
}

func anyFile(Files, fileStep) []history.Miss { return nil }

func absent(_ Files, s fileStep) []history.Miss { return refusal(s.Out.Status, goneCodes...) }

func nobody(_ Files, s fileStep) []history.Miss {
	return whether(s.Out.Nobody, "", s.Out.Status, "nothing is asked")
}

// same compares a served file with the one that is there, but for its content.
func (f File) same(e wire.Value, path string) (out []history.Miss) {
	if got := e.Key("path"); got.String() != path {
		out = append(out, missOf(openwop.OWPWSP1, got, "the path %q", path))
	}
	version := e.Key("version")
	if got, ok := version.Int(); !ok || f.Sure && got != f.Version || got < f.Version {
		out = append(out, missOf(openwop.OWPWSP9, version, "version %d", f.Version))
	}
	if etag := e.Key("etag"); f.Etag != "" && etag.String() != "" && etag.String() != f.Etag {
		out = append(out, missOf(openwop.OWPWSP10, etag, "the etag %s", f.Etag))
	} else if etag.String() != "" {
		out = append(out, f.fresh(etag)...)
	}
	if kind := e.Key("contentType"); kind.Present() && kind.String() != f.kind() {
		id := scenarios.RequirementID(openwop.OWPWSP1)
		if f.Type == "" {
			id = openwop.OWPWSP2
		}
		out = append(out, missOf(id, kind, "the content type %s", f.kind()))
	} else if !kind.Present() && f.Type != "" && e.Key("content").Present() {
		out = append(out, missOf(openwop.OWPWSP1, kind, "the content type %s", f.kind()))
	}
	return out
}

const plainType = "text/markdown" // of a file that was put without a type

func (f File) kind() string {
	if f.Type == "" {
		return plainType
	}
	return f.Type
}

// fresh is what an etag has to be, where the file has none yet that is known.
func (f File) fresh(etag wire.Value) (out []history.Miss) {
	s := etag.String()
	if len(s) < 3 || s[0] != '"' || s[len(s)-1] != '"' || strings.Contains(s[1:len(s)-1], `"`) {
		out = append(out, missOf(openwop.OWPWSP10, etag, "a strong etag in quotes"))
	}
	for _, former := range f.Former {
		if former == s {
			out = append(out, missOf(openwop.OWPWSP10, etag, "another etag than a former version had"))
		}
	}
	return out
}

func (f Files) shown(s fileStep) (out []history.Miss) {
	file := f.at(s.In)
	if out = success(s.Out.Status, "the file"); out != nil {
		return out
	}
	if content := s.Out.Body.Key("content"); !file.Text.is(content, f.MaxBytes) {
		out = append(out, missOf(openwop.OWPWSP1, content, "the content %s", file.Text))
	}
	return append(out, file.same(s.Out.Body, s.Out.path(s.In.Path))...)
}

// seen returns the files as a read of one shows it.
func (f Files) seen(s fileStep) Files {
	file := &f.Files[s.In.Path]
	if version, ok := s.Out.Body.Key("version").Int(); ok && !file.Sure {
		file.learn(version)
		file.keep()
	}
	if etag := s.Out.Body.Key("etag").String(); etag != "" {
		file.Etag = etag
	}
	return f
}

// learn notes a version that was not sure: the first one after a delete.
func (f *File) learn(version int64) {
	if f.Dropped > 0 { // one write after the other has had the next version since
		f.Again += version - f.Version
	}
	f.Version, f.Sure = version, true
}

// keep remembers the text and the type of the present version.
func (f *File) keep() {
	f.From = cmp.Or(f.From, f.Version)
	slot := f.Version % keptVersions
	f.Texts[slot], f.Types[slot], f.Wrote[slot] = f.Text, f.Type, f.Version
}

// versionShown compares the read of a version with what is known of it.
func (f Files) versionShown(s fileStep) []history.Miss {
	file, asked := f.at(s.In), s.Out.Asked
	code, _ := s.Out.Status.Int()
	slot := asked % keptVersions
	known := file.Wrote[slot] == asked
	switch content, kind := s.Out.Body.Key("content"), s.Out.Body.Key("contentType"); {
	case file.Sure && asked > file.Version:
		return whether(code/100 == 4, openwop.OWPWSP19, s.Out.Status, "a refusal: there is no version %d", asked)
	case file.Sure && file.Dropped > 0 && asked > file.Dropped && asked < file.Again:
		return whether(code/100 == 4, openwop.OWPWSP19, s.Out.Status, "a refusal: version %d was a delete, or never there", asked)
	case known && code/100 == 2 && file.Types[slot] != "" && kind.Present() && kind.String() != file.Types[slot]:
		return []history.Miss{missOf("", kind, "the content type %s of version %d", file.Types[slot], asked)}
	case known && code/100 == 2:
		return whether(file.Texts[slot].is(content, f.MaxBytes), "", content, "the content %s of version %d", file.Texts[slot], asked)
	case file.Sure && file.From > 0 && asked >= file.From && file.Version-asked < f.Keeps:
		return whether(code/100 == 2, "", s.Out.Status, "success: version %d is one of the last %d", asked, f.Keeps)
	}
	return nil
}

// listed compares a list with the files below its prefix.
func (f Files) listed(s fileStep) (out []history.Miss) {
	if out = success(s.Out.Status, "the list"); out != nil {
		return out
	}
	list := s.Out.Body.Key("files")
	entries := map[string]wire.Value{}
	for _, e := range list.Items() {
		path := e.Key("path").String()
		if _, twice := entries[path]; twice {
			out = append(out, missOf("", e, "each file once"))
		}
		if content := e.Key("content"); content.Present() {
			out = append(out, missOf(openwop.OWPWSP5, content, "no content in a list"))
		}
		entries[path] = e
	}
	for odd := range OddPaths { // that such a file was taken is another violation, and listing it is none
		delete(entries, OddPath(odd, s.Out.Prefix))
	}
	below := s.Out.below(s.In)
	for i, short := range FilePaths {
		path := s.Out.path(i)
		e, has := entries[path]
		delete(entries, path)
		switch want := f.Files[i].There && strings.HasPrefix(path, below); {
		case path == "":
		case want && !has:
			out = append(out, missOf("", list, "an entry of %s", cmp.Or(s.Out.Alone, short)))
		case want:
			for _, m := range f.Files[i].same(e, path) {
				m.Of = "" // the list is what shows another version
				out = append(out, m)
			}
		case has && !f.Files[i].There:
			out = append(out, missOf("", e, "no entry of %s, which is not there", cmp.Or(s.Out.Alone, short)))
		case has:
			out = append(out, missOf("", e, "no entry of %s, which does not begin with the prefix", cmp.Or(s.Out.Alone, short)))
		}
	}
	if s.Out.Alone != "" {
		return out
	}
	for _, e := range entries {
		out = append(out, missOf("", e, "no file that nobody wrote"))
	}
	return out
}
