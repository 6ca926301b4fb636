package interrupts_test

import (
	"slices"
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfQuestions(t *testing.T) {
	wait := waitingRun("r").then("waiting-input")
	given := func(marker string) gateRun {
		return wait.resolved(map[string]any{"answers": map[string]any{"q": marker, "n": 1234567}})
	}
	type O = interrupts.QuestionsObservation
	honest := func(t *testing.T) O {
		return O{Gate: wait.gate(t), Misfits: []interrupts.Response{responded(t, 422, "misfit", wait), responded(t, 400, "", wait)},
			Barrier: sentinelEnded(t), Later: wait.log(t),
			Given: []string{"mapped", "1234567"}, Mapped: responded(t, 200, "mapped"), End: given("mapped").log(t),
			Second: wait.gate(t), Listed: responded(t, 200, "listed"), SecondEnd: given("listed").log(t), Third: wait.gate(t),
			Empty: responded(t, 422, "", wait)}
	}
	upstream := func(end gateRun) func(*O) {
		return func(o *O) { o.Ours, o.Misfits, o.End = false, nil, end.log(t) }
	}
	lost := given("mapped").shows("variables",
		map[string]any{}).without("interrupt.resolved").without("node.resumed").without("node.completed")
	judgeAll(t, honest, []spoilt[O]{
		{"honest", "answers-reach", nil, "passed"},
		{"loses them", "answers-reach", func(o *O) { o.End = lost.log(t) }, openwop.OWPINT21},
		{"shows them on the log alone", "answers-reach", func(o *O) {
			o.End = given("mapped").without("node.completed").shows("variables", map[string]any{"answer": "another"}).log(t)
		}, openwop.OWPINT21},
		{"loses one of them", "answers-reach", func(o *O) { o.Given[1] = "7654321" }, openwop.OWPINT21},
		{"stands still", "answers-reach", func(o *O) { o.End.Ended.Reached = false }, openwop.OWPINT21},
		{"refuses them in both forms", "answers-reach", func(o *O) {
			o.Mapped, o.Listed = responded(t, 422, "mapped"), responded(t, 422, "listed")
		}, openwop.OWPINT21},
		{"refuses them, when a misfit has moved it", "answers-reach", func(o *O) {
			o.Mapped, o.Later = responded(t, 409, "mapped"), given("misfit").log(t)
		}, "blocked"},
		{"knows lists alone", "answers-reach", func(o *O) { o.Mapped = responded(t, 422, "mapped") }, "passed"},
		{"knows lists alone and loses them", "answers-reach", func(o *O) {
			o.Mapped, o.SecondEnd = responded(t, 422, "mapped"), lost.log(t)
		}, openwop.OWPINT21},
		{"upstream's shows them", "answers-reach", upstream(given("mapped 1234567")), "passed"},
		{"upstream's shows nothing", "answers-reach", upstream(lost), "blocked"},

		{"honest", "answers-fit", nil, "passed"},
		{"takes one", "answers-fit", func(o *O) { o.Misfits[1] = responded(t, 200, "", given("")) }, openwop.OWPINT22},
		{"hides its log after one, and takes another", "answers-fit", func(o *O) {
			o.Misfits[0].After.Read, o.Misfits[1] = wiretest.Status(t, 500), responded(t, 200, "", given(""))
		}, openwop.OWPINT22},
		{"hides its log after one", "answers-fit", func(o *O) { o.Misfits[0].After.Read = wiretest.Status(t, 500) }, "blocked"},
		{"refuses one and goes on", "answers-fit", func(o *O) { o.Misfits[0] = responded(t, 422, "misfit", given("misfit")) }, openwop.OWPINT13},
		{"goes on behind it", "answers-fit", func(o *O) { o.Later = given("misfit").log(t) }, openwop.OWPINT13},
		{"no schema", "answers-fit", upstream(given("mapped")), "blocked"},

		{"honest", "answers-missing", nil, "passed"},
		{"honest", "answers-as-list", nil, "passed"},
		{"knows one form", "answers-as-list", func(o *O) { o.Listed = responded(t, 422, "listed") }, "passed"},
		{"cannot be run", "answers-as-list", func(o *O) { o.Gate = wait.then("failed").gate(t) }, "blocked"},
	})
	t.Run("an answer that says nothing is told", func(t *testing.T) {
		o := honest(t)
		o.Empty = responded(t, 200, "", given(""))
		if got := hosttest.Findings(t, "answers-missing", o); !slices.Contains(got, openwop.OWPINT23) {
			t.Errorf("findings: %v", got)
		}
		o.Listed = responded(t, 422, "listed")
		if got := hosttest.Findings(t, "answers-as-list", o); !slices.Contains(got, openwop.OWPINT24) {
			t.Errorf("findings: %v", got)
		}
	})
}

func TestJudgesOfEvents(t *testing.T) {
	wait := waitingRun("r").then("waiting-external")
	end := wait.resolved(map[string]any{"orderId": "o", "note": "right"})
	type O = interrupts.EventObservation
	judgeAll(t, func(t *testing.T) O {
		return O{Gate: wait.gate(t), Wrong: []interrupts.Response{responded(t, 422, "w1", wait), responded(t, 422, "w2", wait)},
			Barrier: sentinelEnded(t), Later: wait.log(t),
			Right: responded(t, 200, "right"), End: end.log(t)}
	}, []spoilt[O]{
		{"honest", "event-reaches", nil, "passed"},
		{"loses it", "event-reaches", func(o *O) { o.End = wait.resolved(map[string]any{}).log(t) }, openwop.OWPINT25},
		{"refuses it, when another has moved it", "event-reaches",
			func(o *O) { o.Right, o.Later = responded(t, 409, "right"), end.log(t) }, hosttest.BlockedOn("")},
		{"stands still", "event-reaches", func(o *O) { o.End.Ended.Reached = false }, openwop.OWPINT25},
		{"refuses it", "event-reaches", func(o *O) { o.Right = responded(t, 422, "right") }, openwop.OWPINT25},

		{"honest", "event-mismatch", nil, "passed"},
		{"takes another", "event-mismatch", func(o *O) { o.Wrong[0] = responded(t, 200, "w1", end) }, openwop.OWPINT26},
		{"refuses it with 404", "event-mismatch", func(o *O) { o.Wrong[1] = responded(t, 404, "w2", wait) }, openwop.OWPINT26},
		{"refuses it and goes on", "event-mismatch", func(o *O) { o.Wrong[1] = responded(t, 422, "w2", end) }, openwop.OWPINT13},
		{"goes on later", "event-mismatch", func(o *O) { o.Later = end.log(t) }, openwop.OWPINT13},
		{"keeps what it refused", "event-mismatch", func(o *O) { o.End = wait.resolved(map[string]any{"note": "right w2"}).log(t) },
			openwop.OWPINT13},
		{"takes none", "event-mismatch", func(o *O) { o.Right = responded(t, 422, "right") }, "blocked"},
	})
}

func TestJudgesOfVotes(t *testing.T) {
	wait := waitingRun("r")
	voted := wait.then("waiting-approval", hosttest.Event{Kind: "approval.granted", Payload: map[string]any{"gateId": gateNode,
		"principal": "p"}})
	end := voted.resolved(saying("accept", "v3"))
	ballot := func(t *testing.T, end gateRun, votes ...interrupts.Response) interrupts.Ballot {
		return interrupts.Ballot{Gate: wait.gate(t), Required: 3, Votes: votes, End: end.log(t)}
	}
	minds := func(t *testing.T, ends ...gateRun) (out []interrupts.Ballot) {
		for _, end := range ends {
			out = append(out, ballot(t, end, responded(t, 200, "m1"), responded(t, 409, "m2"), responded(t, 200, "m3"), responded(t, 200, "m4")))
		}
		return out
	}
	type O = interrupts.QuorumObservation
	mixed := func(o *O) {
		o.Mixed = ballot(t, end, responded(t, 200, "m1", voted), responded(t, 200, "m2", voted), responded(t, 200, "m3", end))
	}
	judgeAll(t, func(t *testing.T) O {
		return O{All: ballot(t, end, responded(t, 200, "v1", voted), responded(t, 200, "v2", voted), responded(t, 200, "v3")),
			Alone: ballot(t, end, responded(t, 200, "a1"), responded(t, 409, "a2"), responded(t, 200, "a3"), responded(t, 409, "a4"),
				responded(t, 200, "v2", voted), responded(t, 200, "v3")),
			Repeats: 4, Barrier: sentinelEnded(t), Later: voted.log(t)}
	}, []spoilt[O]{
		{"honest", "quorum", nil, "passed"},
		{"two are enough", "quorum", func(o *O) { o.All.Votes[1] = responded(t, 200, "v2", end) }, openwop.OWPINT27},
		{"one is enough", "quorum", func(o *O) { o.All.Votes[0] = responded(t, 200, "v1", end) }, openwop.OWPINT27},
		{"three are not enough", "quorum", func(o *O) { o.All.End = voted.log(t); o.All.End.Ended.Reached = false }, openwop.OWPINT27},
		{"three fail", "quorum", func(o *O) { o.All.End = wait.rejected().log(t) }, openwop.OWPINT27},
		{"replays the votes", "quorum", func(o *O) { o.All.End, o.Replayed = end.log(t), end.log(t) }, "passed"},
		{"replays them as somebody else's", "quorum", func(o *O) {
			o.All.End, o.Replayed = end.log(t), wait.then("waiting-approval", hosttest.Event{Kind: "approval.granted",
				Payload: map[string]any{"gateId": gateNode, "principal": "owner"}}).resolved(saying("accept", "v3")).log(t)
		}, openwop.OWPRPL4},
		{"a replay that waits for votes of its own", "quorum", func(o *O) { o.Replayed = wait.log(t) }, "passed"},
		{"tells of no votes, and replays none", "quorum", func(o *O) {
			o.All.End, o.Replayed = end.without("approval.granted").log(t), end.without("approval.granted").log(t)
		}, "passed"},
		{"tells of votes in a replay alone", "quorum", func(o *O) {
			o.All.End, o.Replayed = end.without("approval.granted").log(t), end.log(t)
		}, "passed"},
		{"a key it does not know", "quorum", func(o *O) { o.All.Votes[1] = responded(t, 401, "v2", voted) }, hosttest.BlockedOn("")},

		{"honest", "one-vote-each", nil, "passed"},
		{"one fills it", "one-vote-each", func(o *O) { o.Later = end.log(t) }, openwop.OWPINT28},
		{"one vote is enough", "one-vote-each", func(o *O) { o.Alone.Votes[0], o.Later = responded(t, 200, "a1", end), end.log(t) },
			hosttest.BlockedOn(openwop.OWPINT27)},
		{"falls over", "one-vote-each", func(o *O) { o.Alone.Votes[2] = responded(t, 500, "a3") }, openwop.OWPINT28},
		{"nobody fills it", "one-vote-each", func(o *O) { o.Alone.End.Ended.Reached = false }, hosttest.BlockedOn("")},
		{"the others may not vote", "one-vote-each", func(o *O) { o.Alone.Votes[4] = responded(t, 403, "v2", voted) }, hosttest.BlockedOn("")},
		{"never waited", "one-vote-each", func(o *O) { o.Alone.Gate = end.gate(t) }, hosttest.BlockedOn(openwop.OWPINT6)},
		{"counts the first of two minds", "one-vote-each", func(o *O) { o.Changed = minds(t, voted, end) }, "passed"},
		{"counts neither of two minds", "one-vote-each", func(o *O) { o.Changed = minds(t, voted, voted) }, "passed"},
		{"a change of mind rejects", "one-vote-each", func(o *O) { o.Changed = minds(t, wait.rejected(), wait.rejected()) }, "passed"},
		{"counts both of two minds", "one-vote-each", func(o *O) { o.Changed = minds(t, end, end) }, openwop.OWPINT28},
		{"counts who rejects, and so passes both of two minds", "one-vote-each", func(o *O) {
			mixed(o)
			o.Changed = minds(t, end, end)
		}, "passed"},
		{"a gate of two minds never waited", "one-vote-each", func(o *O) {
			o.Changed = minds(t, end, voted)
			o.Changed[1].Gate = end.gate(t)
		}, hosttest.BlockedOn(openwop.OWPINT6)},
	})
	type V = interrupts.VetoObservation
	for scenario, id := range map[string]string{"majority-rejects": openwop.OWPINT29, "single-veto": openwop.OWPINT30} {
		judgeAll(t, func(t *testing.T) V {
			return V{Ballot: ballot(t, wait.rejected(), responded(t, 200, "v1", voted), responded(t, 200, "v2"))}
		}, []spoilt[V]{
			{"honest", scenario, nil, "passed"},
			{"completes", scenario, func(o *V) { o.End = wait.resolved(saying("reject", "")).log(t) }, "passed"},
			{"the first is enough", scenario, func(o *V) { o.Votes[0] = responded(t, 200, "v1", wait.rejected()) }, id},
			{"takes it for a yes", scenario, func(o *V) { o.End = end.log(t) }, id},
			{"stands still", scenario, func(o *V) { o.End.Ended.Reached = false }, id},
			{"a voter that it does not know", scenario, func(o *V) { o.Votes[1] = responded(t, 401, "v2") }, "blocked"},
		})
	}
}

func TestJudgesOfCredentials(t *testing.T) {
	wait := waitingRun("r")
	end := wait.resolved(saying("accept", "yes"))
	type A = interrupts.TokenAloneObservation
	judgeAll(t, func(t *testing.T) A {
		return A{Gate: wait.gate(t), Token: responded(t, 401, "tok"), Barrier: sentinelEnded(t), Later: wait.log(t),
			Accepted: responded(t, 200, "yes"), End: end.log(t)}
	}, []spoilt[A]{
		{"honest", "credential-needed", nil, "passed"},
		{"takes the token", "credential-needed", func(o *A) { o.Token, o.Later = responded(t, 200, "tok"), end.log(t) }, openwop.OWPINT31},
		{"refuses it and goes on", "credential-needed", func(o *A) { o.Later = end.log(t) }, openwop.OWPINT31},
		{"refuses it and keeps it", "credential-needed", func(o *A) { o.End = wait.resolved(saying("accept", "yes tok")).log(t) },
			openwop.OWPINT31},
		{"nobody can answer", "credential-needed", func(o *A) { o.Accepted = responded(t, 403, "yes") }, "blocked"},
	})
	type S = interrupts.ScopeObservation
	judgeAll(t, func(t *testing.T) S {
		return S{Gate: wait.gate(t), Read: hosttest.Told(t, "read", 200, map[string]any{}), Low: responded(t, 403, "low"),
			Barrier: sentinelEnded(t), Later: wait.log(t), Accepted: responded(t, 200, "yes"), End: end.log(t)}
	}, []spoilt[S]{
		{"honest", "scope-needed", nil, "passed"},
		{"takes it", "scope-needed", func(o *S) { o.Low, o.Later = responded(t, 200, "low"), end.log(t) }, openwop.OWPINT32},
		{"says it is not there", "scope-needed", func(o *S) { o.Low = responded(t, 404, "low") }, openwop.OWPINT32},
		{"refuses it and goes on", "scope-needed", func(o *S) { o.Later = end.log(t) }, openwop.OWPINT32},
		{"a key it does not know", "scope-needed", func(o *S) { o.Read = hosttest.No(t, 401, "unauthenticated") }, "blocked"},
		{"nobody can answer", "scope-needed", func(o *S) { o.Accepted = responded(t, 403, "yes") }, "blocked"},
		{"looks for the run first", "scope-needed", func(o *S) { o.Nowhere = hosttest.No(t, 404, "run_not_found") }, openwop.OWPINT32},
		{"refuses it beside a token", "scope-needed", func(o *S) { o.Beside, o.Token = wait.gate(t), responded(t, 403, "tok", wait) }, "passed"},
		{"takes it for a stranger's beside a token", "scope-needed", func(o *S) {
			o.Beside, o.Token = wait.gate(t), responded(t, 401, "tok", wait)
		}, "passed"},
		{"takes it beside a token", "scope-needed", func(o *S) { o.Beside, o.Token = wait.gate(t), responded(t, 200, "tok", end) },
			openwop.OWPINT32},
		{"refuses it beside a token and goes on", "scope-needed", func(o *S) {
			o.Beside, o.Token = wait.gate(t), responded(t, 403, "tok", end)
		}, openwop.OWPINT32},
	})
}
