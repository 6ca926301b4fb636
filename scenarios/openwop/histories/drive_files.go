package histories

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// mostBytes is how large a file may be that is worth sending again and again.
const mostBytes = 256 << 10

var files = &explore.Kind[model.Files, model.FileAsk, model.FileSaw]{
	Model: model.FilesModel,
	Begin: func(_ *rand.Rand, d scenarios.Discovery) model.Files {
		f := filesOf(d)
		if f.MaxBytes > mostBytes || !fitsBody(d, f.MaxBytes) {
			f.MaxBytes = 0
		}
		return f
	},
	Make: func(_ context.Context, c *scenarios.Conn, begin model.Files) explore.Object[model.FileAsk, model.FileSaw] {
		f := host.Host{Conn: c}.Files()
		o := &workspace{Files: f, begin: begin, prefix: f.Prefix + "/", invented: f.Marker()}
		if other, ok := c.Other(); ok {
			o.other = &host.Host{Conn: other}
		}
		return o
	},
	Draw: drawFile,
	Beside: scenarios.IDs{
		openwop.OWPWSP2, openwop.OWPWSP5, openwop.OWPWSP9, openwop.OWPWSP10, openwop.OWPWSP14, openwop.OWPWSP17, openwop.OWPWSP24,
	},
	Shown:   func(out model.FileSaw) wire.Value { return out.Status },
	Clients: 4,
	Single:  true,
}

// fitsBody reports whether a request with a content of n bytes, each of them escaped, is not too large by itself.
func fitsBody(d scenarios.Discovery, n int64) bool {
	most, ok := claims.Family(d, "limits").Key("maxRequestBodyBytes").Int()
	return !ok || most > n+1<<10
}

// formerEtags is how many etags before the last one a write may name.
const formerEtags = 3

var fileTypes = []string{"", "", "text/plain", "application/json", "application/x-yaml"}

func drawFile(r *rand.Rand, f model.Files) model.FileAsk {
	in := model.FileAsk{Path: r.IntN(len(model.FilePaths))}
	if r.IntN(2) == 0 { // most of what is worth seeing happens to one file
		in.Path = 0
	}
	in.Do = []model.FileDo{
		model.PutFile, model.PutFile, model.PutFile, model.PutFile, model.PutFile, model.PutFile, model.GetFile, model.GetFile,
		model.GetVersion, model.GetVersion, model.DropFile, model.DropFile, model.ListFiles, model.ListFiles, model.PutOdd,
		model.PutStray, model.GetForeign, model.DropForeign,
	}[r.IntN(18)]
	switch in.Do {
	case model.PutFile:
		in.Text, in.Type = drawText(r, f.MaxBytes), fileTypes[r.IntN(len(fileTypes))]
		if was := f.Files[in.Path]; was.Version > 0 && r.IntN(3) == 0 { // what an earlier version held
			at := r.IntN(len(was.Wrote))
			if was.Wrote[at] > 0 {
				in.Text = was.Texts[at]
			}
		}
		in.If, in.Back = drawCondition(r), int64(r.IntN(formerEtags))
	case model.PutOdd:
		in.If, in.Text.N = drawCondition(r), r.IntN(len(oddBodies))
	case model.PutStray:
		in.Path = r.IntN(len(model.OddPaths))
	case model.ListFiles:
		in.Path = r.IntN(len(model.Prefixes))
	case model.GetVersion:
		in.Back = int64(r.IntN(7)) - 2
		if r.IntN(3) == 0 {
			in.Back = f.Keeps - 1
		}
	}
	return in
}

func drawCondition(r *rand.Rand) model.Condition {
	return []model.Condition{
		"", "", "", model.CurrentEtag, model.CurrentEtag, model.CurrentEtag, model.FormerEtag, model.OtherEtag, model.MixedEtag,
		model.InventedEtag, model.AnyEtag,
	}[r.IntN(11)]
}

func drawText(r *rand.Rand, most int64) model.Text {
	switch n := r.IntN(12); {
	case n < 3:
		return model.Text{Kind: model.Odd, N: r.IntN(len(model.OddTexts))}
	case n == 3 && most > 0:
		return model.Text{Kind: []model.TextKind{model.Largest, model.TooLarge, model.TooWide}[r.IntN(3)], N: r.IntN(10)}
	case n < 6: // often the same
		return model.Text{N: r.IntN(2)}
	}
	return model.Text{N: r.IntN(1000)}
}

var filesAtOnce = &scenarios.Drive[explore.Observation[model.Files, model.FileAsk, model.FileSaw]]{
	ID: "openwop/files-at-once",
	Title: "has up to four clients at once write, with and without If-Match, read, list and delete workspace files whose paths are near " +
		"each other, in drawn orders",
	Sends: []string{
		"{write file}", "{write file} with If-Match", "{read file}", "{read file}?version=", "{list files}?prefix=", "{delete file}",
	},
	Uses:       []string{host.WorkspaceFiles},
	Kills:      true,
	Dimensions: explore.Dimensions,
	Run:        files.Run,
}

// workspace is a part of the workspace.
type workspace struct {
	*host.Files
	other    *host.Host
	begin    model.Files
	prefix   string
	invented string
	// lists: no text says that a list is of one moment, so none is made while files change.
	lists sync.RWMutex
	mu    sync.Mutex
	// etags are those that were seen last, the last one first.
	etags [len(model.FilePaths)][1 + formerEtags]string
	saw   [len(model.FilePaths)]int64 // the version that was seen last
	under [len(model.FilePaths)]crowd
}

