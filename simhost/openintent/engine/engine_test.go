package engine

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/ids"
	"github.com/openassay/assay/simhost/refusal"

	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openintent/rules"
)

func TestMain(m *testing.M) {
	testenv.Draws(30)
	goleak.VerifyTestMain(m)
}

var begin = time.Date(2026, 3, 24, 10, 0, 0, 0, time.UTC)

// failing is what the helpers need of a test, or of a property.
type failing interface {
	Helper()
	Fatal(args ...any)
}

// lab is an engine on a clock that stands until it is moved.
type lab struct {
	t failing
	*Engine
	store *eventlog.Store
	clock *clock.Manual
	ctx   context.Context
	sent  []Notice

	agentsNotify bool
}

// openLab opens an engine over a store of its own. The caller calls shut.
func openLab(t failing, dir string) *lab {
	t.Helper()
	l := &lab{t: t, clock: clock.NewManual(begin), ctx: context.Background()}
	var err error
	if l.store, err = eventlog.Open(l.ctx, eventlog.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	l.open()
	return l
}

func (l *lab) open() {
	l.t.Helper()
	var err error
	l.Engine, err = Open(l.ctx, Options{
		Log: l.store, Clock: l.clock, IDs: ids.Random(), Rules: rules.Honest(), Notify: func(n Notice) { l.sent = append(l.sent, n) },
		OnError: func(err error) { l.t.Fatal(err) }, AgentsNotify: l.agentsNotify,
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) shut() {
	l.t.Helper()
	l.Close()
	if err := l.store.Close(); err != nil {
		l.t.Fatal(err)
	}
}

var me = Caller{Name: "me", Key: "key"}

func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// made makes an active intent below another one ("" for none), which waits for others.
func (l *lab) made(title, parent string, deps ...string) string {
	l.t.Helper()
	doc, err := l.Create(l.ctx, me, Make{Title: title, Parent: parent, Status: Active})
	l.must(err)
	for _, dep := range deps {
		v := l.intent(doc.ID).Version
		_, err := l.AddDependency(l.ctx, me, doc.ID, &v, dep)
		l.must(err)
	}
	return doc.ID
}

func (l *lab) intent(id string) openintentv1.Intent {
	l.t.Helper()
	doc, err := l.Intent(l.ctx, id)
	l.must(err)
	return doc
}

func (l *lab) status(id string) string { l.t.Helper(); return string(l.intent(id).Status) }

func (l *lab) to(id, status string) error {
	v := l.intent(id).Version
	_, err := l.SetStatus(l.ctx, me, id, &v, status, nil)
	return err
}

func (l *lab) record(id string, record map[string]any) {
	l.t.Helper()
	v := l.intent(id).Version
	_, err := l.PatchState(l.ctx, me, id, &v, []Patch{{Op: "set", Path: "/_suspension", Value: record}})
	l.must(err)
}

func (l *lab) suspend(id, sid string, more map[string]any) {
	l.t.Helper()
	record := map[string]any{"id": sid, "question": "Go on?", "response_type": "text"}
	maps.Copy(record, more)
	l.record(id, record)
	l.must(l.to(id, Suspended))
}

func (l *lab) answer(id, sid, value string) error {
	raw, _ := json.Marshal(value)
	_, err := l.Respond(l.ctx, me, id, Response{SuspensionID: sid, Value: raw})
	return err
}

// count is how often events of a type are on the log of an intent.
func (l *lab) count(id, kind string) (n int) {
	l.t.Helper()
	docs, err := l.Events(l.ctx, Feed{Intent: id}, Select{Limit: 1000})
	l.must(err)
	for _, d := range docs {
		if d.EventType == kind {
			n++
		}
	}
	return n
}

func (l *lab) wants(id, status string) {
	l.t.Helper()
	if got := l.status(id); got != status {
		l.t.Fatal("the intent is", got, "and should be", status)
	}
}

func refusedWith(err error, code string) bool {
	r := refusal.In(err)
	return r != nil && r.Code == code
}

// policy is a retry policy as a caller writes it.
func policy(attempts, interval int) map[string]any {
	return map[string]any{"max_attempts": json.Number(string(rune('0' + attempts))),
		"interval_seconds": json.Number(string(rune('0' + interval)))}
}

// A suspension is reminded of at its interval, and abandoned in the end, on a clock that never sleeps.
func TestRemindersAndExpiry(t *testing.T) {
	l := openLab(t, "")
	defer l.shut()
	a := l.made("a", "")
	l.suspend(a, "s", map[string]any{"timeout_seconds": json.Number("5"), "retry_policy": policy(3, 5)})
	for i, want := range []int{0, 1, 2} {
		if got := l.count(a, "intent.suspension_renotified"); got != want {
			t.Errorf("after %d intervals there are %d reminders, want %d", i, got, want)
		}
		l.wants(a, Suspended)
		l.clock.Advance(5 * time.Second)
	}
	l.wants(a, Abandoned)
	if n := l.count(a, "intent.suspension_expired"); n != 1 {
		t.Errorf("%d expired events", n)
	}
	if len(l.sent) != 3 {
		t.Errorf("%d notifications went out, want 3", len(l.sent))
	}
	if err := l.answer(a, "s", "yes"); !refusedWith(err, "not_suspended") {
		t.Errorf("a late answer: %v", err)
	}
}

// What waits is on the log: an engine that is opened again reminds and expires as the first one would have.
func TestTimersOutliveTheEngine(t *testing.T) {
	l := openLab(t, t.TempDir())
	defer l.shut()
	a := l.made("a", "")
	b := l.made("b", "", a)
	l.suspend(a, "s", map[string]any{"timeout_seconds": json.Number("5"), "retry_policy": policy(2, 5),
		"fallback_policy": "complete_with_fallback", "fallback_value": "FB"})
	l.wants(b, Blocked)
	l.clock.Advance(5 * time.Second)
	l.Close()
	l.clock.Advance(time.Second)
	if n := len(l.sent); n != 2 {
		t.Fatalf("%d notifications before the end", n)
	}
	l.open()
	l.wants(a, Suspended)
	l.clock.Advance(4 * time.Second)
	l.wants(a, Active)
	l.wants(b, Blocked)
	var record map[string]any
	l.must(json.Unmarshal(l.intent(a).State["_suspension"], &record))
	if record["response"] != "FB" || record["resolution"] != "expired" {
		t.Errorf("the record is %v", record)
	}
	l.must(l.to(a, Completed))
	l.wants(b, Active)
}

// What fell due while no engine was there happens when one is.
func TestWhatFellDueMeanwhileHappens(t *testing.T) {
	l := openLab(t, "")
	defer l.shut()
	a := l.made("a", "")
	l.suspend(a, "s", map[string]any{"timeout_seconds": json.Number("5")})
	l.Close()
	l.clock.Advance(time.Minute)
	l.open()
	deadline := time.Now().Add(testenv.Patience(5 * time.Second)) // what is due at once runs in a goroutine of its own
	for l.status(a) != Abandoned && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	l.wants(a, Abandoned)
}

// The seam moves one intent, and leaves others and the host alone.
func TestAdvanceMovesOneIntent(t *testing.T) {
	l := openLab(t, "")
	defer l.shut()
	a, b := l.made("a", ""), l.made("b", "")
	for _, id := range []string{a, b} {
		l.suspend(id, "s-"+id, map[string]any{"timeout_seconds": json.Number("9")})
	}
	now, err := l.Advance(l.ctx, a, "", 10*time.Second)
	l.must(err)
	if want := begin.Add(10 * time.Second); !now.Equal(want) {
		t.Errorf("it is %v there, want %v", now, want)
	}
	l.wants(a, Abandoned)
	l.wants(b, Suspended)
	if _, err := l.Advance(l.ctx, "nobody", "", time.Second); !refusedWith(err, "not_found") {
		t.Errorf("an unknown intent: %v", err)
	}
}

// The deadline of a portfolio goes before the end of a suspension that falls due with it (RFC-0026 rule 5).
func TestDeadlineGoesBeforeTheFallback(t *testing.T) {
	l := openLab(t, "")
	defer l.shut()
	a := l.made("a", "")
	at := begin.Add(5 * time.Second).Format(time.RFC3339)
	p, err := l.CreatePortfolio(l.ctx, me, openintentv1.CreatePortfolioRequest{
		Name: "p", CreatedBy: "me", Governance: &openintentv1.GovernancePolicy{Deadline: &at},
	})
	l.must(err)
	_, err = l.AddMember(l.ctx, me, p.ID, a, "")
	l.must(err)
	l.suspend(a, "s", map[string]any{"timeout_seconds": json.Number("5"), "fallback_policy": "complete_with_fallback", "fallback_value": "FB"})
	_, err = l.Advance(l.ctx, "", p.ID, 6*time.Second)
	l.must(err)
	l.wants(a, Abandoned)
	if got := l.intent(a).AbandonmentReason; got == nil || *got != "portfolio_deadline_exceeded" {
		t.Errorf("abandonment_reason is %v", got)
	}
	if n := l.count(a, "intent.suspension_expired"); n != 1 {
		t.Errorf("%d expired events", n)
	}
	doc, err := l.Portfolio(l.ctx, p.ID)
	l.must(err)
	if doc.AggregateStatus.Status != "failed" || *doc.HasSuspendedMembers {
		t.Errorf("the portfolio is %+v", doc)
	}
}

// Of eight answers at once one is taken, and it is the one that is kept.
func TestOneOfManyAnswersWins(t *testing.T) {
	l := openLab(t, "")
	defer l.shut()
	for range 20 {
		a := l.made("a", "")
		l.suspend(a, "s", nil)
		values := []string{"one", "two", "three", "four", "five", "six", "seven", "eight"}
		won := make(chan string, len(values))
		done := make(chan struct{})
		for _, v := range values {
			go func() {
				if l.answer(a, "s", v) == nil {
					won <- v
				}
				done <- struct{}{}
			}()
		}
		for range values {
			<-done
		}
		if len(won) != 1 {
			t.Fatalf("%d answers were taken", len(won))
		}
		winner := <-won
		var record map[string]any
		l.must(json.Unmarshal(l.intent(a).State["_suspension"], &record))
		if record["response"] != winner || l.count(a, "intent.resumed") != 1 {
			t.Fatalf("%s won, and the record is %v", winner, record)
		}
	}
}

// An append that fails leaves nothing behind: what was decided is forgotten.
func TestAFailedAppendIsForgotten(t *testing.T) {
	l := openLab(t, "")
	a := l.made("a", "")
	store := l.store
	l.o.Log = broken{store}
	if err := l.to(a, Completed); !errors.Is(err, errBroken) {
		t.Fatalf("error is %v", err)
	}
	l.o.Log = store
	l.wants(a, Active)
	l.shut()
}

var errBroken = errors.New("the disk is gone")

type broken struct{ *eventlog.Store }

func (broken) Append(context.Context, string, uint64, []byte) (uint64, error) { return 0, errBroken }
