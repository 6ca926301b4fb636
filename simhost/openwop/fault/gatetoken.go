package fault

import (
	"encoding/json"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// tokenFaults are about the tokens of interrupts.
var tokenFaults = []Fault{
	{
		ID:     "gate.token-hides-data",
		Title:  "a token does not show what its interrupt asks",
		Looks:  "data of the interrupt is empty for who has its token",
		Breaks: []string{openwop.OWPINT36},
		Reply: mutate.On("GET "+byToken, mutate.Succeeded(mutate.At("", func(i *openwopv1.InterruptInspection) {
			i.Data = json.RawMessage(`{}`)
		}))),
	},
	{
		ID:      "gate.token-needs-key",
		Title:   "an approval is not answered by its token alone, whatever its profile says",
		Looks:   "a token without a key is HTTP 403",
		Breaks:  []string{openwop.OWPINT37},
		Replace: answersAs(func(r *rules.Respondent) { r.Profiled = true }),
	},
	{
		ID:      "gate.token-unsigned",
		Title:   "the signature of a token is not looked at",
		Looks:   "a token with the signature of another answers the interrupt",
		Breaks:  []string{openwop.OWPINT39},
		Replace: func(s *rules.Set) { s.Tokens.Genuine = func(bool) bool { return true } },
	},
	{
		ID:     "gate.token-by-its-beginning",
		Title:  "of a token no more is read than a token has",
		Looks:  "a token with more behind it answers the interrupt",
		Breaks: []string{openwop.OWPINT39},
		Twin:   "it is asked for by a token that is whole, which no forged one is",
		Remembers: func() mutate.Changes {
			var shown sync.Map // tokens
			c := replies(mutate.On("GET /v1/runs/{runId}", mutate.Succeeded(mutate.At("/interrupt", func(i *openwopv1.PendingInterrupt) {
				if i.InterruptToken != nil {
					shown.Store(*i.InterruptToken, true)
				}
			}))))
			c.Requests = []mutate.RequestFunc{mutate.Asked("POST "+byToken, func(r *mutate.Request) {
				at, token := path.Split(r.URL.Path)
				shown.Range(func(whole, _ any) bool {
					begins := strings.HasPrefix(token, whole.(string))
					if begins {
						r.URL.Path, r.URL.RawPath = at+whole.(string), ""
					}
					return !begins
				})
			})}
			return c
		},
	},
	{
		ID:     "gate.token-of-its-like",
		Title:  "interrupts that ask the same share one token, which answers the one that was raised last",
		Looks:  "the token of a run answers another run that asks the same",
		Breaks: []string{openwop.OWPINT4, openwop.OWPINT37, openwop.OWPINT39, openwop.OWPINT16},
		Spots:  []int{26},
		Remembers: func() mutate.Changes {
			alike := &likes{shown: map[string]openwopv1.PendingInterrupt{}, last: map[string]string{}}
			c := replies(mutate.On("GET /v1/runs/{runId}", mutate.Succeeded(alike.learn)),
				mutate.On("GET "+byToken, mutate.Succeeded(alike.end)))
			c.Requests = []mutate.RequestFunc{mutate.Asked("GET "+byToken, alike.open), mutate.Asked("POST "+byToken, alike.open)}
			return c
		},
	},
	{
		ID:     "gate.token-outlives-timeout",
		Title:  "a token lives for 30 minutes, whatever the timeoutMs of its interrupt",
		Looks:  "expiresAt of the token is behind the end of the interrupt",
		Breaks: []string{openwop.OWPINT40},
		Replace: func(s *rules.Set) {
			s.Tokens.Ends = func(requested, _ time.Time, life time.Duration) time.Time { return requested.Add(life) }
		},
	},
	{
		ID:     "gate.token-lives-a-day",
		Title:  "the token of an interrupt without timeoutMs lives for a day",
		Looks:  "expiresAt of the token is 24 hours behind the suspension",
		Breaks: []string{openwop.OWPINT41},
		Replace: func(s *rules.Set) {
			ends := s.Tokens.Ends
			s.Tokens.Ends = func(requested, due time.Time, _ time.Duration) time.Time { return ends(requested, due, 24*time.Hour) }
		},
	},
}

// byToken is the path of the interrupt behind a token.
const byToken = "/v1/interrupts/{token}"

// likes are tokens by what their interrupts ask.
type likes struct {
	mu    sync.Mutex
	shown map[string]openwopv1.PendingInterrupt // by token
	last  map[string]string                     // the token that was shown last, by what its interrupt asks
}

// learn keeps the token that a snapshot shows.
func (l *likes) learn(r *mutate.Reply) {
	mutate.At("/interrupt", func(i *openwopv1.PendingInterrupt) {
		if i.InterruptToken == nil {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if _, known := l.shown[*i.InterruptToken]; !known {
			l.shown[*i.InterruptToken], l.last[string(i.Data)] = *i, *i.InterruptToken
		}
	})(r)
}

// open has a token stand for the last one like it.
func (l *likes) open(r *mutate.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, token := path.Split(r.URL.Path)
	if own, shown := l.shown[token]; shown {
		r.URL.Path, r.URL.RawPath = at+l.last[string(own.Data)], ""
	}
}

// end has a token end when it does itself, whatever it stands for.
func (l *likes) end(r *mutate.Reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if own, shown := l.shown[path.Base(r.Request.URL.Path)]; shown {
		mutate.At("", func(i *openwopv1.InterruptInspection) { i.ExpiresAt = own.ExpiresAt })(r)
	}
}
