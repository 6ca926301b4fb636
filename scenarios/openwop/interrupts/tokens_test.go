package interrupts_test

import (
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfTokens(t *testing.T) {
	first, second := waitingRun("a"), waitingRun("b")
	end := first.resolved(saying("accept", "used"))
	shown := func(t *testing.T, life time.Duration) host.Answered {
		return hosttest.Told(t, "what is behind the token", 200, map[string]any{"kind": "approval", "key": "k-1",
			"expiresAt": gateStart.Add(life).Format(time.RFC3339Nano),
			"data":      map[string]any{"actions": []string{"accept", "reject"}, "artifactData": map[string]any{"text": "draft"}}})
	}
	type O = interrupts.TokensObservation
	rows := []spoilt[O]{
		{"hides it", "token-shows", func(o *O) { o.Other = hosttest.No(t, 404, "not_found") }, openwop.OWPINT36},
		{"asks for a key", "token-shows", func(o *O) { o.Inspected = hosttest.No(t, 401, "unauthenticated") }, openwop.OWPINT36},
		{"shows another draft", "token-shows", func(o *O) { o.Draft = "another" }, openwop.OWPINT36},
		{"shows no end", "token-shows", func(o *O) {
			o.Inspected = hosttest.Told(t, "it", 200, map[string]any{"kind": "approval", "key": "k",
				"data": map[string]any{"actions": []string{"accept", "reject"}}})
		}, openwop.OWPINT36},

		{"refuses it", "token-answers", func(o *O) { o.Used = responded(t, 401, "used") }, openwop.OWPINT37},
		{"stands still", "token-answers", func(o *O) { o.FirstEnd.Ended.Reached = false }, openwop.OWPINT37},
		{"was answered by one that nobody made", "token-answers", func(o *O) {
			o.Forged[0], o.Used = responded(t, 200, "f1", end), responded(t, 409, "used")
		}, hosttest.BlockedOn(openwop.OWPINT39)},
		{"loses what was said", "token-answers", func(o *O) { o.FirstEnd = first.resolved(saying("accept", "")).log(t) }, openwop.OWPINT37},

		{"takes it twice", "token-spent", func(o *O) { o.Again = responded(t, 200, "again", end) }, openwop.OWPINT38},
		{"refuses it and changes", "token-spent", func(o *O) { o.Again = responded(t, 409, "again", first.rejected()) }, openwop.OWPINT38},
		{"takes it when it is cancelled", "token-spent", func(o *O) { o.Late = responded(t, 200, "late", second.cancelled()) }, openwop.OWPINT38},
		{"wakes a cancelled run", "token-spent", func(o *O) {
			o.Late = responded(t, 409, "late", second.cancelled().then("running", ofGate("node.started", nil)))
		}, openwop.OWPINT38},
		{"cannot cancel", "token-spent", func(o *O) { o.Cancelled = hosttest.No(t, 501, "capability_not_provided") }, hosttest.BlockedOn("")},
		{"takes no token", "token-spent", func(o *O) { o.Used = responded(t, 404, "used") }, hosttest.BlockedOn("")},

		{"takes a forged one", "token-own", func(o *O) { o.Forged[1] = responded(t, 200, "f2", first) }, openwop.OWPINT39},
		{"falls over one", "token-own", func(o *O) { o.Forged[1] = responded(t, 500, "f2", first) }, openwop.OWPINT39},
		{"refuses a forged one and goes on", "token-own", func(o *O) { o.Forged[0] = responded(t, 404, "f1", end) }, openwop.OWPINT39},
		{"keeps a forged one", "token-own", func(o *O) { o.FirstEnd = first.resolved(saying("accept", "used f1")).log(t) }, openwop.OWPINT39},
		{"answers both runs", "token-own", func(o *O) { o.Untouched = second.resolved(saying("accept", "used")).log(t) }, openwop.OWPINT4},

		{"answers the other run alone", "token-own", func(o *O) {
			o.Untouched, o.FirstEnd.Ended.Reached = second.resolved(saying("accept", "used")).log(t), false
		}, openwop.OWPINT4},

		{"outlives its interrupt", "token-life", func(o *O) { o.Inspected = shown(t, 30*time.Minute) }, openwop.OWPINT40},
		{"has ended already", "token-life", func(o *O) { o.Inspected = shown(t, -time.Hour) }, openwop.OWPINT40},
		{"is made a while after the suspension", "token-life", func(o *O) { o.Inspected = shown(t, 2*time.Minute+3*time.Second) }, "passed"},
		{"has no end", "token-life", func(o *O) { o.Inspected = hosttest.Told(t, "it", 200, map[string]any{}) }, openwop.OWPINT40},
		{"is not shown", "token-life", func(o *O) { o.Other = hosttest.No(t, 404, "not_found") }, hosttest.BlockedOn(openwop.OWPINT36)},
		{"no time was chosen", "token-life", func(o *O) { o.Timeout = 0 }, "blocked"},
	}
	for _, scenario := range []string{"token-shows", "token-answers", "token-spent", "token-own", "token-life"} {
		rows = append(rows, spoilt[O]{"honest", scenario, nil, "passed"}, spoilt[O]{"never waited", scenario,
			func(o *O) { o.Second = end.gate(t) }, hosttest.BlockedOn(openwop.OWPINT6)})
	}
	judgeAll(t, func(t *testing.T) O {
		return O{First: first.gate(t), Second: second.gate(t), Timeout: 2 * time.Minute, Draft: "draft",
			Inspected: shown(t, 2*time.Minute), Other: shown(t, 30*time.Minute),
			Forged: []interrupts.Response{responded(t, 404, "f1", first), responded(t, 401, "f2", first)}, Barrier: sentinelEnded(t),
			Used: responded(t, 200, "used"), FirstEnd: end.log(t),
			Again: responded(t, 409, "again", end), Untouched: second.log(t), Cancelled: hosttest.Told(t, "cancel", 200, map[string]any{}),
			SecondEnd: second.cancelled().log(t),
			Late:      responded(t, 409, "late", second.cancelled())}
	}, rows)
}

func TestJudgesOfExpiry(t *testing.T) {
	wait := waitingRun("r")
	const timeout = 250 * time.Millisecond
	over := func(after time.Duration) gateRun {
		r := wait.rejected()
		r.at = map[int]time.Duration{4: after, 5: after, 6: after}
		return r
	}
	requestedAgain := func(timeoutMs any) hosttest.Event {
		payload := map[string]any{"kind": "approval", "key": "again", "actions": []any{"accept", "reject", "ask"}}
		if timeoutMs != nil {
			payload["timeoutMs"] = timeoutMs
		}
		return ofGate("interrupt.requested", payload)
	}
	waitsAgain := wait.then("waiting-approval", requestedAgain(250))
	type O = interrupts.ExpiredObservation
	askedAbout := func(end gateRun) func(*O) {
		return func(o *O) {
			o.Asked = interrupts.AskedExpired{Gate: wait.gate(t), Asked: responded(t, 200, "why"), End: end.log(t)}
		}
	}
	judgeAll(t, func(t *testing.T) O {
		return O{Gate: wait.gate(t), Timeout: timeout, End: over(timeout).log(t), AtNode: responded(t, 410, "late", over(timeout)),
			Tokened: true, Token: responded(t, 410, "token", over(timeout))}
	}, []spoilt[O]{
		{"honest", "expires", nil, "passed"},
		{"a little late", "expires", func(o *O) { o.End = over(time.Second).log(t) }, "passed"},
		{"over before it was shown", "expires", func(o *O) { o.Gate = over(timeout).gate(t) }, "passed"},
		{"over at once", "expires", func(o *O) { o.Gate, o.End = over(0).gate(t), over(0).log(t) }, openwop.OWPINT44},
		{"never waited", "expires", func(o *O) {
			o.Gate = wait.without("node.suspended").without("interrupt.requested").then("failed").gate(t)
		}, "blocked"},
		{"too early", "expires", func(o *O) { o.End = over(timeout / 2).log(t) }, openwop.OWPINT44},
		{"suspended after it began to wait", "expires", func(o *O) {
			r := over(timeout)
			r.at[2], r.at[3] = 100*time.Millisecond, 100*time.Millisecond
			o.End = r.log(t)
		}, "passed"},
		{"writes whole seconds", "expires", func(o *O) { o.End = over(0).inSeconds(t) }, "passed"},
		{"says how long it was to wait, and nothing else", "expires", func(o *O) {
			asked := wait.shows("variables", map[string]any{"timeoutMs": 250, "actions": []any{"reject"}})
			end := asked.then("completed", hosttest.Event{Kind: "run.completed", Payload: nil})
			end.at = map[int]time.Duration{4: timeout}
			o.Gate, o.End = asked.gate(t), end.log(t)
		}, openwop.OWPINT44},
		{"never says that it waits, and never ends", "expires", func(o *O) { o.Suspended.Reached, o.End.Ended.Reached = false, false },
			"blocked"},
		{"waits, and the log is silent until it ends", "expires", func(o *O) {
			o.Gate = wait.without("node.suspended").without("interrupt.requested").gate(t)
		}, "passed"},
		{"never", "expires", func(o *O) { o.End = wait.log(t); o.End.Ended.Reached = false }, openwop.OWPINT44},
		{"hides its log", "expires", func(o *O) { o.End.Read = wiretest.Status(t, 500) }, "blocked"},
		{"accepts it by itself", "expires", func(o *O) { o.End = wait.resolved(saying("accept", "")).log(t) }, openwop.OWPINT44},
		{"rejects what was asked about", "expires", askedAbout(waitsAgain.rejected()), "passed"},
		{"accepts what was asked about", "expires", askedAbout(waitsAgain.resolved(saying("accept", ""))), openwop.OWPINT44},
		{"lets what was asked about wait for ever", "expires", func(o *O) {
			askedAbout(waitsAgain)(o)
			o.Asked.End.Ended.Reached = false
		}, openwop.OWPINT44},
		{"lets what was asked about wait, and shows no time", "expires", func(o *O) {
			askedAbout(wait.then("waiting-approval", requestedAgain(nil)))(o)
			o.Asked.End.Ended.Reached = false
		}, "passed"},
		{"was not asked about in time", "expires", askedAbout(wait.resolved(saying("accept", ""))), "passed"},

		{"honest", "expired", nil, "passed"},
		{"has no tokens", "expired", func(o *O) { o.Tokened, o.Token = false, interrupts.Response{} }, "passed"},
		{"takes it at its node", "expired", func(o *O) { o.AtNode = responded(t, 200, "late", over(timeout)) }, openwop.OWPINT45},
		{"refuses it and wakes", "expired",
			func(o *O) { o.AtNode = responded(t, 410, "late", wait.resolved(saying("accept", "late"))) }, openwop.OWPINT45},
		{"knows the token no more", "expired", func(o *O) { o.Token = responded(t, 404, "token", over(timeout)) }, "passed"},
		{"takes the token", "expired", func(o *O) { o.Token = responded(t, 200, "token", over(timeout)) }, openwop.OWPINT45},
		{"never ends", "expired", func(o *O) { o.End.Ended.Reached = false }, hosttest.BlockedOn(openwop.OWPINT44)},
	})
}

func TestJudgesOfRaces(t *testing.T) {
	wait := waitingRun("r")
	end := wait.resolved(saying("accept", "m2"))
	type O = interrupts.ApprovalRaceObservation
	judgeAll(t, func(t *testing.T) O {
		return O{Gate: wait.gate(t), Rivals: []interrupts.Response{responded(t, 409, "m1"), responded(t, 200, "m2"),
			responded(t, 404, "m3")}, Barrier: sentinelEnded(t), End: end.log(t), Later: end.log(t)}
	}, []spoilt[O]{
		{"honest", "rivals", nil, "passed"},
		{"two win", "rivals", func(o *O) { o.Rivals[2] = responded(t, 200, "m3") }, openwop.OWPINT3},
		{"none wins", "rivals", func(o *O) { o.Rivals[1] = responded(t, 409, "m2") }, openwop.OWPINT3},
		{"none may answer", "rivals", func(o *O) {
			for i := range o.Rivals {
				o.Rivals[i] = responded(t, 403, "m")
			}
		}, "blocked"},
		{"goes on with another's", "rivals", func(o *O) { o.End = wait.resolved(saying("accept", "m3")).log(t) }, openwop.OWPINT3},
		{"goes on twice", "rivals", func(o *O) {
			o.End = end.then("completed", ofGate("node.completed", map[string]any{}), hosttest.Event{Kind: "run.completed",
				Payload: map[string]any{}}).log(t)
		}, openwop.OWPINT3},
		{"goes on again later", "rivals",
			func(o *O) { o.Later = end.then("completed", ofGate("node.completed", map[string]any{})).log(t) }, openwop.OWPINT3},
	})

	type R = interrupts.CancelRaceObservation
	cancelWins := func(t *testing.T) R {
		return R{Gate: wait.gate(t), Accepted: responded(t, 409, "m"), Cancel: hosttest.Told(t, "cancel", 200,
			map[string]any{"status": "cancelled"}), End: wait.cancelled().log(t), Barrier: sentinelEnded(t), Later: wait.cancelled().log(t)}
	}
	answerWins := func(t *testing.T) R {
		return R{Gate: wait.gate(t), Accepted: responded(t, 200, "m2"), Cancel: hosttest.Told(t, "cancel", 200,
			map[string]any{"status": "completed"}), End: end.log(t), Barrier: sentinelEnded(t), Later: end.log(t)}
	}
	type C = interrupts.CancelRaces
	race := func(spoil func(*R), of func(*testing.T) R) func(*C) {
		return func(o *C) {
			r := of(t)
			spoil(&r)
			o.Races = append(o.Races, r)
		}
	}
	judgeAll(t, func(t *testing.T) C { return C{Races: []R{cancelWins(t), answerWins(t)}} }, []spoilt[C]{
		{"honest", "cancel-or-answer", nil, "passed"},
		{"cancelled behind the answer", "cancel-or-answer", race(func(o *R) {
			both := wait.then("cancelled", ofGate("interrupt.resolved", map[string]any{}), ofGate("node.resumed", nil),
				hosttest.Event{Kind: "run.cancelled", Payload: map[string]any{}})
			o.End, o.Later, o.Cancel = both.log(t), both.log(t), hosttest.Told(t, "cancel", 200, map[string]any{"status": "cancelled"})
		}, answerWins), "passed"},
		{"both win", "cancel-or-answer", race(func(o *R) { o.Accepted = responded(t, 200, "m") }, cancelWins), openwop.OWPINT47},
		{"says cancelled and completes", "cancel-or-answer",
			race(func(o *R) { o.Cancel = hosttest.Told(t, "cancel", 200, map[string]any{"status": "cancelled"}) }, answerWins), openwop.OWPINT47},
		{"refuses the answer and takes it", "cancel-or-answer", race(func(o *R) { o.Accepted = responded(t, 409, "m2") }, answerWins),
			openwop.OWPINT47},
		{"two ends", "cancel-or-answer", race(func(o *R) {
			o.End = end.then("completed", hosttest.Event{Kind: "run.cancelled", Payload: map[string]any{}}).log(t)
		}, answerWins), openwop.OWPINT47},
		{"goes on after the cancel", "cancel-or-answer", race(func(o *R) {
			o.Later = wait.cancelled().then("completed", hosttest.Event{Kind: "run.completed", Payload: map[string]any{}}).log(t)
		}, cancelWins), openwop.OWPINT47},
		{"falls over", "cancel-or-answer", race(func(o *R) { o.Accepted = responded(t, 500, "m") }, cancelWins), openwop.OWPINT47},
		{"does not wait", "cancel-or-answer", race(func(o *R) { o.Gate = end.gate(t) }, cancelWins), hosttest.BlockedOn(openwop.OWPINT6)},
	})
}

func TestJudgesOfCancelledGates(t *testing.T) {
	wait := waitingRun("r")
	gone := wait.cancelled()
	type O = interrupts.GateCancelledObservation
	judgeAll(t, func(t *testing.T) O {
		return O{Gate: wait.gate(t), Cancel: hosttest.Told(t, "cancel", 200, map[string]any{}), End: gone.log(t),
			AtNode: responded(t, 410, "late", gone), Barrier: sentinelEnded(t), Later: gone.log(t)}
	}, []spoilt[O]{
		{"honest", "cancelled", nil, "passed"},
		{"takes it", "cancelled", func(o *O) { o.AtNode = responded(t, 200, "late", gone) }, openwop.OWPINT46},
		{"refuses it and wakes", "cancelled",
			func(o *O) { o.AtNode = responded(t, 410, "late", wait.resolved(saying("accept", "late"))) }, openwop.OWPINT46},
		{"wakes later", "cancelled", func(o *O) {
			o.Later = gone.then("completed", hosttest.Event{Kind: "run.completed", Payload: map[string]any{}}).log(t)
		}, openwop.OWPINT46},
		{"cannot be cancelled", "cancelled", func(o *O) { o.Cancel = hosttest.No(t, 404, "not_found") }, "blocked"},
	})
	type C = interrupts.CascadeObservation
	judgeAll(t, func(t *testing.T) C {
		return C{Created: hosttest.MadeRun(t, "p"), Child: wait.gate(t), Cancel: hosttest.Told(t, "cancel", 200, map[string]any{}),
			End: gone.log(t), Late: responded(t, 410, "late"), Barrier: sentinelEnded(t), Later: gone.log(t)}
	}, []spoilt[C]{
		{"honest", "cascade", nil, "passed"},
		{"leaves the child", "cascade", func(o *C) { o.End = wait.log(t); o.End.Ended.Reached = false }, openwop.OWPINT48},
		{"the child fails", "cascade", func(o *C) { o.End = wait.rejected().log(t) }, openwop.OWPINT48},
		{"takes the answer", "cascade", func(o *C) { o.Late = responded(t, 200, "late") }, openwop.OWPINT48},
		{"the child wakes", "cascade", func(o *C) { o.Later = wait.resolved(saying("accept", "late")).log(t) }, openwop.OWPINT48},
		{"has no child", "cascade", func(o *C) { o.Child.Suspended = wire.Wait{Last: wiretest.Value(t, map[string]any{})} },
			hosttest.BlockedOn("")},
		{"makes no parent", "cascade", func(o *C) { o.Created = hosttest.No(t, 404, "not_found") }, hosttest.BlockedOn(openwop.OWPCAP19)},
	})
}