// Do implements [explore.Object].
func (w *workspace) Do(ctx context.Context, _ int, in model.FileAsk) (out model.FileSaw) {
	if in.Do == model.ListFiles {
		w.lists.Lock()
		defer w.lists.Unlock()
	} else {
		w.lists.RLock()
		defer w.lists.RUnlock()
	}
	switch in.Do {
	case model.PutFile, model.PutOdd, model.PutStray:
		out = w.put(ctx, in)
	case model.ListFiles:
		out = w.saying(w.List(ctx, w.prefix+model.Prefixes[in.Path]))
	case model.GetVersion:
		w.mu.Lock()
		version := max(1, w.saw[in.Path]-in.Back)
		w.mu.Unlock()
		out = w.saying(w.LookAt(ctx, w.path(in), strconv.FormatInt(version, 10)))
		out.Asked = version
	case model.DropFile:
		out = w.saying(w.Drop(ctx, w.path(in)))
	case model.GetForeign, model.DropForeign:
		out = w.foreign(ctx, in)
	default:
		out = w.saying(w.LookAt(ctx, w.path(in), ""))
	}
	if in.Do == model.PutFile || in.Do == model.GetFile {
		w.learn(in.Path, out.Body)
	}
	return out
}

func (w *workspace) path(in model.FileAsk) string { return w.prefix + model.FilePaths[in.Path] }

func (w *workspace) saying(r host.FileReply) model.FileSaw {
	return model.FileSaw{Status: r.Status, Body: r.Body, Prefix: w.prefix}
}

// learn notes what a reply shows of a file.
func (w *workspace) learn(path int, body wire.Value) {
	w.mu.Lock()
	defer w.mu.Unlock()
	etag := body.Key("etag").String()
	version, ok := body.Key("version").Int()
	if !ok || version < w.saw[path] {
		return
	}
	w.saw[path] = version
	if etag != "" && etag != w.etags[path][0] {
		copy(w.etags[path][1:], w.etags[path][:formerEtags])
		w.etags[path][0] = etag
	}
}

// oddBodies are writes without a content.
var oddBodies = []map[string]any{
	{}, {"content": nil}, {"content": 7}, {"content": map[string]any{"text": "x"}}, {"contentType": "text/plain"}, {"content": []any{"x"}},
}

func (w *workspace) put(ctx context.Context, in model.FileAsk) model.FileSaw {
	path := w.prefix
	var body any
	switch in.Do {
	case model.PutStray:
		path = model.OddPath(in.Path, w.prefix)
		body = dialect.WorkspaceFileCreate{Content: "stray"}
	case model.PutOdd:
		ctx = wire.Misfit(ctx, openwop.OWPWSP3)
		path, body = w.path(in), oddBodies[in.Text.N]
	default:
		content := dialect.WorkspaceFileCreate{Content: in.Text.Of(w.begin.MaxBytes)}
		if in.Type != "" {
			content.ContentType = &in.Type
		}
		path, body = w.path(in), content
	}
	named := w.named(in)
	beside := func() bool { return false } // of a write that makes no file
	if in.Do == model.PutFile {
		beside = w.under[in.Path].enter()
	}
	reply := w.Write(ctx, path, named, body)
	out := w.saying(host.FileReplyOf(reply))
	out.Named, out.Beside = named, beside()
	small := in.Text.Kind == model.Plain || in.Text.Kind == model.Odd
	switch {
	case host.Forbids(reply.Status):
		scenarios.End(host.ShutOut(dialect.WriteFile, reply.Status))
	case reply.Status == http.StatusRequestEntityTooLarge && in.Do == model.PutFile && small:
		scenarios.End(host.Unserved(dialect.WriteFile, reply.Status)) // the workspace is full
	}
	return out
}

// named returns the etag that a write names.
func (w *workspace) named(in model.FileAsk) string {
	if in.Do == model.PutStray {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now, former := w.etags[in.Path][0], w.etags[in.Path][1+in.Back]
	invented := fmt.Sprintf("%q", w.invented)
	etag := ""
	switch in.If {
	case model.Unconditional:
		return ""
	case model.AnyEtag:
		return "*"
	case model.CurrentEtag:
		etag = now
	case model.FormerEtag:
		etag = former
	case model.OtherEtag:
		etag = w.etags[(in.Path+1)%len(w.etags)][0]
	case model.MixedEtag:
		if half := len(now) / 2; half > 1 && len(former) > half {
			etag = now[:half] + former[half:]
		}
	}
	if etag == "" {
		return invented
	}
	return etag
}

// foreign does what another tenant can do to a file at the same path.
func (w *workspace) foreign(ctx context.Context, in model.FileAsk) model.FileSaw {
	if w.other == nil {
		return model.FileSaw{Nobody: true, Prefix: w.prefix}
	}
	f := &host.Files{Host: *w.other, Prefix: w.Prefix, Left: map[string]func(){}}
	ask := func() host.FileReply { return f.LookAt(ctx, w.path(in), "") }
	if in.Do == model.DropForeign {
		ask = func() host.FileReply { return f.Drop(ctx, w.path(in)) }
	}
	reply := ask()
	if status, _ := reply.Status.Int(); status == http.StatusUnauthorized { // the host does not know the key, which is nobody's
		return model.FileSaw{Nobody: true, Prefix: w.prefix}
	}
	return w.saying(reply)
}

var filesExplained = scenarios.Scenario{
	ID:     "openwop/histories/files",
	Title:  "workspace files show what clients did to them, in some order, whatever they do at once",
	Proves: scenarios.IDs{openwop.OWPWSP1}, Watches: files.Watched(), Reaches: scenarios.Survived,
	Claim: claims.WorkspaceFiles, Ask: scenarios.Ask(filesAtOnce, files.Judge), Depth: scenarios.Standard,
}
