package workspace_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/openassay/assay/scenarios/openwop/hosttest"
)

// shelf is a host with workspace files and nothing else. It is written from the
// protocol alone, keeps everything in memory, and tells at most one lie. The code
// that tells a lie names it.
type shelf struct {
	lie  string
	says map[string]any // advertised of its files, if it differs from what it does

	mu     sync.Mutex
	owners map[string]map[string]*filed
	writes int
}

// filed is the history of one path.
type filed struct {
	versions []kept
	there    bool
}

type kept struct {
	content, contentType string
	gone                 bool // it is a delete
}

const (
	shelfBytes    = 400
	shelfFiles    = 40
	shelfVersions = 7
)

var shelfPath = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,255}$`)

func (s *shelf) start(t *testing.T) string {
	t.Helper()
	s.owners = map[string]map[string]*filed{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter, _ *http.Request) {
		d := hosttest.DiscoveryOf()
		delete(d, "multiAgent")
		delete(d, "agents")
		d["workspace"] = map[string]any{"supported": true, "versioned": true, "maxFileBytes": shelfBytes, "maxFiles": shelfFiles,
			"maxVersions": shelfVersions}
		if s.says != nil {
			d["workspace"] = s.says
		}
		sendJSON(w, d)
	})
	mux.HandleFunc("/v1/host/workspace/files/{path...}", s.file)
	mux.HandleFunc("GET /v1/host/workspace/files", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, s.list("own", r.URL.Query().Get("prefix")))
	})
	mux.HandleFunc("POST /v1/host/sample/workspace/op", s.seam)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// shelfReply is a status with a body; nil sends no body.
type shelfReply struct {
	status int
	body   any
}

func (s *shelf) answer(w http.ResponseWriter, r shelfReply) {
	w.WriteHeader(r.status)
	if r.body != nil {
		json.NewEncoder(w).Encode(r.body)
	}
}

func shelfRefusal(status int, code string, details map[string]any) shelfReply {
	body := map[string]any{"error": code, "message": "no"}
	if details != nil {
		body["details"] = details
	}
	return shelfReply{status, body}
}

// shelfRequest is one operation, over either endpoint.
type shelfRequest struct {
	op, owner, path string
	content         any
	contentType     string
	ifMatch         string
	version         string
}

func (s *shelf) file(w http.ResponseWriter, r *http.Request) {
	ask := shelfRequest{op: strings.ToLower(r.Method), owner: "own", path: r.PathValue("path"), ifMatch: r.Header.Get("If-Match"),
		version: r.URL.Query().Get("version")}
	if r.Method == http.MethodPut {
		var body map[string]any
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			s.answer(w, shelfRefusal(400, "validation_error", nil))
			return
		}
		ask.content = body["content"]
		ask.contentType, _ = body["contentType"].(string)
	}
	s.answer(w, s.do(ask))
}

func (s *shelf) seam(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Tenant, Workspace, Op, Path, Content, Prefix string }
	if json.NewDecoder(r.Body).Decode(&ask) != nil {
		s.answer(w, shelfRefusal(400, "validation_error", nil))
		return
	}
	owner := fmt.Sprintf("%q %q", ask.Tenant, ask.Workspace)
	switch s.lie {
	case "joins owners with a space":
		owner = strings.TrimSpace(ask.Tenant + " " + ask.Workspace)
	case "joins owners with a slash":
		owner = ask.Tenant + "/" + ask.Workspace
	case "joins owners without anything":
		owner = ask.Tenant + ask.Workspace
	case "knows tenants only":
		owner = ask.Tenant
	case "knows no owners":
		owner = "own"
	case "the seam forgets":
		ask.Op = strings.Replace(ask.Op, "get", "forget", 1)
	case "takes one owner only":
		if ask.Op == "put" && len(s.owners) > 1 {
			s.answer(w, shelfRefusal(403, "forbidden", nil))
			return
		}
	}
	if ask.Op == "list" {
		s.answer(w, s.list(owner, ask.Prefix))
		return
	}
	s.answer(w, s.do(shelfRequest{op: ask.Op, owner: owner, path: ask.Path, content: ask.Content}))
}

func (s *shelf) do(r shelfRequest) shelfReply {
	refused := !shelfPath.MatchString(r.path) || strings.Contains("/"+r.path+"/", "/../")
	switch s.lie {
	case "goes by the pattern alone":
		refused = !shelfPath.MatchString(r.path)
	case "resolves paths":
		r.path = strings.TrimPrefix(path.Clean("/"+r.path), "/")
		refused = !shelfPath.MatchString(r.path)
	case "takes every path":
		refused = false
	case "mends paths":
		r.path = strings.TrimLeft(strings.ReplaceAll(r.path, `\`, "/"), "/.-_")
		refused = !shelfPath.MatchString(r.path) || strings.Contains("/"+r.path+"/", "/../")
	case "knows no longest path":
		refused = refused && len(r.path) <= 256
	case "refuses paths when they are stored":
		if refused && r.op == "put" {
			s.store(r)
		}
		refused = refused && r.op == "put"
	}
	if refused {
		return shelfRefusal(400, "validation_error", map[string]any{"field": "path"})
	}
	switch r.op {
	case "get":
		return s.get(r)
	case "put":
		return s.put(r)
	case "delete":
		return s.remove(r)
	}
	return shelfReply{status: 500}
}

func (s *shelf) of(owner string) map[string]*filed {
	if s.owners[owner] == nil {
		s.owners[owner] = map[string]*filed{}
	}
	return s.owners[owner]
}

func (s *shelf) notFound() shelfReply {
	if s.lie == "forbids what is not there" { // no lie: it is honest
		return shelfRefusal(403, "forbidden", nil)
	}
	return shelfRefusal(404, "not_found", nil)
}

func (s *shelf) get(r shelfRequest) shelfReply {
	f := s.of(r.owner)[r.path]
	if f == nil || !f.there && s.lie != "serves what was deleted" {
		return s.notFound()
	}
	n := len(f.versions)
	if r.version != "" && s.lie != "always serves the latest" {
		v, err := strconv.Atoi(r.version)
		if err != nil || v < 1 {
			return shelfRefusal(400, "validation_error", nil)
		}
		least := n - shelfVersions
		switch s.lie {
		case "keeps a version too few":
			least++
		case "keeps everything":
			least = 0
		case "keeps nothing":
			least = n - 1
		}
		if v > n || v <= least || v < n && f.versions[v-1].gone {
			return s.notFound()
		}
		n = v
	}
	return shelfReply{200, s.shown(r.path, f, n, true)}
}

// shown is version n of a file.
func (s *shelf) shown(path string, f *filed, n int, content bool) map[string]any {
	k := f.versions[n-1]
	etag := fmt.Sprintf(`"%d-x"`, n)
	switch s.lie {
	case "has weak etags":
		etag = "W/" + etag
	case "has etags without quotes":
		etag = strings.Trim(etag, `"`)
	case "has etags of the content":
		etag = strconv.Quote(strconv.Itoa(len(k.content)) + k.content[:min(len(k.content), 6)])
	}
	out := map[string]any{"path": path, "version": n, "etag": etag, "contentType": k.contentType, "updatedAt": "2026-11-01T00:00:00Z"}
	switch {
	case content && s.lie == "adds a line":
		out["content"] = k.content + "\n"
	case content, s.lie == "lists contents":
		out["content"] = k.content
	}
	switch s.lie {
	case "counts from 0":
		out["version"] = n - 1
	case "has no etags": // no lie: the schema does not require them
		delete(out, "etag")
	case "leaves the default type off": // no lie: the reply says the same
		if k.contentType == "text/markdown" {
			delete(out, "contentType")
		}
	}
	return out
}

