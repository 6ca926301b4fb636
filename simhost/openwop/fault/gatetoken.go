package fault

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// tokenFaults are about the tokens of interrupts.
var tokenFaults = []Fault{
	{
		ID:     "gate.token-hides-data",
		Title:  "a token does not show what its interrupt asks",
		Looks:  "data of the interrupt is empty for who has its token",
		Breaks: []string{openwop.OWPINT36},
		Replace: func(s *rules.Set) {
			s.Tokens.Shows = func(json.RawMessage) json.RawMessage { return json.RawMessage(`{}`) }
		},
	},
	{
		ID:      "gate.token-needs-key",
		Title:   "an approval is not answered by its token alone, whatever its profile says",
		Looks:   "a token without a key is HTTP 403",
		Breaks:  []string{openwop.OWPINT37},
		Replace: func(s *rules.Set) { s.Answers.NeedsKey = func(bool) bool { return true } },
	},
	{
		ID:      "gate.token-unsigned",
		Title:   "the signature of a token is not looked at",
		Looks:   "a token with the signature of another answers the interrupt",
		Breaks:  []string{openwop.OWPINT39},
		Replace: func(s *rules.Set) { s.Tokens.Genuine = func(bool) bool { return true } },
	},
	{
		ID:     "gate.token-of-its-like",
		Title:  "interrupts that ask the same share one token, which answers the one that was raised last",
		Looks:  "the token of a run answers another run that asks the same",
		Breaks: []string{openwop.OWPINT4, openwop.OWPINT37, openwop.OWPINT39},
		Spots:  []int{26},
		Replace: func(s *rules.Set) {
			alike := &likes{asks: map[rules.Interrupt]string{}, last: map[string]rules.Interrupt{}}
			s.Tokens.Names, s.Tokens.Opens = alike.raised, alike.lastAsking
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

// likes are interrupts by what they ask.
type likes struct {
	mu   sync.Mutex
	asks map[rules.Interrupt]string
	last map[string]rules.Interrupt
}

func (l *likes) raised(i rules.Interrupt, shows json.RawMessage) rules.Interrupt {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.asks[i]; !known {
		l.asks[i], l.last[string(shows)] = string(shows), i
	}
	return i
}

func (l *likes) lastAsking(i rules.Interrupt) rules.Interrupt {
	l.mu.Lock()
	defer l.mu.Unlock()
	if asks, known := l.asks[i]; known {
		return l.last[asks]
	}
	return i
}
