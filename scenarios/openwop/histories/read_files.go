package histories

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

type fileHistory = explore.Recorded[model.Files, model.FileAsk, model.FileSaw]

var (
	plainPath  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,255}$`)
	strongEtag = lazyregexp.New(`^"[^"]+"$`)
)

// plain reports whether a file may have a path, and the texts say so.
func plain(path string) bool {
	return plainPath.MatchString(path) && !slices.ContainsFunc(strings.Split(path, "/"), func(segment string) bool {
		return segment == "" || strings.Trim(segment, ".") == ""
	})
}

// fileReader reads the history of each file by itself.
type fileReader struct {
	begin    model.Files
	mostSent int64 // bytes of a request; 0 if it is not told
	all      []explore.Exchange
	paths    []string // of the file that each of them is about, "" for none
	lists    []explore.Exchange
	astray   []explore.Exchange // writes to paths of which nobody knows where they lead
}

func readFiles(d *dialect.Dialect, discovery scenarios.Discovery, t *wire.Transcript, all []explore.Exchange) (out []fileHistory) {
	r := fileReader{begin: filesOf(discovery), all: all, paths: make([]string, len(all))}
	r.mostSent, _ = claims.Family(discovery, "limits").Key("maxRequestBodyBytes").Int()
	file, list := d.Matching(dialect.ReadFile), d.Path(dialect.ListFiles)
	type owned struct{ path, by string }
	var owners []owned
	var others []explore.Exchange
	for i, x := range all {
		switch {
		case file.MatchString(x.Path):
			r.paths[i] = d.One(x.Path, dialect.ReadFile)
			if o := (owned{r.paths[i], x.By()}); !plain(o.path) {
				r.astray = append(r.astray, x)
			} else if !slices.Contains(owners, o) {
				owners = append(owners, o)
			}
		case x.Path == list && x.Method == http.MethodGet:
			r.lists = append(r.lists, x)
		default:
			others = append(others, x)
		}
	}
	for _, o := range owners {
		if slices.ContainsFunc(others, func(x explore.Exchange) bool { return x.Names(t, o.path) }) {
			continue
		}
		if h, ok := r.history(o.path, o.by); ok {
			out = append(out, h)
		}
	}
	return out
}

// history returns what is told of the file of somebody at a path, from where it is known on.
func (r *fileReader) history(path, by string) (h fileHistory, ok bool) {
	h.Of = path
	var of []explore.Exchange
	for i, x := range r.all {
		if r.paths[i] == path {
			of = append(of, x)
		}
	}
	for _, x := range r.lists {
		if x.By() == by {
			of = append(of, x)
		}
	}
	slices.SortStableFunc(of, func(a, b explore.Exchange) int { return int(a.Began - b.Began) })
	first := -1
	for i, x := range of {
		alone := !slices.ContainsFunc(of, x.Beside)
		in, is := r.asked(x)
		if x.Method == http.MethodPut && x.ByOther() != strings.Contains(by, wire.OtherTenant) {
			return h, false // whose the file is would be another question
		}
		if x.By() != by || r.isList(x) {
			continue
		}
		if x.Writes() && !x.Answered() {
			return h, false // it may come to pass at any time
		}
		if alone && is && r.begins(&h, x, in) {
			first = i
			break
		}
	}
	if first < 0 {
		return h, false
	}
	if h.Begin.Files[0].Text.Kind == model.Given { // it was read
		first++
	}
	end := time.Duration(math.MaxInt64)
	for _, x := range r.astray {
		if x.Origin == of[first].Origin && x.Writes() && (x.Ok() || !x.Answered()) {
			end = min(end, x.Began)
		}
	}
	for i, x := range of[first:] {
		if x.Began >= end || r.step(&h, path, by, x, of, of[:first+i]) {
			end = min(end, x.Began)
			break
		}
	}
	h.Cut(end)
	return h, len(h.Steps) > 0
}

func (r *fileReader) isList(x explore.Exchange) bool {
	return slices.ContainsFunc(r.lists, func(l explore.Exchange) bool { return l.N == x.N })
}

// begins sets how the file was before a write, or is at a read, if the reply tells.
func (r *fileReader) begins(h *fileHistory, x explore.Exchange, in model.FileAsk) bool {
	version, known := x.Body.Key("version").Int()
	if !x.Ok() || !known || version < 1 {
		return false
	}
	h.Begin = r.begin
	file := &h.Begin.Files[0]
	switch in.Do {
	case model.PutFile:
		if version > 1 || in.If == model.AnyEtag {
			*file = model.File{There: true, Version: version - 1, Sure: true}
		}
		return true
	case model.GetFile:
		content, isText := x.Body.Key("content").Actual().(string)
		kind := x.Body.Key("contentType").String()
		*file = model.FileAt(given(content), kind, version, x.Body.Key("etag").String())
		return isText && kind != ""
	}
	return false
}

func given(content string) model.Text { return model.Text{Kind: model.Given, Said: content} }

