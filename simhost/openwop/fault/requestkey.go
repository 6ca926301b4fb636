package fault

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// keyFaults are about idempotency keys.
var keyFaults = []Fault{
	{
		ID:      "request.keys-unread",
		Title:   "idempotency keys are taken and not looked at",
		Looks:   "every request under one key makes a run of its own",
		Breaks:  []string{openwop.OWPERR18, openwop.OWPERR19, openwop.OWPERR20},
		Request: func(r *mutate.Request) { r.Header.Del(idempotencyKey) },
	},
	{
		ID:     "request.mismatch-frees-the-key",
		Title:  "an idempotency key under which another body was refused is forgotten",
		Looks:  "the first request makes a second run when it is repeated after that",
		Breaks: []string{openwop.OWPERR18},
		Replace: func(s *rules.Set) {
			var freed sync.Map // names of keys
			doing(func(k rules.Keyed, honest rules.Doing) rules.Doing {
				switch honest {
				case rules.Refuse:
					freed.Store(k.Key, true)
				case rules.Repeat:
					if _, was := freed.LoadAndDelete(k.Key); was {
						return rules.Begin
					}
				}
				return honest
			})(s)
		},
	},
	{
		ID:     "request.refusals-free-the-key",
		Title:  "only what was done is kept under an idempotency key, no refusal",
		Looks:  "under the key of a fork that was refused with 422 another one is made",
		Breaks: []string{openwop.OWPERR19},
		Twin:   "there a body that was done is not compared, here one that was refused",
		Replace: doing(func(k rules.Keyed, honest rules.Doing) rules.Doing {
			if k.Refused {
				return rules.Begin
			}
			return honest
		}),
	},
	{
		ID:     "request.numbers-rounded",
		Title:  "the numbers of a body under an idempotency key are compared as floats of 32 bits",
		Looks:  "a body whose integer is one more than in the first is answered as the first",
		Breaks: []string{openwop.OWPERR19},
		Twin:   "only bodies with numbers show it",
		Request: func(r *mutate.Request) {
			if r.Header.Get(idempotencyKey) != "" {
				mutate.Body(func(body map[string]any) { rounded(body["metadata"]) })(r)
			}
		},
	},
	{
		ID:     "request.bodies-uncompared",
		Title:  "whatever comes under an idempotency key is answered as the first request under it was",
		Looks:  "another body under the key is HTTP 201 with the first run",
		Breaks: []string{openwop.OWPERR19},
		Replace: doing(func(k rules.Keyed, honest rules.Doing) rules.Doing {
			if honest == rules.Refuse && k.Answered {
				return rules.Repeat
			}
			return honest
		}),
	},
	{
		ID:     "request.repetition-refused",
		Title:  "a request that is repeated under its idempotency key is refused as a duplicate",
		Looks:  "the repetition is HTTP 409, also when the first request was answered long ago",
		Breaks: []string{openwop.OWPERR18, openwop.OWPERR20},
		Replace: doing(func(_ rules.Keyed, honest rules.Doing) rules.Doing {
			if honest == rules.Repeat {
				return rules.Refuse
			}
			return honest
		}),
	},
	{
		ID:     "request.repetition-untold",
		Title:  "an answer that is given again does not say that it is",
		Looks:  "openwop-Idempotent-Replay is missing from the repetition",
		Breaks: []string{openwop.OWPERR21},
		Reply:  func(r *mutate.Reply) { r.Header.Del("openwop-Idempotent-Replay") },
	},
	{
		ID:     "request.keys-race",
		Title:  "two requests that come at once under a new idempotency key both find nothing under it, and both are done",
		Looks:  "several runs are made of equal requests that come at once",
		Breaks: []string{openwop.OWPERR20},
		Remembers: func() mutate.Changes {
			var pairs meeting
			return mutate.Changes{Requests: []mutate.RequestFunc{func(r *mutate.Request) {
				key := r.Header.Get(idempotencyKey)
				if key != "" && !pairs.alone(strings.Join([]string{r.Header.Get("Authorization"), r.Method, r.URL.Path, key}, " ")) {
					r.Header.Del(idempotencyKey)
				}
			}}}
		},
	},
	{
		ID:     "request.scopes-race",
		Title:  "two requests that come at once, each for the only run of a scope, both find nobody there, and both are done",
		Looks:  "several runs of a scope are made of requests that come at once",
		Breaks: []string{openwop.OWPERR29},
		Twin:   "only requests that come together show it",
		Remembers: func() mutate.Changes {
			var pairs meeting
			return mutate.Changes{Requests: []mutate.RequestFunc{func(r *mutate.Request) {
				if r.Header.Get(dedup) != "" && !pairs.alone(r.Header.Get("Authorization")+" "+string(r.Raw)) {
					r.Header.Del(dedup)
				}
			}}}
		},
	},
	{
		ID:     "request.scope-of-everybody",
		Title:  "the scope of a run is looked up without its tenant",
		Looks:  "a run of another tenant is refused because of a scope by the same name",
		Breaks: []string{openwop.OWPERR29},
		Remembers: func() mutate.Changes {
			var owners sync.Map // Authorization of the first, by body
			return mutate.Changes{Requests: []mutate.RequestFunc{func(r *mutate.Request) {
				if r.Header.Get(dedup) == "" {
					return
				}
				if first, taken := owners.LoadOrStore(string(r.Raw), r.Header.Get("Authorization")); taken {
					r.Header.Set("Authorization", first.(string))
				}
			}}}
		},
	},
}

const (
	idempotencyKey = "Idempotency-Key"
	dedup          = "X-Dedup"
)

// doing changes what becomes of requests under keys.
func doing(does func(k rules.Keyed, honest rules.Doing) rules.Doing) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Keys.Does
		s.Keys.Does = func(k rules.Keyed) rules.Doing { return does(k, honest(k)) }
	}
}

// rounded makes floats of 32 bits of the numbers in a value, and returns it.
func rounded(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = rounded(member)
		}
	case []any:
		for i, item := range v {
			v[i] = rounded(item)
		}
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return json.Number(strconv.FormatFloat(f, 'g', -1, 32))
		}
	}
	return value
}

// keyCompany is how long the first request under a key waits for a second one. Requests that are sent at once are much closer
// together.
const keyCompany = 1500 * time.Millisecond

// meeting is where the first two requests under a key meet if they come at once. The zero meeting can be used.
type meeting struct {
	mu    sync.Mutex
	first map[string]chan struct{} // by key: closed when the second has come; nil when nobody waits any more
}

// alone tells whether a request is not one of two that met.
func (m *meeting) alone(key string) bool {
	met, first := m.come(key)
	if !first {
		return met == nil
	}
	late := time.NewTimer(keyCompany)
	defer late.Stop()
	select {
	case <-met:
		return false
	case <-late.C:
		return m.leave(key, met)
	}
}

// come says for whom the second has come, if it is the second, and whether it is the first.
func (m *meeting) come(key string) (met chan struct{}, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	met, known := m.first[key]
	if !known {
		met = make(chan struct{})
		if m.first == nil {
			m.first = map[string]chan struct{}{}
		}
		m.first[key] = met
		return met, true
	}
	if met != nil {
		close(met)
		m.first[key] = nil
	}
	return met, false
}

// leave tells whether nobody has come after all.
func (m *meeting) leave(key string, met chan struct{}) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.first[key] = nil
	select {
	case <-met:
		return false
	default:
		return true
	}
}
