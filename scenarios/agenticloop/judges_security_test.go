package agenticloop

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfAllowlists(t *testing.T) {
	none := told{name: "nothing allowed", answer: refusal(false)}
	honest := func() AllowedObservation {
		return AllowedObservation{Control: startR.turn(t), Only: none.turn(t), Tool: "assay-only-tool", Self: none.turn(t), Name: "agentic-loop", Empty: []Turn{none.turn(t), none.turn(t)}}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*AllowedObservation)
		want           string
	}{
		{"allowlist-binds", "the allowed tool", func(o *AllowedObservation) {
			o.Only = told{name: "a", answer: ok(object{"R": running(1, "assay-only-tool")}, request("R", 1, "assay-only-tool"))}.turn(t)
		}, "passed"},
		{"allowlist-binds", "another tool", func(o *AllowedObservation) { o.Only = startR.turn(t) }, agenticloopv2.RFC103G3},
		{"never-itself", "it asks for itself", func(o *AllowedObservation) {
			o.Self = told{name: "a", answer: ok(object{"R": running(1, "agentic-loop")}, request("R", 1, "agentic-loop"))}.turn(t)
		}, agenticloopv2.RFC103G2},
		{"never-itself", "it starts itself", func(o *AllowedObservation) {
			o.Self = told{name: "a", answer: ok(nil, object{"type": "agentic.start", "payload": object{"goal": "g"}})}.turn(t)
		}, agenticloopv2.RFC103G2},
		{"never-itself", "it passes for a tool", func(o *AllowedObservation) {
			o.Self = told{name: "a", answer: ok(nil, object{"type": "agentic.tool_result", "payload": object{}})}.turn(t)
		}, agenticloopv2.RFC103G2},
		{"never-itself", "it asks for itself under another name", func(o *AllowedObservation) {
			e := request("R", 1, "agentic-loop")
			e["type"] = "agentic.tool_request.fetch"
			o.Self = told{name: "a", answer: ok(runR, e)}.turn(t)
		}, agenticloopv2.RFC103G2},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "security/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "security/"+c.scenario, o, c.want)
		})
	}
	o := honest()
	if out := expect(t, "security/no-allowlist-no-tool", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Empty[1] = startR.turn(t)
	if out := expect(t, "security/no-allowlist-no-tool", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("an agent that fails open: findings %v", out.Findings)
	}
}

func TestJudgesOfForbiddenTools(t *testing.T) {
	refused := told{name: "refused", answer: refusal(false)}
	honest := func() ForbiddenObservation {
		return ForbiddenObservation{Control: startR.turn(t), Tool: "fetch", Wanted: "assay-forbidden", Name: "agentic-loop", First: refused.turn(t), Self: []Turn{refused.turn(t)}, Odd: []Turn{refused.turn(t)}, Told: []Turn{handed(t, "told", ok(runR2, request("R", 2, "fabric")))},
			Names: []string{"../x"}, Later: handed(t, "later", ok(object{"R": over("escalated", 1)}, escalation("R", "tool_not_allowed")))}
	}
	odd := request("R", 1, "fetch")
	odd["type"] = "agentic.tool_request.../x"
	for _, c := range []struct {
		scenario, name string
		change         func(*ForbiddenObservation)
		want           string
	}{
		{"forbidden-tool-refused", "it is asked for", func(o *ForbiddenObservation) {
			o.First = told{name: "a", answer: ok(object{"R": running(1, "assay-forbidden")}, request("R", 1, "assay-forbidden"))}.turn(t)
		}, agenticloopv2.RFC103G3},
		{"forbidden-tool-refused", "to be tried again", func(o *ForbiddenObservation) { o.First = told{name: "a", answer: refusal(true)}.turn(t) }, agenticloopv2.RFC103G3},
		{"forbidden-tool-refused", "it is asked for later", func(o *ForbiddenObservation) {
			o.Later = handed(t, "later", ok(object{"R": running(2, "assay-forbidden")}, request("R", 2, "assay-forbidden")))
		}, agenticloopv2.RFC103G3},
		{"forbidden-tool-refused", "it is given up with an error, and asked for later", func(o *ForbiddenObservation) {
			given := copied(gaveUp)
			given["status"], given["error"], given["retry"] = "error", "no", false
			o.First = told{name: "a", answer: given}.turn(t)
			o.Later = handed(t, "later", ok(object{"R": running(2, "assay-forbidden")}, request("R", 2, "assay-forbidden")))
		}, agenticloopv2.RFC103G3},
		{"forbidden-tool-refused", "the result is passed over", func(o *ForbiddenObservation) { o.Later = handed(t, "later", ok(nil)) }, "blocked"},
		{"forbidden-tool-refused", "the seam does not steer", func(o *ForbiddenObservation) { o.Tool = "jina-reader" }, "blocked"},
		{"forbidden-tool-refused", "later cannot be steered", func(o *ForbiddenObservation) { o.Later, o.Cut = Turn{}, "no" }, "blocked"},
		{"never-itself-on-wish", "it asks for itself", func(o *ForbiddenObservation) {
			o.Self[0] = told{name: "a", answer: ok(object{"R": running(1, "agentic-loop")}, request("R", 1, "agentic-loop"))}.turn(t)
		}, agenticloopv2.RFC103G2},
		{"tool-names", "a path of a result", func(o *ForbiddenObservation) {
			o.Told = []Turn{handed(t, "told", ok(object{"R": running(2, "../x")}, odd))}
		}, agenticloopv2.RFC103READ12},
		{"tool-names", "a path", func(o *ForbiddenObservation) { o.Odd[0] = told{name: "a", answer: ok(runR, odd)}.turn(t) }, agenticloopv2.RFC103READ12},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "security/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "security/"+c.scenario, o, c.want)
		})
	}
}

