package model

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// KeyCount is how many idempotency keys a history has. They differ in little.
const KeyCount = 4

// Bodies are the metadata of the requests for a run, as told. Each is another body than all others.
var Bodies = []string{
	`{"note":"a","n":1}`, `{"note":"A","n":1}`, `{"note":"a","n":2}`, `{"note":"a","n":16777217}`,
	`{"note":"a","n":16777216}`,
	`{"note":"a","n":1,"more":false}`, `{"note":"a","n":1,"more":[]}`, `{"note":"a","n":"1"}`, `{"note":"a ","n":1}`,
	`{"note":"a","n":0.1000000001}`,
	`{"note":"a","n":0.1000000002}`, `{"note":"a","n":[1,2]}`, `{"note":"a","n":[2,1]}`,
}

// Keys are the idempotency keys of two tenants.
type Keys struct {
	Used [2][KeyCount]Key `json:"used"`
}

// Key is what is kept under a key.
type Key struct {
	Used      bool   `json:"used"`
	Ask       int    `json:"ask"`                 // of Bodies
	Reordered bool   `json:"reordered,omitempty"` // its members came in the other order
	Run       string `json:"run"`                 // "" if it is not known
	Kept      string `json:"kept"`                // the reply, as JSON; "" if it is not known
}

// KeyDo is what is done with a key.
type KeyDo string

// The operations.
const (
	AskRun       KeyDo = "create a run"
	AskReordered KeyDo = "create a run, its members in another order,"
	AskStranger  KeyDo = "create a run without a credential"
	LookAtRun    KeyDo = "read the run"
)

// KeyAsk is a step.
type KeyAsk struct {
	Do     KeyDo `json:"do"`
	Key    int   `json:"key"`
	Body   int   `json:"body"`
	Tenant int   `json:"tenant"` // 0: the first, 1: the other
}

// KeySaw is a reply.
type KeySaw struct {
	Status wire.Value `json:"status"`
	Body   wire.Value `json:"body"`
	// Beside: another request of that tenant under that key was under way.
	Beside bool `json:"beside,omitempty"`
	Nobody bool `json:"nobody,omitempty"` // there is no other tenant
	// Asked is the run that was read, "" if none is known.
	Asked string `json:"asked,omitempty"`
	Sent  string `json:"sent,omitempty"` // the whole body, where it is none of [Bodies]
}

type (
	keyStep = history.Step[KeyAsk, KeySaw]
	keyRule = history.Rule[Keys, KeyAsk, KeySaw]
	keyWay  = history.Way[Keys, KeyAsk, KeySaw]
)

func (in KeyAsk) reordered() bool { return in.Do == AskReordered }

func (k Keys) at(in KeyAsk) Key { return k.Used[in.Tenant][in.Key] }

func (k Keys) same(keyStep) Keys { return k }

// KeysModel says what requests under idempotency keys may come to.
var KeysModel = &history.Model[Keys, KeyAsk, KeySaw]{
	Rules: []*keyRule{
		{
			Name: "who has no credential is refused, whatever is kept", Of: scenarios.IDs{openwop.OWPERR1},
			When: func(_ Keys, in KeyAsk) bool { return in.Do == AskStranger },
			Ways: []keyWay{{Must: true, Shows: func(_ Keys, s keyStep) []history.Miss { return refusal(s.Out.Status, 401) }, To: Keys.same}},
		},
		{
			Name: "a run is shown as it was asked for", Of: scenarios.IDs{openwop.OWPERR18},
			When: func(_ Keys, in KeyAsk) bool { return in.Do == LookAtRun },
			Ways: []keyWay{{Must: true, Shows: Keys.look, To: Keys.same}},
		},
		{
			Name: "a request of another tenant is done as if nobody had used its key", Of: scenarios.IDs{openwop.OWPISO5},
			When: func(k Keys, in KeyAsk) bool { return in.Tenant == 1 && !k.at(in).Used },
			Ways: []keyWay{
				{Name: "there is no other tenant", Shows: func(_ Keys, s keyStep) []history.Miss {
					return whether(s.Out.Nobody, "", s.Out.Status, "nothing is asked")
				}, To: Keys.same},
				{Name: "it is made", Must: true, Shows: Keys.fresh, To: Keys.kept},
				{Name: "another is under way", Shows: inFlight, To: Keys.same},
			},
		},
		{
			Name: "a request under a new key is done", Of: scenarios.IDs{openwop.OWPERR18},
			When: func(k Keys, in KeyAsk) bool { return !k.at(in).Used },
			Ways: []keyWay{
				{Name: "it is made", Must: true, Shows: Keys.fresh, To: Keys.kept},
				{Name: "another is under way", Shows: inFlight, To: Keys.same},
			},
		},
		{
			Name: "the same request under the same key is answered as before", Of: scenarios.IDs{openwop.OWPERR18, openwop.OWPERR20},
			When: func(k Keys, in KeyAsk) bool { return k.at(in).Ask == in.Body && k.at(in).Reordered == in.reordered() },
			Ways: []keyWay{
				{Name: "repeated", Must: true, Shows: Keys.again, To: Keys.kept},
				{Name: "another is under way", Shows: inFlight, To: Keys.same},
			},
		},
		{
			Name: "the same request in another order makes no second run", Of: scenarios.IDs{openwop.OWPERR18}, Readings: []string{"OWP-R24"},
			When: func(k Keys, in KeyAsk) bool { return k.at(in).Ask == in.Body },
			Ways: []keyWay{
				{Name: "repeated", Shows: Keys.again, To: Keys.kept},
				{Name: "refused", Shows: func(_ Keys, s keyStep) []history.Miss { return refusal(s.Out.Status, 409) }, To: Keys.same},
			},
		},
		{
			Name: "another request under the same key is refused", Of: scenarios.IDs{openwop.OWPERR19}, Readings: []string{"OWP-R24"},
			When: func(Keys, KeyAsk) bool { return true },
			Ways: []keyWay{{Must: true, Shows: mismatch, To: Keys.same}},
		},
	},
	Tell: tellKey,
}

