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

// session is of somebody whose key a host knows, or several.
type session struct {
	who  []visitor
	seen time.Time
	used uint64
}

// begin makes a session and returns its token.
func (s *sessions) begin(who []visitor) (token string) {
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

// forget lets go of sessions that are over, and of the one unused for longest where there are too many. The caller has
// the lock.
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

// find is who a request comes from; nobody where that is not known.
func (s *sessions) find(r *http.Request) []visitor {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return nil
	}
	digest := sha256.Sum256([]byte(cookie.Value))
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[digest]
	now := s.wire.Now()
	if one == nil || now.Sub(one.seen) > sessionLife {
		delete(s.open, digest)
		return nil
	}
	s.current++
	one.seen, one.used = now, s.current
	return one.who
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
	if c.sessions.find(r) != nil {
		http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // nextOf lets nothing through but paths of the console
		return
	}
	c.askKey(w, http.StatusOK, loginPage{Next: next})
}

func (c *Console) askKey(w http.ResponseWriter, status int, page loginPage) {
	c.render(w, c.own, layout{Page: Page{Template: "login", Status: status, Title: "Sign in", Body: page}})
}

// login takes the key, once: from then on the cookie says who it was.
func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	next := nextOf(r.PostFormValue("next"))
	if !c.sessions.mayGuess() {
		c.askKey(w, http.StatusTooManyRequests, loginPage{next, "Too many wrong keys: wait a minute."})
		return
	}
	who, err := c.recognise(strings.TrimSpace(r.PostFormValue("key")))
	if err != nil {
		c.fail(w, r, err)
		return
	}
	if who == nil {
		c.sessions.guessed()
		c.askKey(w, http.StatusForbidden, loginPage{next, "This host does not know that key. It prints its key when it starts."})
		return
	}
	http.SetCookie(w, c.cookie(r, c.sessions.begin(who), 0))
	http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // nextOf lets nothing through but paths of the console
}

// recognise finds whose key this is, for each host that knows it.
func (c *Console) recognise(key string) (who []visitor, err error) {
	for _, p := range c.parts {
		v, err := p.SignIn(key)
		if err != nil {
			return nil, err
		}
		if v != nil {
			who = append(who, visitor{v, p})
		}
	}
	return who, nil
}

func (c *Console) logout(r *Request) error {
	c.sessions.end(r.Request)
	http.SetCookie(r.w, c.cookie(r.Request, "", -1))
	return r.GoTo(Prefix + "/login")
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

// signedIn asks for the key where that has not been done.
func (c *Console) signedIn(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := c.sessions.find(r)
		switch {
		case who != nil:
			if err := p(&Request{Request: r, w: w, c: c, who: who, of: c.own}); err != nil {
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
