package eventlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// StreamFrame is one event of a stream, as framed.
type StreamFrame struct {
	ID   wire.Value `json:"id"`
	Type wire.Value `json:"type"`
	Data wire.Value `json:"data"` // absent if it is not JSON
}

// Listening is everything an event stream sent since it opened.
type Listening struct {
	Status wire.Value    `json:"status"` // HTTP status
	Kind   wire.Value    `json:"kind"`   // Content-Type
	Frames []StreamFrame `json:"frames,omitempty"`
	Closed wire.Wait     `json:"closed"` // by the host; Last is the snapshot if it did not
}

// listenIn says how to request a stream.
type listenIn struct {
	label     string
	mode      string         // debug, unless another is named
	parameter wire.Parameter // besides the mode
	after     string         // Last-Event-ID
	patience  time.Duration
	heard     func() // called after each frame
}

// hear opens the run's event stream in mode debug, the only one sure to carry
// every event (OWP-R22). It reads until the host closes the stream, the patience
// ends or ctx does. The limits of the wire cut off what is too large or endless.
func hear(ctx context.Context, r *host.Run, in listenIn) Listening {
	o := Listening{Closed: wire.Wait{What: "the host closes the stream", Patience: in.patience}}
	listening, enough := context.WithCancel(ctx)
	defer enough()
	opened := func() bool { return true }
	if in.patience > 0 { // opening the stream may take the host a while
		opening, done := r.Within(ctx, max(r.Patience, in.patience))
		defer done()
		opened = context.AfterFunc(opening, enough)
	}
	var over *time.Timer
	streamed := dialect.StreamLog.Of(r.ID).With("streamMode", cmp.Or(in.mode, "debug"))
	if in.parameter.Name != "" {
		streamed = streamed.With(in.parameter.Name, in.parameter.Value)
	}
	call := wire.Call{Operation: streamed, Label: in.label}
	if in.after != "" {
		call.Header = map[string]string{"Last-Event-ID": in.after}
	}
	start := r.Now()
	for cut := 0; ; {
		s, plain, err := r.Client.Open(listening, call)
		switch {
		case err != nil && listening.Err() != nil: // we hung up before the host answered
			return o
		case err != nil:
			scenarios.End(err)
			return o
		case s == nil:
			o.Status, o.Kind = plain.StatusValue(), plain.HeaderValue("Content-Type")
			scenarios.End(refusedStream(plain.Status))
			return o
		}
		switch opened(); {
		case in.patience <= 0:
		case over == nil:
			over = time.AfterFunc(in.patience, enough)
			defer over.Stop()
		default:
			over.Reset(in.patience)
		}
		o.Status, o.Kind = s.StatusValue(), s.HeaderValue("Content-Type")
		frames, last := o.take(s, in.heard)
		s.Close()
		if over != nil {
			over.Stop() // opening the stream again does not count
		}
		o.Closed.Took = r.Now().Sub(start)
		switch {
		case listening.Err() != nil:
			return o
		case s.Err() == nil:
			o.Closed.Reached = true
			return o
		case !errors.Is(s.Err(), wire.ErrNoAnswer) || cut == mostCuts:
			scenarios.End(s.Err())
			return o
		}
		// The connection broke off, which is not the host's word: go on behind the last event.
		if cut++; frames > 0 {
			cut = 0
		}
		if last != "" {
			call.Header = map[string]string{"Last-Event-ID": last}
		}
	}
}

// mostCuts is how often in a row a stream may break off without having told anything.
const mostCuts = 10

// take adds the frames of a stream until it ends. It returns how many they are, and the last id.
func (o *Listening) take(s *wire.Stream, heard func()) (n int, last string) {
	for e := range s.Events() {
		n++
		last = e.ID
		o.Frames = append(o.Frames, StreamFrame{s.ID(n), s.Type(n), s.Value(n)})
		if heard != nil {
			heard()
		}
	}
	return n, last
}

// refusedStream returns why the host refused us the stream, as [host.do] does for
// plain calls.
func refusedStream(status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return scenarios.Block(fmt.Sprintf("the event stream of our own run is refused: HTTP %d", status),
			"give a key that may listen to runs with --key, ASSAY_KEY or --key-file")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return fmt.Errorf("opening the event stream: %w: HTTP %d", wire.ErrBusy, status)
	}
	return nil
}

// hearOut is hear for a run that has ended. If the host leaves the stream open,
// hearOut reads the run once more: a host that is altogether silent is not judged.
func hearOut(ctx context.Context, r *host.Run, in listenIn) Listening {
	o := hear(ctx, r, in)
	if o.Closed.Reached {
		return o
	}
	if !o.Status.Present() {
		scenarios.End(fmt.Errorf("opening the event stream: %w within %s", wire.ErrNoAnswer, r.Patience))
	}
	reply := r.Snapshot(ctx, "the run while the stream stays open")
	o.Closed.Answers, o.Closed.Last = 1, reply.Value("")
	return o
}

