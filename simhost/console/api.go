package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/snapshot"
)

// This file is what programs ask: the command line does. It does what the pages do, by the same means, and answers with JSON. The
// key of the host comes as a bearer key.

// The paths of the interface for programs.
const (
	apiPrefix    = Prefix + "/api"
	PathClock    = apiPrefix + "/clock"    // GET: [ClockState]. POST [Passage]: [ClockState]
	PathSwitches = apiPrefix + "/switches" // GET: [SwitchState]. POST [SwitchChange]: [SwitchState]
	PathSnapshot = apiPrefix + "/snapshot" // GET: a file as package snapshot reads it
)

// Problem is the answer to what cannot be done.
type Problem struct {
	Error string `json:"error"`
}

// ClockState says where a clock stands, and what moves it.
type ClockState struct {
	Now    time.Time `json:"now"`
	Kind   string    `json:"kind,omitempty"`   // real, manual or skip; of the host's clock alone
	Things []string  `json:"things,omitempty"` // kinds of what has a clock of its own that can be moved, such as run
}

// Passage lets time pass: for the host, or for one thing.
type Passage struct {
	By    string `json:"by"` // such as 90s or 2h
	Thing string `json:"thing,omitempty"`
	ID    string `json:"id,omitempty"`
}

// SwitchState is what can be switched, and what is on.
type SwitchState struct {
	Faults     []SwitchRow `json:"faults"`
	Variations []SwitchRow `json:"variations"`
}

// SwitchRow is a fault or a variation.
type SwitchRow struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	On    string `json:"on,omitempty"` // the id with what is set, where it is on
}

// SwitchChange is what is to be switched.
type SwitchChange struct {
	Faults     Change `json:"faults"`
	Variations Change `json:"variations"`
}

// Mover is a [Visitor] who may let time pass for single things of the host.
type Mover interface {
	// Things returns the kinds of what has a clock of its own.
	Things() []string
	// Advance lets time pass for one thing, and returns the time that it then is there.
	Advance(ctx context.Context, thing, id string, by time.Duration) (time.Time, error)
}

// called is the answer to a program. A nil value is one that was written already.
type called func(w http.ResponseWriter, r *http.Request, who []visitor) (any, error)

func (c *Console) routeAPI(mux *http.ServeMux) {
	for pattern, answer := range map[string]called{
		"GET " + PathClock: c.clockState, "POST " + PathClock: c.pass,
		"GET " + PathSwitches: c.switchState, "POST " + PathSwitches: c.switchOver,
		"GET " + PathSnapshot: c.snapshot,
		apiPrefix + "/": func(http.ResponseWriter, *http.Request, []visitor) (any, error) {
			return nil, status{http.StatusNotFound, errors.New("nothing is here: " + PathClock + ", " + PathSwitches + " or " + PathSnapshot)}
		},
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { c.call(w, r, answer) })
	}
}

// status is an error with the status that tells it.
type status struct {
	code int
	error
}

func (c *Console) call(w http.ResponseWriter, r *http.Request, answer called) {
	who, err := c.caller(r)
	var value any
	if err == nil {
		value, err = answer(w, r, who)
	}
	switch {
	case err != nil:
		c.refuse(w, r, err)
	case value != nil:
		tell(w, http.StatusOK, value)
	}
}

// caller is whose bearer key a request has.
func (c *Console) caller(r *http.Request) ([]visitor, error) {
	if !c.sessions.mayGuess() {
		return nil, status{http.StatusTooManyRequests, errors.New("too many wrong keys: wait a minute")}
	}
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, status{http.StatusUnauthorized, errors.New("send the key of the host: Authorization: Bearer KEY")}
	}
	who, err := c.recognise(strings.TrimSpace(key))
	if err == nil && who == nil {
		c.sessions.guessed()
		err = status{http.StatusUnauthorized, errors.New("this host does not know that key: it prints its key when it starts")}
	}
	return who, err
}

func (c *Console) refuse(w http.ResponseWriter, r *http.Request, err error) {
	code, said := http.StatusInternalServerError, "the host could not do this; its log has the reason"
	known, tooLarge := status{}, (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, &known):
		code, said = known.code, err.Error()
	case unswitchable(err):
		code, said = http.StatusUnprocessableEntity, err.Error()
	case slices.ContainsFunc(c.parts, func(p *part) bool { return p.IsMissing(err) }):
		code, said = http.StatusNotFound, refusal.In(err).Message
	case refusal.In(err) != nil:
		code, said = http.StatusConflict, refusal.In(err).Message
	case errors.As(err, &tooLarge):
		code, said = http.StatusRequestEntityTooLarge, "that was too much at once: send less"
	case errors.Is(err, serving.ErrHostClosed), r.Context().Err() != nil:
		code, said = http.StatusServiceUnavailable, "the host is shutting down, or you left"
	default:
		c.log.ErrorContext(r.Context(), "console", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	tell(w, code, Problem{said})
}

func tell(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value) // a client that left does not matter
}

