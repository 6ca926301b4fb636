package openwop

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// judgePolls holds polls to what others show of the same logs.
func (t *traffic) judgePolls() {
	minds := map[string]bool{} // a host may know cursors by another name, and begins anew then (OWP-R20)
	known := map[string]map[int64]told{}
	doubtful := map[string]map[int64]bool{}
	for _, id := range t.order {
		run := t.runs[id]
		known[id], doubtful[id] = run.known()
		first := slices.Sorted(maps.Keys(known[id]))
		for _, page := range run.tellings {
			if !page.stream && len(page.events) > 0 && !page.passed.Present() && first[0] <= page.cursor {
				minds[page.by] = true
			}
		}
	}
	for _, id := range t.order {
		if len(doubtful[id]) == 0 && !t.ofFile(t.runs[id]) {
			t.runs[id].judgePolls(slices.Sorted(maps.Keys(known[id])), known[id], minds)
		}
	}
}

// ofFile reports whether a log was read from a file: nobody polled it, and its events may stand there in any order.
func (t *traffic) ofFile(r *reading) bool {
	return len(r.tellings) > 0 && strings.HasPrefix(t.read.Entry(r.tellings[0].at.Exchange).Request.URL, "log:")
}

func (r *reading) judgePolls(all []int64, known map[int64]told, minds map[string]bool) {
	type place struct {
		by     string
		cursor int64
	}
	empty := map[place]time.Time{}
	for _, page := range r.tellings {
		if since, before := empty[place{page.by, page.cursor}]; !page.stream && len(page.events) == 0 && !page.passed.Present() &&
			(!before || page.ended.Before(since)) {
			empty[place{page.by, page.cursor}] = page.ended
		}
	}
	for _, page := range r.tellings {
		if page.stream || page.passed.Present() && !minds[page.by] || len(page.events) == 0 && !page.passed.Present() {
			continue
		}
		if page.cursor == noCursor && len(page.events) == 0 { // it tells only of numbers below any
			continue
		}
		if page.cursor == noCursor {
			lowest, first := known[all[0]], page.events[0]
			if first.sequence > lowest.sequence {
				r.not(openwop.OWPEVT13, first.at, fmt.Sprintf("the first event of the run, which stands at %s", lowest.at), first.String())
			} else if lowest.at.Exchange != page.at.Exchange || first.kind == r.first.Dialect().Word(dialect.RunStarted) {
				r.held(openwop.OWPEVT13, first.at)
			}
			continue
		}
		switch {
		case page.by == "" || !minds[page.by]:
			continue
		case page.passed.Present():
			r.not(openwop.OWPEVT15, page.passed.Ref(), fmt.Sprintf("events behind %d", page.cursor), page.passed.Key("sequence").JSON())
			continue
		}
		r.held(openwop.OWPEVT15, page.events[0].at)
		if since, waited := empty[place{page.by, page.cursor}]; waited && !page.began.Before(since) {
			at, _ := slices.BinarySearch(all, page.cursor+1)
			if next, first := known[all[at]], page.events[0]; first.sequence > next.sequence {
				r.not(openwop.OWPEVT19, first.at, fmt.Sprintf("the event of sequence %d, which stands at %s", next.sequence, next.at), first.String())
			} else {
				r.held(openwop.OWPEVT19, first.at)
			}
		}
	}
}

// opening is a request for a stream, or for a document that everybody may read.
type opening struct {
	asked
	stream bool // the reply is one
	accept string
	status wire.Value
}

// streams is the rule about requests for streams.
var streams = rule[opening]{"stream-asked", scenarios.IDs{openwop.OWPEVT20, openwop.OWPERR16}, func(o opening, j *scenarios.Judge) {
	code := dialect.CodeOf(o.Body.Key("error"))
	_, isObject := o.Body.Actual().(map[string]any)
	switch {
	case o.accept == "text/event-stream" && (o.stream || o.Code == http.StatusOK && isObject):
		j.Check(openwop.OWPEVT20, o.status).To(check.That("a stream", func(any) bool { return o.stream }), "the reply to a request for a stream")
	case o.Code/100 == 4 && code == dialect.UnsupportedStreamMode:
		if j.Check(openwop.OWPERR16, o.Status).To(check.Status(http.StatusBadRequest), "a stream mode that the host does not know") {
			j.Check(openwop.OWPERR16, o.Body.At("/details/supported")).To(check.Each(check.Text()), "details.supported")
		}
	}
}}

// opened is the rule about documents for which nobody needs a credential.
var opened = rule[opening]{"open", scenarios.IDs{openwop.OWPCAP2, openwop.OWPCAP3}, func(o opening, j *scenarios.Judge) {
	id := scenarios.RequirementID(openwop.OWPCAP2)
	if o.op == dialect.ReadContract {
		id = openwop.OWPCAP3
	}
	if o.Code == http.StatusOK && o.Body.Present() {
		j.Check(id, o.Body).To(check.That("an object", func(v any) bool { _, is := v.(map[string]any); return is }),
			"what %s shows without a credential", o.Path)
	}
}}

func (t *traffic) judgeStreams() {
	for _, x := range t.of(dialect.StreamLog, dialect.Discover, dialect.ReadContract) {
		e := t.read.Entry(x.N)
		if e.Response == nil || e.Error != "" && e.Kind != "stream" {
			continue
		}
		o := opening{asked: x, stream: e.Kind == "stream" && e.Response.Status == http.StatusOK, status: t.read.Status(x.N)}
		accept, _ := x.Get("Accept")
		o.accept = strings.TrimSpace(accept)
		if x.op == dialect.StreamLog {
			streams.hold(t.sights, x.id(), o)
			continue
		}
		if !slices.ContainsFunc(append(wire.CallerHeaders(), wire.StandIn), func(name string) bool {
			_, has := x.Get(name)
			return has
		}) {
			opened.hold(t.sights, x.Path, o)
		}
	}
}