// StreamsObservation is a finished run as shown by its streams and its list.
type StreamsObservation struct {
	Way      string      `json:"way"`
	Log      host.RunLog `json:"log"` // by polls
	Full     Listening   `json:"full"`
	After    int64       `json:"after"` // random, before the last event
	Resumed  Listening   `json:"resumed"`
	AtEnd    Listening   `json:"atEnd"`   // with the last event as Last-Event-ID
	Garbled  string      `json:"garbled"` // a Last-Event-ID that is not a sequence
	Unparsed Listening   `json:"unparsed"`
	HoldMs   int         `json:"holdMs" drawn:"true"`
	Batched  Listening   `json:"batched"`
	List     PollPage    `json:"list"` // the JSON document, if there is one
	Places   []Place     `json:"places,omitempty"`
	Lists    []ModeList  `json:"lists,omitempty"`
	// GoneOn is a resumed stream in batches. Alone are streams in one mode that shows less than debug. Zero at quick.
	GoneOn Place      `json:"goneOn,omitzero"`
	Alone  []ModeList `json:"alone,omitempty"`
	// Moved is a run that stood still until the first batch of its stream had come, and was moved then. Zero at quick.
	Moved     host.RunLog `json:"moved,omitzero"`
	InBatches Listening   `json:"inBatches,omitzero"`
	Asked     AskedAgain  `json:"asked,omitzero"`
}

// Place is a stream that goes on behind an event.
type Place struct {
	After   int64     `json:"after"` // Last-Event-ID
	Resumed Listening `json:"resumed"`
}

// ModeList is a stream in several modes, or in one.
type ModeList struct {
	Modes  string    `json:"modes"`
	Stream Listening `json:"stream"`
}

var (
	// held has the least and the most that a host takes, and what most hosts never see.
	held = &scenarios.Dimension{Name: "milliseconds to gather events of a stream", Least: 1, Most: [3]int{5_000, 5_000, 5_000},
		Edges: []int{1, 5_000}}
	resumptions = &scenarios.Dimension{Name: "events that a stream is resumed behind", Least: 2, Most: [3]int{3, 5, 40}}
	past        = &scenarios.Dimension{Name: "events between the end of a log and what is asked for", Least: 1,
		Most: [3]int{1_000, 1_000_000, 1 << 31}, Edges: []int{1}}
)

// finishedRunStreamed streams a finished run in several ways.
var finishedRunStreamed = &scenarios.Drive[StreamsObservation]{
	ID: "openwop/finished-run-streamed",
	Title: "streams a finished run from the start, from its first event, from drawn ones, from its last, from beyond its end, from an id " +
		"that is none, in batches and in several modes at once, and asks for it as JSON; beyond quick, resumes the batches, takes " +
		"the other modes one by one, and streams one in batches that is moved meanwhile, and one that asks once more",
	Sends: []string{
		sendsFinite, host.SendsLoop, "{answer node}", "{read run}", "{poll log}", "{stream log}?streamMode=debug, with and without Last-Event-ID",
		"{stream log}?streamMode=debug&bufferMs= (drawn)", "{stream log}?streamMode=debug,updates and others",
		"{stream log}?streamMode=debug (Accept: application/json)",
	},
	Dimensions: []*scenarios.Dimension{held, resumptions, past},
	Run: func(ctx context.Context, c *scenarios.Conn, o *StreamsObservation) {
		h := host.Host{Conn: c}
		way := finite(h)
		o.Way = way.Fixture
		r := h.Create(ctx, "create the run", way.Request(nil))
		if o.Log = r.Finish(ctx, "log"); !o.Log.Ended.Reached || len(o.Log.Events) < 2 {
			return
		}
		o.After, o.Garbled, o.HoldMs = cursor(h, o.Log), "x"+h.Marker(), h.Draw(held)
		if o.Full = hearOut(ctx, r, listenIn{label: "stream", patience: c.Patience}); !o.Full.Closed.Reached {
			return // the others would take as long
		}
		hearAgain(ctx, r, o)
	},
}