func TestAPlannerWithoutAnAllowlist(t *testing.T) {
	refused := told{name: "refused", answer: refusal(false)}
	o := ForbiddenObservation{Control: startR.turn(t), Tool: "fetch", Empty: []Turn{refused.turn(t), refused.turn(t)}}
	if out := expect(t, "security/no-allowlist-no-tool-on-wish", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Empty[0] = startR.turn(t)
	if out := expect(t, "security/no-allowlist-no-tool-on-wish", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Tool = "jina-reader"
	expect(t, "security/no-allowlist-no-tool-on-wish", o, "blocked")
}

func TestJudgesOfSpoofing(t *testing.T) {
	honest := func() SpoofedObservation {
		return SpoofedObservation{Start: startR.turn(t), Pending: pending{"R", 1, "fetch"}, Result: handed(t, "a result", ok(runR2, request("R", 2, "fabric"))), Steered: startR.turn(t),
			Spoof: spoof{"spoofed", 77, "assay-spoofed-tool", "assay-spoofed-command", "1999-01-01T00:00:00Z"}}
	}
	start := func(key string, value any) Turn {
		e := request("R", 1, "fetch")
		e["payload"].(object)[key] = value
		return told{name: "spoofed", answer: ok(runR, e)}.turn(t)
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*SpoofedObservation)
		want           string
	}{
		{"reserved-keys", "the run", func(o *SpoofedObservation) { o.Start = start("run_id", "spoofed") }, agenticloopv2.RFC103K3},
		{"reserved-keys", "the step", func(o *SpoofedObservation) { o.Start = start("step", 77) }, agenticloopv2.RFC103K3},
		{"reserved-keys", "the tool", func(o *SpoofedObservation) { o.Start = start("tool", "assay-spoofed-tool") }, agenticloopv2.RFC103K3},
		{"reserved-keys", "the command", func(o *SpoofedObservation) { o.Start = start("tool_command", "assay-spoofed-command") }, agenticloopv2.RFC103K3},
		{"reserved-keys", "the time is told", func(o *SpoofedObservation) { o.Start = start("requested_at", "1999-01-01T00:00:00Z") }, "passed"},
		{"reserved-keys", "two runs", func(o *SpoofedObservation) {
			o.Start = told{name: "a", answer: ok(object{"R": running(1, "fetch"), "spoofed": running(1, "fetch")}, request("R", 1, "fetch"))}.turn(t)
		}, agenticloopv2.RFC103K3},
		{"reserved-keys", "the run is not kept", func(o *SpoofedObservation) {
			o.Start = told{name: "a", answer: ok(object{}, request("R", 1, "fetch"))}.turn(t)
		}, "blocked"},
		{"reserved-keys", "no request", func(o *SpoofedObservation) { o.Start = told{name: "a", answer: ok(nil)}.turn(t) }, "blocked"},
		{"reserved-arguments", "the step", func(o *SpoofedObservation) { o.Steered = start("step", 77) }, agenticloopv2.RFC103K3},
		{"reserved-arguments", "they cannot be chosen", func(o *SpoofedObservation) { o.Unpicked = "no seam" }, "blocked"},
		{"reserved-arguments", "no request", func(o *SpoofedObservation) { o.Steered = told{name: "a", answer: refusal(false)}.turn(t) }, agenticloopv2.RFC103K3},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "security/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "security/"+c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfSecrets(t *testing.T) {
	honest := func() SecretsObservation {
		return SecretsObservation{Start: startR.turn(t), Result: handed(t, "a result", ok(runR2, request("R", 2, "fabric"))), Failure: handed(t, "a failure", gaveUp), Refused: handed(t, "an unknown event", refusal(false)),
			Canaries: map[string]string{"config": "canary-c", "environment": "canary-e", "secrets": "canary-s"}, Other: "canary-o", Files: wiretest.Value(t, object{"plan.md": object{"kind": "file", "text": "a plan"}})}
	}
	leaking := func(change func(answer object)) Turn {
		answer := ok(runR2, request("R", 2, "fabric"))
		change(answer)
		return handed(t, "a result", answer)
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*SecretsObservation)
		want           string
	}{
		{"secrets-kept", "in a request", func(o *SecretsObservation) {
			o.Result = leaking(func(a object) { a["events"].([]object)[0]["payload"].(object)["url"] = "x canary-c" })
		}, agenticloopv2.RFC103READ10},
		{"secrets-kept", "in a log", func(o *SecretsObservation) {
			o.Result = leaking(func(a object) { logged(a, "info")["logs"].([]any)[0].(object)["message"] = "canary-e" })
		}, agenticloopv2.RFC103READ10},
		{"secrets-kept", "as a name", func(o *SecretsObservation) {
			o.Result = leaking(func(a object) { a["result"] = object{"canary-s": 1} })
		}, agenticloopv2.RFC103READ10},
		{"secrets-kept", "in the state", func(o *SecretsObservation) {
			o.Result = leaking(func(a object) { a["state_updates"].(object)["config"] = "canary-c" })
		}, agenticloopv2.RFC103READ10},
		{"secrets-kept", "another run, told", func(o *SecretsObservation) { o.Result = leaking(func(a object) { a["result"] = "canary-o" }) }, agenticloopv2.RFC103READ10},
		{"secrets-kept", "another run, kept", func(o *SecretsObservation) {
			o.Result = leaking(func(a object) { a["state_updates"].(object)["other"] = "canary-o" })
		}, "passed"},
		{"secrets-kept", "on standard error", func(o *SecretsObservation) {
			o.Failure = told{name: "a failure", before: runR, answer: gaveUp, errors: "key canary-s was refused"}.turn(t)
		}, agenticloopv2.RFC103READ10},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			expect(t, "security/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			expect(t, "security/"+c.scenario, o, c.want)
		})
	}
	o := honest()
	if out := expect(t, "security/secrets-out-of-files", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Files = wiretest.Value(t, object{"plan.md": object{"kind": "file", "text": "a plan with canary-e"}})
	if out := expect(t, "security/secrets-out-of-files", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Files = wire.Value{}
	expect(t, "security/secrets-out-of-files", o, "blocked")
}

func TestJudgesOfTraps(t *testing.T) {
	o := TrapObservation{Start: startR.turn(t), Result: handed(t, "the result", ok(runR2, request("R", 2, "fabric"))), Ignored: handed(t, "ignored", ok(nil)), Trap: wiretest.Value(t, object{}), Asked: []int{1, 1, 0}}
	expect(t, "security/no-nested-dispatch", o, "passed")
	o.Asked[2] = 1
	if out := expect(t, "security/no-nested-dispatch", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Trap = wiretest.Value(t, object{"ductile": object{"kind": "file"}})
	expect(t, "security/no-nested-dispatch", o, agenticloopv2.RFC103N2)
}
