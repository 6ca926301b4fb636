package retry

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// NotifyObservation is a suspension whose ladder names our webhook, and whose context holds values that must not be
// sent there.
type NotifyObservation struct {
	Suspension host.Suspension `json:"suspension"`
	Canaries   []string        `json:"canaries"`  // those values
	Question   string          `json:"question"`  // an ordinary word of the question
	Addresses  []string        `json:"addresses"` // of persons, in the question
	Attempts   int             `json:"attempts"`
	Arrived    wire.Wait       `json:"arrived"` // for a first notification, which is Last
	Received   wire.Values     `json:"received"`
	Lapse      host.Lapse      `json:"lapse"`
	Look       host.Look       `json:"look"`
}

// SeenAs implements [scenarios.Seer]. The judge looks at what came, however the time passed.
func (o NotifyObservation) SeenAs() scenarios.Evidence { return scenarios.Observed }

// secretMembers are members of a context that clearly hold a secret or personal data.
var secretMembers = []string{"password", "api_key", "access_token", "email", "phone", "ssn"}

var notify = &scenarios.Drive[NotifyObservation]{
	ID: "openintent/notify", Title: "has reminders go to a webhook of ours, of a suspension whose context holds secrets",
	Sends: append([]string{"what the target sends: POST to a listener on the loopback interface"}, courseSends[:5]...),
	Waits: 3 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *NotifyObservation) {
		if !c.OnThisMachine() {
			scenarios.End(scenarios.Block("the target is on another machine and cannot reach our listener",
				"certify it on the machine that it runs on"))
		}
		s := host.Open(ctx, c)
		inbox := c.Listen(ctx)
		defer inbox.Close()
		secrets := map[string]any{"order": s.Name("order")}
		for _, m := range secretMembers {
			canary := s.Token()
			if m == "email" {
				canary += "@example.com"
			}
			secrets[m] = canary
			o.Canaries = append(o.Canaries, canary)
		}
		nested := s.Token()
		secrets["customer"] = map[string]any{"credentials": map[string]any{"secret": nested}}
		o.Canaries = append(o.Canaries, nested)
		w := newWatch(s, false)
		o.Question = s.Name("question")
		asked := o.Question
		for range 3 {
			o.Addresses = append(o.Addresses, s.Name("person")+"@example.com")
			asked += ", " + o.Addresses[len(o.Addresses)-1]
		}
		if o.Attempts = 2; w.usesSeam() {
			o.Attempts += 2
		}
		var ladder []any
		for n := 2; n <= o.Attempts; n++ {
			ladder = append(ladder, map[string]any{
				"attempt": n, "channel_hint": "webhook", "notify_to": fmt.Sprintf("%s/reminders/%d", inbox.URL, n),
			})
		}
		i, sus := w.suspend(ctx, "notified", s.Question("text").With(map[string]any{"context": secrets, "question": asked + "?"}).
			Retried(o.Attempts, w.interval, map[string]any{"escalation_ladder": ladder}))
		o.Suspension = sus
		o.Lapse = w.waitUntil(ctx, w.intervals(float64(o.Attempts-1))+grace)
		o.Lapse.Seam = w.usesSeam()
		o.Arrived = c.Await(ctx, "a reminder comes to the webhook", func(context.Context) (wire.Value, bool) {
			got := inbox.Received()
			if len(got) == 0 {
				return wire.Value{}, false
			}
			return got[0], true
		})
		o.Look = i.Look(ctx, "after the reminder")
		if o.Arrived.Reached && o.Attempts > 2 {
			c.Await(ctx, "the last reminder comes to the webhook", func(context.Context) (wire.Value, bool) {
				got := inbox.Received()
				return got[len(got)-1], len(got) >= o.Attempts-1
			})
		}
		o.Received = inbox.Received()
	},
}

// StrangerObservation is a suspension whose ladder names somebody on no allowlist.
type StrangerObservation struct {
	Stranger   string          `json:"stranger"`
	Record     host.Reply      `json:"record"` // the reply to the write of the record
	Suspension host.Suspension `json:"suspension"`
	Reached    wire.Wait       `json:"reached"` // for the reminder, which is due in any case
	Look       host.Look       `json:"look"`
}

var stranger = &scenarios.Drive[StrangerObservation]{
	ID: "openintent/stranger", Title: "has a step of the ladder name somebody whom no allowlist has",
	Sends: courseSends[:5], Waits: 3 * time.Second,
	Run: func(ctx context.Context, c *scenarios.Conn, o *StrangerObservation) {
		s := host.Open(ctx, c)
		w := newWatch(s, false)
		i := s.NewIntent(ctx, "stranger", host.Active, nil)
		o.Stranger = s.Name("nobody") + "@stranger.invalid"
		step := map[string]any{"attempt": 2, "channel_hint": "email", "notify_to": o.Stranger}
		r := s.Question("text").Retried(2, w.interval, map[string]any{"escalation_ladder": []any{step}})
		if o.Record = i.Patch(ctx, "_suspension", r, "write a record that names a stranger"); !o.Record.Ok() {
			return
		}
		o.Suspension = i.Suspend(ctx, r)
		w.intents, w.began = append(w.intents, i), w.Now()
		w.waitUntil(ctx, w.intervals(1)+grace)
		o.Reached = w.reminded(ctx, i, 2)
		o.Look = i.Look(ctx, "after the reminder")
	},
}