func (s *shelf) list(owner, prefix string) shelfReply {
	list := []any{}
	for path, f := range s.of(owner) {
		if !f.there && s.lie != "lists what was deleted" || !strings.HasPrefix(path, prefix) && s.lie != "lists everything" {
			continue
		}
		if s.lie == "lists folders only" && strings.Contains(strings.TrimPrefix(path, prefix), "/") {
			continue
		}
		n := len(f.versions)
		if s.lie == "lists first versions" {
			n = 1
		}
		list = append(list, s.shown(path, f, n, false))
	}
	return shelfReply{200, map[string]any{"files": list}}
}

func (s *shelf) remove(r shelfRequest) shelfReply {
	f := s.of(r.owner)[r.path]
	if f == nil || !f.there {
		if s.lie == "deletes what is not there" {
			return shelfReply{status: 204}
		}
		return s.notFound()
	}
	f.there = false
	f.versions = append(f.versions, kept{gone: true})
	if s.lie == "starts over" {
		delete(s.of(r.owner), r.path)
	}
	return shelfReply{status: 204}
}

func (s *shelf) store(r shelfRequest) *filed {
	f := s.of(r.owner)[r.path]
	if f == nil {
		f = &filed{}
		s.of(r.owner)[r.path] = f
	}
	content, _ := r.content.(string)
	if r.contentType == "" {
		r.contentType = "text/markdown"
	}
	switch s.lie {
	case "trims":
		content = strings.TrimSpace(content)
	case "composes accents":
		content = strings.ReplaceAll(content, "e\u0301", "é")
	case "forgets the type":
		r.contentType = "text/markdown"
	case "has another type by default":
		r.contentType = strings.Replace(r.contentType, "text/markdown", "text/plain", 1)
	case "cuts off":
		content = content[:min(len(content), shelfBytes)]
	}
	f.there = true
	f.versions = append(f.versions, kept{content: content, contentType: r.contentType})
	return f
}

