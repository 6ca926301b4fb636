package fault

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
)

// theFiles is the path below which files are, and filesSeam that of the seam that asks for those of anybody.
const (
	theFiles  = "/v1/host/workspace/files"
	filesSeam = "POST /v1/host/sample/workspace/op"
)

// ofFiles limits a change to replies about files.
func ofFiles(change mutate.ReplyFunc) mutate.ReplyFunc {
	bySeam := mutate.On(filesSeam, change)
	return func(r *mutate.Reply) {
		if bySeam(r); strings.HasPrefix(r.Request.URL.Path, theFiles) {
			change(r)
		}
	}
}

// listsFiles changes the entries of lists of files.
func listsFiles(change func(file map[string]any)) mutate.ReplyFunc {
	return ofFiles(mutate.JSON(func(list map[string]any) {
		files, _ := list["files"].([]any)
		for _, file := range files {
			if entry, ok := file.(map[string]any); ok {
				change(entry)
			}
		}
	}))
}

// puts changes what is put into a file: the members of the body.
func puts(change func(file string, put map[string]any)) mutate.RequestFunc {
	bySeam := mutate.Asked(filesSeam, mutate.Body(func(ask map[string]any) {
		if file, named := ask["path"].(string); named && ask["op"] == string(openwopv1.WorkspaceOpRequestOpPut) {
			change(file, ask)
		}
	}))
	return func(r *mutate.Request) {
		bySeam(r)
		if file, named := fileOf(r.URL); named && r.Method == http.MethodPut {
			mutate.Body(func(put map[string]any) { change(file, put) })(r)
		}
	}
}

// asksFor has a file be asked for under another path.
func asksFor(under func(asked string) string) mutate.RequestFunc {
	bySeam := mutate.Asked(filesSeam, mutate.Body(func(ask map[string]any) {
		if asked, named := ask["path"].(string); named {
			ask["path"] = under(asked)
		}
	}))
	return func(r *mutate.Request) {
		bySeam(r)
		if asked, named := fileOf(r.URL); named {
			file := under(asked)
			r.URL.Path, r.URL.RawPath = theFiles+"/"+file, theFiles+"/"+url.PathEscape(file)
		}
	}
}

// fileOf is the path of the file that is asked for; false where the host looks for none.
func fileOf(u *url.URL) (file string, named bool) {
	escaped, below := strings.CutPrefix(u.EscapedPath(), theFiles+"/")
	if !below || escaped != path.Clean(escaped) {
		return "", false
	}
	file, err := url.PathUnescape(escaped)
	return file, err == nil
}

// owning has the files of an owner be those of another one, where the seam asks for them.
func owning(change func(*openwopv1.WorkspaceOpRequest)) mutate.RequestFunc {
	return mutate.Asked(filesSeam, mutate.Body(func(ask map[string]any) { mutate.Object(ask, change) }))
}

// learnsContents keeps what is in a file that is shown, by its etag.
func learnsContents(contents *sync.Map) mutate.ReplyFunc {
	return ofFiles(mutate.Succeeded(mutate.At("", func(f *openwopv1.WorkspaceFile) {
		if f.Etag != nil {
			contents.Store(*f.Etag, f.Content)
		}
	})))
}