// step adds what an exchange did to the file. end reports whether nothing is known from there on.
func (r *fileReader) step(h *fileHistory, path, by string, x explore.Exchange, of, before []explore.Exchange) (end bool) {
	out := model.FileSaw{Status: x.Status, Body: x.Body, Alone: path}
	if r.isList(x) {
		writing := func(y explore.Exchange) bool { return y.Writes() && x.Beside(y) }
		if x.Answered() && whole(x, "files", "prefix") && !slices.ContainsFunc(of, writing) {
			out.Below = x.Query.Get("prefix")
			h.Add(x, model.FileAsk{Do: model.ListFiles}, out)
		}
		return false
	}
	if x.By() != by {
		return foreign(h, x, out, by, before)
	}
	in, is := r.asked(x)
	if !is {
		return x.Writes() && (!x.Answered() || x.Code/100 != 4)
	}
	if !x.Writes() && !x.Answered() {
		return false
	}
	out.Named, _ = x.Get("If-Match")
	out.Asked, _ = strconv.ParseInt(x.Query.Get("version"), 10, 64)
	out.Beside = x.Method == http.MethodPut && slices.ContainsFunc(of, func(y explore.Exchange) bool {
		return y.Method == http.MethodPut && x.Beside(y)
	})
	if r.full(x, in, before) {
		x.Code = 0
	}
	h.Add(x, in, out)
	return false
}

// foreign adds what the other tenant did at the path. Of others nobody knows whether they are of the same tenant.
func foreign(h *fileHistory, x explore.Exchange, out model.FileSaw, by string, before []explore.Exchange) (end bool) {
	other := strings.Contains(by, wire.OtherTenant)
	origin, _, _ := strings.Cut(by, "\n")
	switch {
	case x.Origin != origin:
		return false
	case x.ByOther() == other:
		return x.Writes() && x.Code/100 != 4
	}
	own := func(y explore.Exchange) bool { return y.By() == x.By() && y.Method == http.MethodPut }
	if x.Method == http.MethodPut || !x.Answered() || slices.ContainsFunc(before, own) { // a file of its own
		return x.Writes() && (x.Ok() || !x.Answered())
	}
	do := map[string]model.FileDo{http.MethodGet: model.GetForeign, http.MethodDelete: model.DropForeign}[x.Method]
	if do != "" && len(x.Query) == 0 {
		h.Add(x, model.FileAsk{Do: do}, out)
	}
	return false
}

// full reports whether a host may have refused a write since it has no room for it.
func (r *fileReader) full(x explore.Exchange, in model.FileAsk, before []explore.Exchange) bool {
	there := false // what is there can be written, however full it is
	for _, y := range before {
		if y.By() == x.By() && !r.isList(y) {
			there = y.Method != http.MethodDelete && (there || y.Ok())
		}
	}
	fits := r.begin.MaxBytes == 0 || int64(len(in.Text.Said)) <= r.begin.MaxBytes
	tooMuch := r.mostSent > 0 && int64(len(x.Sent)) > r.mostSent
	return in.Do == model.PutFile && (x.Code == http.StatusRequestEntityTooLarge && fits && !there || tooMuch && x.Code/100 == 4)
}

// asked returns the step that a request of the owner is, if the model has one.
func (r *fileReader) asked(x explore.Exchange) (in model.FileAsk, ok bool) {
	if _, keyed := x.Get(dialect.IdempotencyKey); keyed { // it may be answered as before
		return in, false
	}
	switch {
	case x.Method == http.MethodDelete && len(x.Query) == 0:
		in.Do = model.DropFile
		_, conditional := x.Get("If-Match")
		return in, !conditional
	case x.Method == http.MethodGet && len(x.Query) == 0:
		in.Do = model.GetFile
		return in, x.Code != http.StatusNotModified
	case x.Method == http.MethodGet && len(x.Query) == 1:
		in.Do = model.GetVersion
		version, err := strconv.ParseInt(x.Query.Get("version"), 10, 64)
		return in, err == nil && version > 0
	case x.Method != http.MethodPut || len(x.Query) > 0:
		return in, false
	}
	etag, conditional := x.Get("If-Match")
	switch {
	case etag == "*":
		in.If = model.AnyEtag
	case conditional:
		in.If = model.OtherEtag
	}
	body, isObject := x.Object()
	if !isObject || conditional && etag != "*" && !strongEtag.MatchString(etag) {
		return in, false
	}
	content, isText := body["content"].(string)
	kind, hasKind := body["contentType"]
	in.Do = model.PutOdd
	if isText {
		in.Do, in.Text = model.PutFile, given(content)
	}
	in.Type, _ = kind.(string)
	delete(body, "content")
	delete(body, "contentType")
	return in, len(body) == 0 && (!hasKind || slices.Contains(fileTypes, in.Type) && in.Type != "")
}

// filesOf returns a workspace of which nothing is known but what the target claims.
func filesOf(d scenarios.Discovery) (f model.Files) {
	_, f.Versioned = claims.WorkspaceVersioned.Look(d)
	family := claims.Family(d, "workspace")
	if n, ok := family.Key("maxFileBytes").Int(); ok && n > 0 {
		f.MaxBytes = n
	}
	if n, ok := family.Key("maxVersions").Int(); ok {
		f.Keeps = n
	}
	return f
}
