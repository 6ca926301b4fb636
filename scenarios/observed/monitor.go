package observed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Monitor judges the logs of a host while the host writes them: hand it each event as it is written. It may be used by several
// goroutines; events of one log come in the order of that log.
type Monitor struct {
	protocol  *scenarios.Protocol
	discovery scenarios.Discovery

	mu   sync.Mutex
	logs map[string]*growing // by path
}

// growing is a log that grows.
type growing struct {
	events [][]byte
	judged int // how many events it had when it was judged last
	fork   bool
	told   map[scenarios.RequirementID]bool
}

// NewMonitor returns a monitor of a host with that discovery document, which says what the host claims.
func NewMonitor(p *scenarios.Protocol, discovery []byte) (*Monitor, error) {
	if p.Logged == nil {
		return nil, fmt.Errorf("events of %s say nothing alone", p.ID)
	}
	if !json.Valid(discovery) {
		return nil, errors.New("the discovery document is no JSON")
	}
	t := replied(p, p.DiscoveryPath, discovery)
	return &Monitor{protocol: p, logs: map[string]*growing{},
		discovery: scenarios.Discovery{Document: t.Reply(1), Status: t.Status(1)}}, nil
}

// replied returns a transcript in which somebody reads a document from a path.
func replied(p *scenarios.Protocol, path string, body []byte) *wire.Transcript {
	at := url.URL{Scheme: "log", Host: "monitor", Path: path}
	return &wire.Transcript{Drive: scenarios.RecordingDrive, Speech: p.Speech, Entries: []wire.Entry{{Kind: "http",
		Request:  &wire.Request{Method: http.MethodGet, URL: at.String()},
		Response: &wire.Response{Status: http.StatusOK, Body: string(body)}}}}
}

// atOnce is the number of events up to which a log is judged again with each event.
const atOnce = 100

// Event adds an event to its log and returns the requirements that the log violates since, each once. A log of more than 100 events is
// judged again when it has grown by a tenth; [Monitor.Done] judges the rest.
func (m *Monitor) Event(event []byte) ([]scenarios.Violation, error) {
	if !json.Valid(event) {
		return nil, errors.New("the event is no JSON")
	}
	path := m.protocol.Logged.Path(event)
	if path == "" {
		return nil, errors.New("the event does not say which log it is of")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.log(path)
	l.events = append(l.events, append([]byte(nil), event...))
	if n := len(l.events); n > atOnce && n-l.judged < n/10 {
		return nil, nil
	}
	return m.judge(path, l), nil
}

func (m *Monitor) log(path string) *growing {
	if m.logs[path] == nil {
		m.logs[path] = &growing{told: map[scenarios.RequirementID]bool{}}
	}
	return m.logs[path]
}

// Fork says that a log begins with events of another one, before its first event is added. Some rules do not hold for it.
func (m *Monitor) Fork(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log(m.protocol.Logged.Of(id)).fork = true
}

// Done judges a log as it stands, returns what was not returned before, and forgets it.
func (m *Monitor) Done(id string) []scenarios.Violation {
	m.mu.Lock()
	defer m.mu.Unlock()
	path := m.protocol.Logged.Of(id)
	l := m.logs[path]
	if l == nil {
		return nil
	}
	delete(m.logs, path)
	if l.judged == len(l.events) {
		return nil
	}
	return m.judge(path, l)
}

func (m *Monitor) judge(path string, l *growing) (all []scenarios.Violation) {
	l.judged = len(l.events)
	form := m.protocol.Logged
	body := slices.Concat([]byte(form.Before), bytes.Join(l.events, []byte(",")), []byte(form.After))
	var seen []scenarios.Sight
	records := recordOf(replied(m.protocol, path, body))
	rulesOf(m.protocol)(m.discovery, records, m.protocol.Counting(m.discovery, nil, records, func(s scenarios.Sight) {
		if !s.Held && !l.told[s.Requirement] && !(s.Alone && l.fork) {
			seen = append(seen, s)
		}
	}))
	all = scenarios.Violations(m.protocol.Ledger, seen)
	for _, v := range all {
		l.told[v.Requirement] = true
	}
	return all
}
