package fault

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// fileVersionFaults are about the versions of files, and writes on conditions.
var fileVersionFaults = []Fault{
	{
		ID:     "file.same-content-uncounted",
		Title:  "a write of what a file already holds is no version",
		Looks:  "the version after such a write is the one before it",
		Breaks: []string{openwop.OWPWSP9},
		Replace: func(s *rules.Set) {
			next := s.Files.Next
			s.Files.Next = func(w rules.FileWrite) (version int64, made bool) {
				version, made = next(w)
				return version, made && !w.Same()
			}
		},
	},
	{
		ID:     "file.etag-of-content",
		Title:  "the etag of a file is a digest of its content alone",
		Looks:  "two versions with the same content have one etag",
		Breaks: []string{openwop.OWPWSP10, openwop.OWPWSP13},
		Replace: func(s *rules.Set) {
			etag := s.Files.Etag
			s.Files.Etag = func(_ int64, content string) string { return etag(0, content) }
		},
	},
	{
		ID:     "file.etag-weak",
		Title:  "the etag of a file is a weak one",
		Looks:  "it begins with W/",
		Breaks: []string{openwop.OWPWSP10},
		Twin:   "each version has another one, and none promises what a strong one does",
		Replace: func(s *rules.Set) {
			etag := s.Files.Etag
			s.Files.Etag = func(version int64, content string) string { return "W/" + etag(version, content) }
		},
	},
	{
		ID:     "file.overwrite-needs-condition",
		Title:  "a file that is there is not overwritten without If-Match",
		Looks:  "the second PUT of a path is HTTP 409",
		Breaks: []string{openwop.OWPWSP11},
		Replace: func(s *rules.Set) {
			holds := s.Files.Holds
			s.Files.Holds = func(c rules.FileCondition) bool {
				return holds(c) && (c.IfMatch != nil || c.ByTurn || c.Etag == "")
			}
		},
	},
	{
		ID:     "file.quotes-compared",
		Title:  "If-Match is compared with the etag without its quotes",
		Looks:  "a write with the etag that the file has is HTTP 409",
		Breaks: []string{openwop.OWPWSP12, openwop.OWPWSP16},
		Replace: holding(func(c rules.FileCondition, _ bool) bool {
			return c.Etag != "" && (*c.IfMatch == "*" || *c.IfMatch == strings.Trim(c.Etag, `"`))
		}),
	},
	{
		ID:     "file.condition-locks",
		Title:  "a write with If-Match locks the file for the next one with If-Match, whatever its etag",
		Looks:  "the second of two conditional writes is HTTP 409, though it has the etag that the first one made",
		Breaks: []string{openwop.OWPWSP12},
		Replace: func(s *rules.Set) {
			var locked sync.Map // version that was written on a condition, by path
			holding(func(c rules.FileCondition, honest bool) bool {
				if made, _ := locked.Load(c.Path); !honest || made == c.Version {
					return false
				}
				locked.Store(c.Path, c.Version+1)
				return true
			})(s)
		},
	},
	{
		ID:     "file.foreign-etag-ignored",
		Title:  "an If-Match that has not the form of this host's etags is no condition",
		Looks:  "a write with an etag that nobody gave out is HTTP 200",
		Breaks: []string{openwop.OWPWSP13},
		Replace: holding(func(c rules.FileCondition, honest bool) bool {
			return honest || c.Etag != "" && !ownEtag.MatchString(*c.IfMatch)
		}),
	},
	{
		ID:     "file.etag-by-version",
		Title:  "If-Match is compared by the version in it alone",
		Looks:  "a write with an etag that begins as that of the file and ends as a former one is HTTP 200",
		Breaks: []string{openwop.OWPWSP13},
		Twin:   "that one takes what no host gave out, this one what this host gave out for another life of the file",
		Replace: holding(func(c rules.FileCondition, honest bool) bool {
			version, _, _ := strings.Cut(c.Etag, "-")
			return honest || c.Etag != "" && strings.HasPrefix(*c.IfMatch, version+"-")
		}),
	},
	{
		ID:     "file.conflict-tells-next",
		Title:  "a conflict tells the version that the refused write would have made",
		Looks:  "details.currentVersion is one more than the version of the file",
		Breaks: []string{openwop.OWPWSP14},
		Reply: ofFiles(mutate.At("/details", func(conflict *struct {
			CurrentVersion int64 `json:"currentVersion,omitzero"`
		}) {
			if conflict.CurrentVersion > 0 {
				conflict.CurrentVersion++
			}
		})),
	},
	{
		ID:     "file.condition-makes",
		Title:  "If-Match is not looked at where there is no file",
		Looks:  "a write with If-Match of a path that nobody has written is HTTP 200",
		Breaks: []string{openwop.OWPWSP15},
		Replace: holding(func(c rules.FileCondition, honest bool) bool {
			return honest || c.Version == 0
		}),
	},
	{
		ID:     "file.condition-revives",
		Title:  "If-Match is not looked at where a file was deleted",
		Looks:  "a write with the etag of a deleted file is HTTP 200",
		Breaks: []string{openwop.OWPWSP15},
		Twin:   "what never was is told from what is no more",
		Replace: holding(func(c rules.FileCondition, honest bool) bool {
			return honest || c.Etag == "" && c.Version > 0
		}),
	},
	{
		ID:     "file.judged-at-once",
		Title:  "the etags of writers who come at once are compared before any of them writes",
		Looks:  "two writers with one etag are both answered with HTTP 200",
		Breaks: []string{openwop.OWPWSP16},
		Remembers: func() mutate.Changes {
			at := pairs{alone: map[string]chan struct{}{}}
			var etags sync.Map // of files as they were shown last, by path
			c := replies(ofFiles(mutate.Succeeded(mutate.At("", func(f *openwopv1.WorkspaceFile) {
				if f.Etag != nil {
					etags.Store(f.Path, *f.Etag)
				}
			}))), mutate.Succeeded(func(r *mutate.Reply) {
				if file, named := fileOf(r.Request.URL); named && r.Request.Method == http.MethodDelete {
					etags.Delete(file)
				}
			}))
			c.Requests = []mutate.RequestFunc{func(r *mutate.Request) {
				file, named := fileOf(r.URL)
				if !named || r.Method != http.MethodPut {
					return
				}
				if etag, known := etags.Load(file); known && r.Header.Get("If-Match") == etag {
					at.meet(file)
					r.Header.Del("If-Match") // it was judged, and the write is made when its turn comes
				}
			}}
			return c
		},
	},
	{
		ID:     "file.counts-anew",
		Title:  "a file that is made again after its delete begins at version 1",
		Looks:  "its version is not above the one that it was deleted at",
		Breaks: []string{openwop.OWPWSP17},
		Replace: func(s *rules.Set) {
			next := s.Files.Next
			s.Files.Next = func(w rules.FileWrite) (version int64, made bool) {
				if !w.Exists {
					w.Latest = 0
				}
				return next(w)
			}
		},
	},
	{
		ID:     "file.first-version-lost",
		Title:  "the first version of a file is not kept once it is overwritten",
		Looks:  "version 1 of a file with a few versions is HTTP 404",
		Breaks: []string{openwop.OWPWSP18},
		Replace: serving(func(asked, _, latest, version int64, ok bool) (int64, bool) {
			return version, ok && (asked > 1 || latest == 1)
		}),
	},
	{
		ID:     "file.one-version-too-few",
		Title:  "of a file with many versions one fewer is kept than is promised",
		Looks:  "the oldest of the last maxVersions versions is HTTP 404",
		Breaks: []string{openwop.OWPWSP18},
		Replace: serving(func(asked, oldest, latest, version int64, ok bool) (int64, bool) {
			return version, ok && (asked > oldest || oldest == 1 || asked == latest)
		}),
	},
	{
		ID:     "file.unwritten-is-latest",
		Title:  "a version that was never written is answered with the latest",
		Looks:  "a version behind the last one is HTTP 200",
		Breaks: []string{openwop.OWPWSP19},
		Replace: serving(func(asked, _, latest, version int64, ok bool) (int64, bool) {
			return min(version, latest), ok || asked > latest
		}),
	},
	{
		ID:     "file.every-version-served",
		Title:  "versions are served for ever, however few are promised",
		Looks:  "a version from before the last maxVersions is HTTP 200",
		Breaks: []string{openwop.OWPWSP20},
		Replace: serving(func(asked, oldest, latest, version int64, ok bool) (int64, bool) {
			// A file with one version may have been deleted before, and the delete is no version that could be served.
			return version, ok || asked < oldest && oldest < latest
		}),
	},
}