// hearAgain streams the run in further ways, and requests it as JSON.
func hearAgain(ctx context.Context, r *host.Run, o *StreamsObservation) {
	last := strconv.FormatInt(host.Sequence(o.Log.Last()), 10)
	for _, way := range []struct {
		in  listenIn
		out *Listening
	}{
		{listenIn{label: "stream from a random event on", after: strconv.FormatInt(o.After, 10), patience: r.Patience}, &o.Resumed},
		// No text says that a host closes a stream with nothing left to send, so
		// the drive does not wait for that.
		{listenIn{label: "stream from the last event on", after: last, patience: min(r.Patience, time.Second)}, &o.AtEnd},
		{listenIn{label: "stream from an id that is none", after: o.Garbled, patience: r.Patience}, &o.Unparsed},
		{listenIn{label: "stream in batches", parameter: holding(o.HoldMs), patience: r.Patience}, &o.Batched},
	} {
		*way.out = hearOut(ctx, r, way.in)
	}
	reply := r.Send(ctx, wire.Call{Operation: dialect.StreamLog.Of(r.ID).With("streamMode", "debug"), Label: "list"})
	o.List = PollPage{After: -1, Status: reply.StatusValue(), Body: reply.Value("")}
	hearPlaces(ctx, r, o)
	hearLists(ctx, r, o)
	if r.Depth > scenarios.Quick && o.Batched.Closed.Reached {
		hearFurther(ctx, r, o)
		hearMoved(ctx, r.Host, o)
		o.Asked = hearAsked(ctx, r.Host)
	}
}

// hearFurther resumes a stream in batches, and opens one in each mode that shows less than all.
func hearFurther(ctx context.Context, r *host.Run, o *StreamsObservation) {
	after := cursor(r.Host, o.Log)
	o.GoneOn = Place{after, hearOut(ctx, r, listenIn{label: "stream in batches behind " + strconv.FormatInt(after, 10),
		after: strconv.FormatInt(after, 10), parameter: holding(o.HoldMs), patience: r.Patience})}
	for _, mode := range []string{"updates", "messages", "values"} {
		heard := hearOut(ctx, r, listenIn{label: "stream in the mode " + mode, mode: mode, patience: r.Patience})
		o.Alone = append(o.Alone, ModeList{mode, heard})
	}
}

// holding is the parameter that asks for a buffer of so many milliseconds.
func holding(ms int) wire.Parameter { return wire.Parameter{Name: "bufferMs", Value: strconv.Itoa(ms)} }

// hearMoved listens in batches to a run that stands still, and moves it when it has heard the first: there are several then.
func hearMoved(ctx context.Context, h host.Host, o *StreamsObservation) {
	s, _, ok := anotherStill(ctx, h)
	if !ok {
		return
	}
	listening, hangUp := context.WithCancel(ctx)
	defer hangUp()
	ear := newEar()
	hold := holding(h.Between(20, 200))
	h.AtOnce(ctx,
		func(context.Context) {
			defer close(ear.gone)
			o.InBatches = hear(listening, s.Run, listenIn{label: "listen in batches", parameter: hold, heard: ear.heard})
		},
		func(ctx context.Context) {
			defer hangUp()
			ear.await(ctx, min(s.Patience, 2*time.Second), func(frames int) bool { return frames > 0 })
			if reply := s.move(ctx); !reply.Success() {
				return
			}
			if o.Moved = s.Finish(ctx, "log of the run that was moved"); o.Moved.Ended.Reached {
				ear.await(ctx, s.Patience, func(int) bool { return false }) // until the host closes the stream
			}
		})
}

// hearPlaces resumes the stream behind the first event, behind drawn ones and beyond the end.
func hearPlaces(ctx context.Context, r *host.Run, o *StreamsObservation) {
	n := len(o.Log.Events)
	at := map[int64]bool{host.Sequence(o.Log.Events[0]): true, host.Sequence(o.Log.Events[n-2]): true}
	for _, i := range r.Rand.Perm(n - 1)[:min(n-1, r.Draw(resumptions))] {
		at[host.Sequence(o.Log.Events[i])] = true
	}
	places := append(slices.Sorted(maps.Keys(at)), host.Sequence(o.Log.Last())+int64(r.Draw(past)))
	for _, after := range places {
		in := listenIn{label: "stream behind " + strconv.FormatInt(after, 10), after: strconv.FormatInt(after, 10), patience: r.Patience}
		if after > host.Sequence(o.Log.Last()) {
			in.patience = min(r.Patience, time.Second)
		}
		o.Places = append(o.Places, Place{after, hearOut(ctx, r, in)})
	}
}

// hearLists opens the stream in several modes at once, in every order of two.
func hearLists(ctx context.Context, r *host.Run, o *StreamsObservation) {
	others := []string{"updates", "messages"}
	r.Rand.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	for _, modes := range []string{others[0] + ",debug", "debug," + others[1], others[1] + "," + others[0] + ",debug"} {
		heard := hearOut(ctx, r, listenIn{label: "stream in the modes " + modes, mode: modes, patience: r.Patience})
		o.Lists = append(o.Lists, ModeList{modes, heard})
	}
}