func (s *shelf) put(r shelfRequest) shelfReply {
	f := s.of(r.owner)[r.path]
	if refusal := s.unfit(r, f); refusal.status != 0 {
		return refusal
	}
	if f != nil && f.there {
		content, _ := r.content.(string)
		switch latest := f.versions[len(f.versions)-1]; s.lie {
		case "keeps what was there":
			return shelfReply{200, s.shown(r.path, f, len(f.versions), true)}
		case "writes nothing that is there already":
			if latest.content == content {
				return shelfReply{200, s.shown(r.path, f, len(f.versions), true)}
			}
		}
	}
	fresh := f == nil || !f.there
	f = s.store(r)
	status := 200
	if fresh && s.lie == "says created" { // no lie: it only gets a finding
		status = 201
	}
	s.writes++
	if s.lie == "fails every tenth write" && s.writes%10 == 0 {
		status = 500
	}
	return shelfReply{status, s.shown(r.path, f, len(f.versions), true)}
}

// unfit refuses a write that breaks a rule.
func (s *shelf) unfit(r shelfRequest, f *filed) shelfReply {
	content, text := r.content.(string)
	if !text && s.lie != "takes what is no text" {
		if s.lie == "empties what it refuses" && f != nil {
			s.store(r)
		}
		return shelfRefusal(400, "validation_error", nil)
	}
	size := len(content)
	switch s.lie {
	case "counts characters":
		size = utf8.RuneCountInString(content)
	case "knows no largest file", "cuts off":
		size = 0
	case "takes a byte less":
		size++
	}
	if size > shelfBytes {
		if s.lie == "calls it bad" { // no lie: OWP-R26
			return shelfRefusal(400, "validation_error", nil)
		}
		return shelfRefusal(413, "workspace_too_large", nil)
	}
	if s.lie == "wants conditions" && r.ifMatch == "" && f != nil && f.there {
		return shelfRefusal(428, "precondition_required", nil)
	}
	if r.ifMatch != "" {
		if refusal := s.conflict(r, f); refusal.status != 0 {
			return refusal
		}
	}
	return s.full(r, f)
}

func (s *shelf) conflict(r shelfRequest, f *filed) shelfReply {
	current, etag, before := 0, "", ""
	if f != nil && f.there {
		current = len(f.versions)
		etag, _ = s.shown(r.path, f, current, false)["etag"].(string)
		if current > 1 {
			before, _ = s.shown(r.path, f, current-1, false)["etag"].(string)
		}
	}
	matches := current > 0 && r.ifMatch == etag
	switch s.lie {
	case "never compares":
		matches = true
	case "compares late":
		matches = matches || current > 0 && r.ifMatch == before
	case "makes what is not there":
		matches = matches || current == 0
	case "never matches":
		matches = false
	case "refuses and writes":
		if !matches {
			s.store(r)
		}
	}
	if matches {
		return shelfReply{}
	}
	switch s.lie {
	case "says precondition failed":
		return shelfRefusal(412, "workspace_conflict", map[string]any{"currentVersion": current})
	case "does not say which version there is":
		return shelfRefusal(409, "workspace_conflict", nil)
	case "says another version":
		return shelfRefusal(409, "workspace_conflict", map[string]any{"currentVersion": current + 1})
	}
	return shelfRefusal(409, "workspace_conflict", map[string]any{"currentVersion": current})
}

func (s *shelf) full(r shelfRequest, f *filed) shelfReply {
	files := 0
	for _, f := range s.of(r.owner) {
		if f.there {
			files++
		}
	}
	most := shelfFiles
	switch s.lie {
	case "is never full":
		most = 1000
	case "is full early":
		most--
	}
	if isNew := f == nil || !f.there; files >= most && (isNew || s.lie == "writes nothing when it is full") {
		return shelfRefusal(413, "workspace_too_large", nil)
	}
	return shelfReply{}
}