// ownEtag is the form of the etags that the host gives out.
var ownEtag = lazyregexp.New(`^"\d+-`)

// holding changes which conditional writes are made.
func holding(holds func(c rules.FileCondition, honest bool) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Files.Holds
		s.Files.Holds = func(c rules.FileCondition) bool {
			if c.IfMatch == nil {
				return honest(c)
			}
			return holds(c, honest(c))
		}
	}
}

// serving changes which version is served, from what an honest host does.
func serving(serves func(asked, oldest, latest, version int64, ok bool) (int64, bool)) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Files.Serves
		s.Files.Serves = func(asked, oldest, latest int64) (int64, bool) {
			version, ok := honest(asked, oldest, latest)
			return serves(asked, oldest, latest, version, ok)
		}
	}
}

// pairs lets those who come to one place go on two by two.
type pairs struct {
	mu    sync.Mutex
	alone map[string]chan struct{} // closed when somebody else has come
}

// company is how long somebody waits for another one who may never come.
const company = time.Second

func (p *pairs) meet(place string) {
	p.mu.Lock()
	if other := p.alone[place]; other != nil {
		delete(p.alone, place)
		p.mu.Unlock()
		close(other)
		return
	}
	other := make(chan struct{})
	p.alone[place] = other
	p.mu.Unlock()
	select {
	case <-other:
	case <-time.After(company):
		p.leave(place, other)
	}
}

// leave ends a wait, unless somebody has come at the last moment.
func (p *pairs) leave(place string, other chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.alone[place] == other {
		delete(p.alone, place)
	}
}
