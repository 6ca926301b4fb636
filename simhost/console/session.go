package console

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/surface"
)

const (
	cookieName  = "assay_console"
	maxSessions = 64
	sessionLife = 12 * time.Hour // without a request
	// Who guesses keys gets no further than guesses within guessing.
	guesses  = 30
	guessing = time.Minute
)

// sessions are those who have shown their key. They live in memory: a host that is started anew asks again.
type sessions struct {
	wire clock.Clock

	mu      sync.Mutex
	open    map[[sha256.Size]byte]*session // by the digest of the token
	wrong   int                            // keys since began
	began   time.Time
	current uint64 // counts uses, so that the one unused for longest is known
}

// visitor is who has shown a key: to the host, to the OpenIntent server, or to both where they know the same one.
type visitor struct {
	runs    surface.Caller
	hasRuns bool
	intents string // the name of the caller; "" where that server does not know the key
}

// name is who the visitor is, for people.
func (v visitor) name() string {
	if v.hasRuns {
		return v.runs.Principal()
	}
	return v.intents
}

type session struct {
	who  visitor
	seen time.Time
	used uint64
}

// begin makes a session and returns its token.
func (s *sessions) begin(who visitor) (token string) {
	token = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[[sha256.Size]byte]*session{}
	}
	s.forget()
	s.current++
	s.open[sha256.Sum256([]byte(token))] = &session{who: who, seen: s.wire.Now(), used: s.current}
	return token
}

// forget lets go of sessions that are over, and of the one unused for longest where there are too many. The caller has the lock.
func (s *sessions) forget() {
	var oldest [sha256.Size]byte
	least := s.current + 1
	for digest, one := range s.open {
		if s.wire.Now().Sub(one.seen) > sessionLife {
			delete(s.open, digest)
		} else if one.used < least {
			oldest, least = digest, one.used
		}
	}
	if len(s.open) >= maxSessions {
		delete(s.open, oldest)
	}
}

// find is who a request comes from.
func (s *sessions) find(r *http.Request) (who visitor, known bool) {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return who, false
	}
	digest := sha256.Sum256([]byte(cookie.Value))
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[digest]
	now := s.wire.Now()
	if one == nil || now.Sub(one.seen) > sessionLife {
		delete(s.open, digest)
		return who, false
	}
	s.current++
	one.seen, one.used = now, s.current
	return one.who, true
}

func (s *sessions) end(r *http.Request) {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(cookie.Value)))
}

// mayGuess tells whether one more key may be tried.
func (s *sessions) mayGuess() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.wire.Now(); now.Sub(s.began) > guessing {
		s.began, s.wrong = now, 0
	}
	return s.wrong < guesses
}

func (s *sessions) guessed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong++
}

type loginPage struct {
	Next, Wrong string
}

func (c *Console) showLogin(w http.ResponseWriter, r *http.Request) {
	next := nextOf(r.URL.Query().Get("next"))
	if _, known := c.sessions.find(r); known {
		http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // nextOf lets nothing through but paths of the console
		return
	}
	c.render(w, http.StatusOK, "login", layout{Title: "Sign in", Body: loginPage{Next: next}})
}

// login takes the key, once: from then on the cookie says who it was.
func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	next := nextOf(r.PostFormValue("next"))
	if !c.sessions.mayGuess() {
		c.render(w, http.StatusTooManyRequests, "login", layout{Title: "Sign in", Body: loginPage{next, "Too many wrong keys: wait a minute."}})
		return
	}
	who, known, err := c.recognise(strings.TrimSpace(r.PostFormValue("key")))
	if err != nil {
		c.fail(w, r, err)
		return
	}
	if !known {
		c.sessions.guessed()
		c.render(w, http.StatusForbidden, "login", layout{Title: "Sign in",
			Body: loginPage{next, "This host does not know that key. It prints its key when it starts."}})
		return
	}
	http.SetCookie(w, c.cookie(r, c.sessions.begin(who), 0))
	http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // nextOf lets nothing through but paths of the console
}

// recognise finds whose key this is.
func (c *Console) recognise(key string) (who visitor, known bool, err error) {
	if c.o.Host != nil {
		err = c.host(func(h Host) error {
			who.runs, who.hasRuns = h.Caller(key)
			return nil
		})
	}
	if c.o.Intents != nil {
		who.intents, _ = c.o.Intents.Caller(key)
	}
	return who, who.hasRuns || who.intents != "", err
}

func (c *Console) logout(w http.ResponseWriter, r *http.Request, _ visitor) error {
	c.sessions.end(r)
	http.SetCookie(w, c.cookie(r, "", -1))
	http.Redirect(w, r, Prefix+"/login", http.StatusSeeOther)
	return nil
}

// cookie holds a token out of reach of scripts and of other sites.
func (c *Console) cookie(r *http.Request, token string, age int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure would keep it off a host without TLS, which is the usual one
		Name: cookieName, Value: token, Path: Prefix, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	}
}

// nextOf is where to go after signing in: a page of the console and nothing else.
func nextOf(asked string) string {
	u, err := url.Parse(asked)
	if err != nil || u.IsAbs() || u.Host != "" || !Owns(path.Clean(u.Path)) || strings.Contains(asked, "\\") {
		return Prefix
	}
	return u.RequestURI()
}

// page answers a request of somebody who has signed in.
type page func(w http.ResponseWriter, r *http.Request, who visitor) error

// signedIn asks for the key where that has not been done.
func (c *Console) signedIn(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, known := c.sessions.find(r)
		switch {
		case known && !who.hasRuns && isRuns(r.URL.Path), known && who.intents == "" && strings.HasPrefix(r.URL.Path, Prefix+"/intents"):
			c.fail(w, r, errNotTheirs)
		case known:
			if err := p(w, r, who); err != nil {
				c.fail(w, r, err)
			}
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			http.Redirect(w, r, Prefix+"/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		default:
			http.Redirect(w, r, Prefix+"/login", http.StatusSeeOther)
		}
	})
}

// errNotTheirs: the key is not one of the protocol that a page belongs to.
var errNotTheirs = errors.New("this key belongs to the other protocol")

// isRuns tells the pages that show what the OpenWOP host has.
func isRuns(path string) bool {
	for _, page := range []string{"/runs", "/start", "/goals", "/faults"} {
		if at := Prefix + page; path == at || strings.HasPrefix(path, at+"/") {
			return true
		}
	}
	return false
}