// read reads what a program sends.
func read(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			return err
		}
		return status{http.StatusBadRequest, fmt.Errorf("the body cannot be read: %w", err)}
	}
	return nil
}

// kind is what moves the clock of the hosts.
func (c *Console) kind() string {
	switch c.o.Clock.(type) {
	case nil:
		return "real"
	case *clock.Skipping:
		return "skip"
	}
	return "manual"
}

func (c *Console) now() time.Time {
	if c.o.Clock == nil {
		return time.Now().UTC()
	}
	return c.o.Clock.Now().UTC()
}

func (c *Console) clockState(_ http.ResponseWriter, _ *http.Request, who []visitor) (any, error) {
	return ClockState{c.now(), c.kind(), things(who)}, nil
}

// things returns the kinds of what visitors may let time pass for.
func things(who []visitor) (all []string) {
	for _, v := range who {
		if m, ok := v.Visitor.(Mover); ok {
			all = append(all, m.Things()...)
		}
	}
	return all
}

// pass lets time pass.
func (c *Console) pass(_ http.ResponseWriter, r *http.Request, who []visitor) (any, error) {
	var p Passage
	if err := read(r, &p); err != nil {
		return nil, err
	}
	by, ok := ParseStep(p.By)
	if !ok {
		return nil, status{http.StatusUnprocessableEntity, fmt.Errorf("%q: give how far as 90s, 5m or 24h, by 720h at most: a clock does not "+
			"go back", p.By)}
	}
	if p.Thing == "" {
		if c.o.Clock == nil {
			return nil, status{http.StatusConflict, errors.New("time goes by itself on this host: start it with --clock manual or " +
				"--clock skip, or name what time is to pass for: " + strings.Join(things(who), ", "))}
		}
		clock.Pass(c.o.Clock, by)
		c.told.tell(TopicAll)
		return ClockState{Now: c.now(), Kind: c.kind()}, nil
	}
	for _, v := range who {
		m, ok := v.Visitor.(Mover)
		if !ok || !slices.Contains(m.Things(), p.Thing) {
			continue
		}
		now, err := m.Advance(r.Context(), p.Thing, p.ID, by)
		if err != nil {
			return nil, err
		}
		c.told.tell(TopicAll)
		return ClockState{Now: now.UTC()}, nil
	}
	return nil, status{http.StatusUnprocessableEntity, fmt.Errorf("no %q has a clock of its own here: %s", p.Thing,
		strings.Join(things(who), ", "))}
}

func (c *Console) switchState(_ http.ResponseWriter, _ *http.Request, who []visitor) (any, error) {
	state := SwitchState{[]SwitchRow{}, []SwitchRow{}}
	var page faultsPage
	for _, s := range switchers(who) {
		page.add(s)
	}
	for _, theme := range page.Themes {
		for _, row := range theme.Rows {
			r := SwitchRow{ID: row.ID, Title: row.Title}
			if row.On {
				r.On = row.Spec
			}
			if row.Variation {
				state.Variations = append(state.Variations, r)
			} else {
				state.Faults = append(state.Faults, r)
			}
		}
	}
	return state, nil
}

func (c *Console) switchOver(w http.ResponseWriter, r *http.Request, who []visitor) (any, error) {
	var asked SwitchChange
	if err := read(r, &asked); err != nil {
		return nil, err
	}
	if err := c.change(r.Context(), who, asked.Faults, asked.Variations); err != nil {
		return nil, err
	}
	return c.switchState(w, r, who)
}

func unswitchable(err error) bool {
	_, is := errors.AsType[*Unswitchable](err)
	return is
}

// snapshot hands out the logs of all hosts. They hold what every tenant has done, so the first key alone gets them.
func (c *Console) snapshot(w http.ResponseWriter, r *http.Request, who []visitor) (any, error) {
	if _, key, _ := strings.Cut(r.Header.Get("Authorization"), " "); !c.first(strings.TrimSpace(key)) {
		return nil, status{http.StatusForbidden, errors.New("a snapshot holds what all tenants did: give the key that the host itself was " +
			"started with, not that of a tenant or voter")}
	}
	taken, err := snapshot.Take(r.Context(), c.o.Store, c.o.Snapshot)
	if err != nil {
		return nil, err
	}
	taken.Header.Clock, taken.Header.Now = c.kind(), c.now()
	for _, s := range switchers(who) {
		on := s.On()
		taken.Header.On.Faults = append(taken.Header.On.Faults, on.Faults...)
		taken.Header.On.Variations = append(taken.Header.On.Variations, on.Variations...)
	}
	w.Header().Set("Content-Type", "application/gzip")
	if err := taken.Write(r.Context(), w); err != nil {
		if errors.Is(err, eventlog.ErrClosed) || r.Context().Err() != nil {
			return nil, nil // the reader notices that the end is missing
		}
		c.log.ErrorContext(r.Context(), "write a snapshot", "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil, nil
}