func inFlight(_ Keys, s keyStep) []history.Miss {
	code, _ := s.Out.Status.Int()
	return whether(s.Out.Beside && code == 409, "", s.Out.Status, "success: the run")
}

// mismatch is the refusal of another body.
func mismatch(_ Keys, s keyStep) []history.Miss {
	if out := refusal(s.Out.Status, 409); out != nil {
		return out
	}
	body := s.Out.Body
	return append(whether(body.Key("error").String() != "", openwop.OWPERR4, body.Key("error"), "a code"),
		whether(body.Key("message").String() != "", openwop.OWPERR4, body.Key("message"), "words")...)
}

// known reports whether a run is kept under some key.
func (k Keys) known(run string) bool {
	for _, t := range k.Used {
		if slices.ContainsFunc(t[:], func(key Key) bool { return key.Run == run }) {
			return true
		}
	}
	return false
}

// fresh: a run was made that no other key has.
func (k Keys) fresh(s keyStep) []history.Miss {
	if out := success(s.Out.Status, "the run"); out != nil {
		return out
	}
	id := s.Out.Body.Key("runId")
	return whether(id.String() != "" && !k.known(id.String()), "", id, "another run than any that was made under another key")
}

// again: the reply is the one that is kept.
func (k Keys) again(s keyStep) []history.Miss {
	kept := k.at(s.In)
	of := scenarios.RequirementID(openwop.OWPERR18)
	if s.Out.Beside {
		of = openwop.OWPERR20
	}
	code, _ := s.Out.Status.Int()
	id := s.Out.Body.Key("runId")
	switch {
	case code/100 != 2:
		return []history.Miss{missOf(of, s.Out.Status, "success: what was answered before")}
	case kept.Run == "":
		return k.fresh(s)
	case id.String() != kept.Run:
		return []history.Miss{missOf(of, id, "the run %s", kept.Run)}
	}
	return whether(s.Out.Body.JSON() == kept.Kept, of, s.Out.Body, "the reply %s", kept.Kept)
}

// kept returns the keys after a request that was done.
func (k Keys) kept(s keyStep) Keys {
	key := &k.Used[s.In.Tenant][s.In.Key]
	if !key.Used {
		key.Used, key.Ask, key.Reordered = true, s.In.Body, s.In.reordered()
	}
	if id := s.Out.Body.Key("runId").String(); id != "" {
		key.Run, key.Kept = id, s.Out.Body.JSON()
	}
	return k
}

// look compares the run that is kept under a key with the request for it.
func (k Keys) look(s keyStep) []history.Miss {
	kept := k.at(s.In)
	if s.Out.Asked == "" || kept.Run == "" { // nothing was read
		return nil
	}
	if out := success(s.Out.Status, "the run"); out != nil {
		return out
	}
	note := s.Out.Body.At("/metadata/note")
	return whether(!note.Present() || note.String() == noteOf(kept.Ask), "", note, "the note %q", noteOf(kept.Ask))
}

func noteOf(body int) string {
	switch body {
	case 1:
		return "A"
	case 8:
		return "a "
	}
	return "a"
}

func tellKey(s keyStep) string {
	who := ""
	if s.In.Tenant == 1 {
		who = "as another tenant, "
	}
	line := fmt.Sprintf("%s%s under key %d", who, s.In.Do, s.In.Key)
	switch {
	case s.Out.Sent != "":
		line += " with " + s.Out.Sent
	case s.In.Do != LookAtRun && s.In.Body < len(Bodies):
		line += " with " + Bodies[s.In.Body]
	}
	switch {
	case s.Lost:
		return line
	case s.Out.Nobody:
		return line + ": there is none"
	case s.In.Do == LookAtRun && s.Out.Asked == "":
		return line + ": none is known"
	}
	return line + fmt.Sprintf(": HTTP %s, run %s", s.Out.Status.JSON(), s.Out.Body.Key("runId").JSON())
}
