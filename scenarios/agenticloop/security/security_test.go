package security_test

import (
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/hosttest"
	"github.com/openassay/assay/scenarios/agenticloop/security"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestJudgesOfAllowlists(t *testing.T) {
	none := hosttest.Told{Name: "nothing allowed", Answer: hosttest.Refusal(false)}
	honest := func() security.AllowedObservation {
		only := hosttest.Turn(t, "only", nil, hosttest.Ok(host.Object{"R": hosttest.Running(1, "assay-only-tool")},
			hosttest.Request("R", 1, "assay-only-tool")))
		return security.AllowedObservation{Control: hosttest.StartR.Turn(t), Only: only, Default: only,
			Both: hosttest.StartR.Turn(t), Tool: "assay-only-tool", Self: none.Turn(t), Name: "agentic-loop",
			Empty: []host.Turn{none.Turn(t), none.Turn(t)}}
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*security.AllowedObservation)
		want           string
	}{
		{"allowlist-binds", "the allowed tool", func(o *security.AllowedObservation) {
			o.Only = hosttest.Turn(t, "a", nil,
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "assay-only-tool")},
					hosttest.Request("R", 1, "assay-only-tool")))
		}, "passed"},
		{"allowlist-binds", "another tool, which is the default", func(o *security.AllowedObservation) {
			o.Default = hosttest.StartR.Turn(t)
		}, agenticloop.RFC103G3},
		{"allowlist-binds", "another tool", func(o *security.AllowedObservation) {
			o.Only = hosttest.StartR.Turn(t)
		}, agenticloop.RFC103G3},
		{"allowlist-binds", "it asks for nothing", func(o *security.AllowedObservation) { o.Only = none.Turn(t) }, "passed"},
		{"allowlist-binds", "a strange tool beside another is refused", func(o *security.AllowedObservation) {
			o.Both = none.Turn(t)
		}, "blocked"},
		{"never-itself", "what is allowed steers nothing", func(o *security.AllowedObservation) { o.Only = none.Turn(t) }, "blocked"},
		{"never-itself", "it asks for itself", func(o *security.AllowedObservation) {
			o.Self = hosttest.Turn(t, "a", nil,
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "agentic-loop")},
					hosttest.Request("R", 1, "agentic-loop")))
		}, agenticloop.RFC103G2},
		{"never-itself", "it starts itself", func(o *security.AllowedObservation) {
			o.Self = hosttest.Turn(t, "a", nil,
				hosttest.Ok(nil, host.Object{"type": "agentic.start", "payload": host.Object{"goal": "g"}}))
		}, agenticloop.RFC103G2},
		{"never-itself", "it passes for a tool", func(o *security.AllowedObservation) {
			o.Self = hosttest.Turn(t, "a", nil,
				hosttest.Ok(nil, host.Object{"type": "agentic.tool_result", "payload": host.Object{}}))
		}, agenticloop.RFC103G2},
		{"never-itself", "it asks for itself under another name", func(o *security.AllowedObservation) {
			e := hosttest.Request("R", 1, "agentic-loop")
			e["type"] = "agentic.tool_request.fetch"
			o.Self = hosttest.Turn(t, "a", nil, hosttest.Ok(hosttest.RunR, e))
		}, agenticloop.RFC103G2},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "security/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "security/"+c.scenario, o, c.want)
		})
	}
	o := honest()
	if out := hosttest.Expect(t, "security/no-allowlist-no-tool", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Empty[1] = hosttest.StartR.Turn(t)
	if out := hosttest.Expect(t, "security/no-allowlist-no-tool", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("a plugin that fails open: findings %v", out.Findings)
	}
}

func TestJudgesOfForbiddenTools(t *testing.T) {
	refused := hosttest.Told{Name: "refused", Answer: hosttest.Refusal(false)}
	asking := func(name string, before host.Object, step int, tool string) host.Turn {
		return hosttest.Turn(t, name, before, hosttest.Ok(host.Object{"R": hosttest.Running(step, tool)}, hosttest.Request("R", step, tool)))
	}
	honest := func() security.ForbiddenObservation {
		return security.ForbiddenObservation{Control: asking("the start", nil, 1, "assay-forbidden"), Tool: "fetch", Wanted: "assay-forbidden",
			Obeyed: asking("obeyed", hosttest.RunR, 2, "assay-forbidden"),
			Name:   "agentic-loop", First: refused.Turn(t), Self: []host.Turn{refused.Turn(t)},
			Odd: []host.Turn{refused.Turn(t)},
			Told: []host.Turn{
				hosttest.Handed(t, "told", hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric")))},
			Later: hosttest.Handed(t, "later",
				hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1)},
					hosttest.Escalation("R", "tool_not_allowed")))}
	}
	odd := hosttest.Request("R", 1, "fetch")
	odd["type"] = "agentic.tool_request.../x"
	for _, c := range []struct {
		scenario, name string
		change         func(*security.ForbiddenObservation)
		want           string
	}{
		{"forbidden-tool-refused", "it is asked for", func(o *security.ForbiddenObservation) {
			o.First = hosttest.Turn(t, "a", nil,
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "assay-forbidden")},
					hosttest.Request("R", 1, "assay-forbidden")))
		}, agenticloop.RFC103G3},
		{"forbidden-tool-refused", "one is asked for whose name begins as the allowed one", func(o *security.ForbiddenObservation) {
			o.Near = []host.Turn{refused.Turn(t), asking("near", nil, 1, "fetch-more")}
		}, agenticloop.RFC103G3},
		{"forbidden-tool-refused", "a start allows it by itself", func(o *security.ForbiddenObservation) {
			o.Brought = []host.Turn{refused.Turn(t), asking("brought", nil, 1, "assay-forbidden")}
		}, agenticloop.RFC103G3},
		{"forbidden-tool-refused", "a start that allows it asks for what the config allows", func(o *security.ForbiddenObservation) {
			o.Brought = []host.Turn{asking("brought", nil, 1, "fetch")}
		}, "passed"},
		{"forbidden-tool-refused", "the tool that is allowed is asked for instead", func(o *security.ForbiddenObservation) {
			o.Near = []host.Turn{hosttest.StartR.Turn(t)}
		}, "passed"},
		{"forbidden-tool-refused", "to be tried again", func(o *security.ForbiddenObservation) {
			o.First = hosttest.Turn(t, "a", nil, hosttest.Refusal(true))
		}, "passed"},
		{"forbidden-tool-refused", "another tool is asked for", func(o *security.ForbiddenObservation) {
			o.First, o.Later = hosttest.StartR.Turn(t), asking("later", hosttest.RunR, 2, "fetch")
		}, "passed"},
		{"forbidden-tool-refused", "it is asked for nowhere", func(o *security.ForbiddenObservation) {
			o.Control = hosttest.StartR.Turn(t)
		}, "blocked"},
		{"forbidden-tool-refused", "it is not asked for later, though it is allowed", func(o *security.ForbiddenObservation) {
			o.Obeyed = asking("obeyed", hosttest.RunR, 2, "fetch")
		}, "blocked"},
		{"forbidden-tool-refused", "it is given up without a word", func(o *security.ForbiddenObservation) {
			o.Later = hosttest.Handed(t, "later", hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 1)}))
		}, agenticloop.RFC103T9},
		{"forbidden-tool-refused", "it is asked for later", func(o *security.ForbiddenObservation) {
			o.Later = hosttest.Handed(t, "later",
				hosttest.Ok(host.Object{"R": hosttest.Running(2, "assay-forbidden")},
					hosttest.Request("R", 2, "assay-forbidden")))
		}, agenticloop.RFC103G3},
		{"forbidden-tool-refused", "it is given up with an error, and asked for later",
			func(o *security.ForbiddenObservation) {
				given := host.Clone(hosttest.GaveUp)
				given["status"], given["error"], given["retry"] = "error", "no", false
				o.First = hosttest.Turn(t, "a", nil, given)
				o.Later = hosttest.Handed(t, "later",
					hosttest.Ok(host.Object{"R": hosttest.Running(2, "assay-forbidden")},
						hosttest.Request("R", 2, "assay-forbidden")))
			}, agenticloop.RFC103G3},
		{"forbidden-tool-refused", "the result is passed over", func(o *security.ForbiddenObservation) {
			o.Later = hosttest.Handed(t, "later", hosttest.Ok(nil))
		}, agenticloop.RFC103T9},
		{"forbidden-tool-refused", "the seam does not steer", func(o *security.ForbiddenObservation) {
			o.Wanted = "jina-reader"
		}, "blocked"},
		{"forbidden-tool-refused", "later cannot be steered", func(o *security.ForbiddenObservation) {
			o.Later, o.Cut = host.Turn{}, "no"
		}, "blocked"},
		{"never-itself-on-wish", "it asks for itself", func(o *security.ForbiddenObservation) {
			o.Self[0] = hosttest.Turn(t, "a", nil,
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "agentic-loop")},
					hosttest.Request("R", 1, "agentic-loop")))
		}, agenticloop.RFC103G2},
		{"tool-names", "a path of a result", func(o *security.ForbiddenObservation) {
			o.Told = []host.Turn{
				hosttest.Handed(t, "told", hosttest.Ok(host.Object{"R": hosttest.Running(2, "../x")}, odd))}
		}, agenticloop.RFC103READ12},
		{"tool-names", "a path", func(o *security.ForbiddenObservation) {
			o.Odd[0] = hosttest.Turn(t, "a", nil, hosttest.Ok(hosttest.RunR, odd))
		}, agenticloop.RFC103READ12},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "security/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "security/"+c.scenario, o, c.want)
		})
	}
}

func TestAPlannerWithoutAnAllowlist(t *testing.T) {
	refused := hosttest.Told{Name: "refused", Answer: hosttest.Refusal(false)}
	o := security.ForbiddenObservation{Control: hosttest.StartR.Turn(t), Wanted: "fetch",
		Empty: []host.Turn{refused.Turn(t), refused.Turn(t)}}
	if out := hosttest.Expect(t, "security/no-allowlist-no-tool-on-wish", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Empty[0] = hosttest.StartR.Turn(t)
	if out := hosttest.Expect(t, "security/no-allowlist-no-tool-on-wish", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Wanted = "jina-reader"
	hosttest.Expect(t, "security/no-allowlist-no-tool-on-wish", o, "blocked")
}

func TestJudgesOfSpoofing(t *testing.T) {
	honest := func() security.SpoofedObservation {
		return security.SpoofedObservation{Start: hosttest.StartR.Turn(t),
			Pending: host.Pending{Run: "R", Step: 1, Tool: "fetch"},
			Result:  hosttest.Handed(t, "a result", hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric"))),
			Plain:   hosttest.StartR.Turn(t), Marker: "u", Steered: hosttest.StartR.Turn(t),
			Spoof: security.Spoof{Run: "spoofed", Step: 77, Tool: "assay-spoofed-tool",
				Command: "assay-spoofed-command", At: "1999-01-01T00:00:00Z"}}
	}
	start := func(key string, value any) host.Turn {
		e := hosttest.Request("R", 1, "fetch")
		e["payload"].(host.Object)[key] = value
		return hosttest.Turn(t, "spoofed", nil, hosttest.Ok(hosttest.RunR, e))
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*security.SpoofedObservation)
		want           string
	}{
		{"reserved-keys", "the run", func(o *security.SpoofedObservation) {
			o.Start = start("run_id", "spoofed")
		}, agenticloop.RFC103K3},
		{"reserved-keys", "the step", func(o *security.SpoofedObservation) {
			o.Start = start("step", 77)
		}, agenticloop.RFC103K3},
		{"reserved-keys", "the tool", func(o *security.SpoofedObservation) {
			o.Start = start("tool", "assay-spoofed-tool")
		}, agenticloop.RFC103K3},
		{"reserved-keys", "the command", func(o *security.SpoofedObservation) {
			o.Start = start("tool_command", "assay-spoofed-command")
		}, agenticloop.RFC103K3},
		{"reserved-keys", "the time is told", func(o *security.SpoofedObservation) {
			o.Start = start("requested_at", "1999-01-01T00:00:00Z")
		}, "passed"},
		{"reserved-keys", "two runs", func(o *security.SpoofedObservation) {
			o.Start = hosttest.Turn(t, "a", nil,
				hosttest.Ok(host.Object{"R": hosttest.Running(1, "fetch"), "spoofed": hosttest.Running(1, "fetch")},
					hosttest.Request("R", 1, "fetch")))
		}, agenticloop.RFC103K3},
		{"reserved-keys", "the run is not kept", func(o *security.SpoofedObservation) {
			o.Start = hosttest.Turn(t, "a", nil, hosttest.Ok(host.Object{}, hosttest.Request("R", 1, "fetch")))
		}, hosttest.Violates(agenticloop.RFC103P5)},
		{"reserved-keys", "no request", func(o *security.SpoofedObservation) {
			o.Start = hosttest.Turn(t, "a", nil, hosttest.Ok(nil))
		}, hosttest.Violates(agenticloop.RFC103M1)},
		{"reserved-arguments", "the step", func(o *security.SpoofedObservation) {
			o.Steered = start("step", 77)
		}, agenticloop.RFC103K3},
		{"reserved-arguments", "they cannot be chosen", func(o *security.SpoofedObservation) {
			o.Unpicked = "no seam"
		}, "blocked"},
		{"reserved-arguments", "no request", func(o *security.SpoofedObservation) {
			o.Steered = hosttest.Turn(t, "a", nil, hosttest.Refusal(false))
		}, "passed"},
		{"reserved-arguments", "such arguments end the run", func(o *security.SpoofedObservation) {
			o.Steered = hosttest.Turn(t, "a", nil, hosttest.Ok(host.Object{"R": hosttest.Over("escalated", 0)}, hosttest.Escalation("R", "no")))
		}, "passed"},
		{"reserved-arguments", "such arguments are done", func(o *security.SpoofedObservation) {
			o.Steered = hosttest.Turn(t, "a", nil, hosttest.Ok(host.Object{"R": hosttest.Over("done", 0)}, hosttest.Completion("R", 0)))
		}, agenticloop.RFC103K3},
		{"reserved-arguments", "no arguments are taken", func(o *security.SpoofedObservation) {
			o.Marker = "page-of-the-planner"
		}, "blocked"},
		{"reserved-arguments", "nothing that is planned is taken", func(o *security.SpoofedObservation) {
			o.Plain = hosttest.Turn(t, "a", nil, hosttest.Refusal(false))
		}, "blocked"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "security/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "security/"+c.scenario, o, c.want)
		})
	}
}

func TestJudgesOfSecrets(t *testing.T) {
	honest := func() security.SecretsObservation {
		another := hosttest.Running(1, "fetch")
		another["goal"] = "a goal with canary-o"
		return security.SecretsObservation{Start: hosttest.Turn(t, "the start", host.Object{"O": another}, hosttest.StartR.Answer),
			Result:   hosttest.Handed(t, "a result", hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric"))),
			Failure:  hosttest.Handed(t, "a failure", hosttest.GaveUp),
			Refused:  hosttest.Handed(t, "an unknown event", hosttest.Refusal(false)),
			Canaries: map[string]string{"config": "canary-c", "environment": "canary-e", "secrets": "canary-s"},
			Other:    "canary-o",
			Files:    wiretest.Value(t, host.Object{"plan.md": host.Object{"kind": "file", "text": "a plan"}})}
	}
	leaking := func(change func(answer host.Object)) host.Turn {
		answer := hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric"))
		change(answer)
		return hosttest.Handed(t, "a result", answer)
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*security.SecretsObservation)
		want           string
	}{
		{"secrets-kept", "in a request", func(o *security.SecretsObservation) {
			o.Result = leaking(func(a host.Object) {
				a["events"].([]host.Object)[0]["payload"].(host.Object)["url"] = "x canary-c"
			})
		}, agenticloop.RFC103READ10},
		{"secrets-kept", "no other run is there", func(o *security.SecretsObservation) { o.Start = hosttest.StartR.Turn(t) }, "blocked"},
		{"secrets-kept", "in a log", func(o *security.SecretsObservation) {
			o.Result = leaking(func(a host.Object) {
				hosttest.Logged(a, "info")["logs"].([]any)[0].(host.Object)["message"] = "canary-e"
			})
		}, agenticloop.RFC103READ10},
		{"secrets-kept", "as a name", func(o *security.SecretsObservation) {
			o.Result = leaking(func(a host.Object) { a["result"] = host.Object{"canary-s": 1} })
		}, agenticloop.RFC103READ10},
		{"secrets-kept", "in the state", func(o *security.SecretsObservation) {
			o.Result = leaking(func(a host.Object) { a["state_updates"].(host.Object)["config"] = "canary-c" })
		}, agenticloop.RFC103READ10},
		{"secrets-kept", "another run, told", func(o *security.SecretsObservation) {
			o.Result = leaking(func(a host.Object) { a["result"] = "canary-o" })
		}, agenticloop.RFC103READ10},
		{"secrets-kept", "a file of another run, told", func(o *security.SecretsObservation) {
			o.Climbed = []host.Turn{leaking(func(a host.Object) {
				a["events"].([]host.Object)[0]["payload"].(host.Object)["excerpt"] = "canary-o"
			})}
		}, agenticloop.RFC103READ10},
		{"secrets-kept", "a file of another run, refused", func(o *security.SecretsObservation) {
			o.Climbed = []host.Turn{hosttest.Handed(t, "a result", hosttest.Refusal(false))}
		}, "passed"},
		{"secrets-kept", "a key of another type, quoted by its refusal", func(o *security.SecretsObservation) {
			refusal := hosttest.Refusal(false)
			refusal["error"] = "token is no text: [canary-c]"
			o.Misset = []host.Turn{hosttest.StartR.Turn(t), hosttest.Turn(t, "a start", nil, refusal)}
		}, agenticloop.RFC103READ10},
		{"secrets-kept", "a key of another type, told on standard error", func(o *security.SecretsObservation) {
			o.Misset = []host.Turn{hosttest.Told{Name: "a start", Answer: "", Exit: 1, Errors: "TypeError: {'value': 'canary-c'}"}.Turn(t)}
		}, agenticloop.RFC103READ10},
		{"secrets-kept", "a key of another type, refused by its name", func(o *security.SecretsObservation) {
			refusal := hosttest.Refusal(false)
			refusal["error"] = "token is no text, it is a list"
			o.Misset = []host.Turn{hosttest.Turn(t, "a start", nil, refusal)}
		}, "passed"},
		{"secrets-kept", "a key of another type, passed over", func(o *security.SecretsObservation) {
			o.Misset = []host.Turn{hosttest.StartR.Turn(t)}
		}, "passed"},
		{"secrets-kept", "another run, kept", func(o *security.SecretsObservation) {
			o.Result = leaking(func(a host.Object) { a["state_updates"].(host.Object)["other"] = "canary-o" })
		}, "passed"},
		{"secrets-kept", "on standard error", func(o *security.SecretsObservation) {
			o.Failure = hosttest.Told{Name: "a failure", Before: hosttest.RunR, Answer: hosttest.GaveUp,
				Errors: "key canary-s was refused"}.Turn(t)
		}, agenticloop.RFC103READ10},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			hosttest.Expect(t, "security/"+c.scenario, honest(), "passed")
			o := honest()
			c.change(&o)
			hosttest.Expect(t, "security/"+c.scenario, o, c.want)
		})
	}
	o := honest()
	if out := hosttest.Expect(t, "security/secrets-out-of-files", o, "passed"); len(out.Findings) != 0 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Files = wiretest.Value(t, host.Object{"plan.md": host.Object{"kind": "file", "text": "a plan with canary-e"}})
	if out := hosttest.Expect(t, "security/secrets-out-of-files", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
	o.Files = wire.Value{}
	hosttest.Expect(t, "security/secrets-out-of-files", o, "blocked")
}

func TestJudgesOfTraps(t *testing.T) {
	o := security.TrapObservation{Start: hosttest.StartR.Turn(t),
		Result:  hosttest.Handed(t, "the result", hosttest.Ok(hosttest.RunR2, hosttest.Request("R", 2, "fabric"))),
		Ignored: hosttest.Handed(t, "ignored", hosttest.Ok(nil)), Trap: wiretest.Value(t, host.Object{}),
		Asked: []int{1, 1, 0}}
	hosttest.Expect(t, "security/no-nested-dispatch", o, "passed")
	o.Asked[2] = 1
	if out := hosttest.Expect(t, "security/no-nested-dispatch", o, "passed"); len(out.Findings) != 1 {
		t.Errorf("findings %v", out.Findings)
	}
	for _, called := range []string{"ductile", "senechal-gw", "gateway-api"} {
		o.Trap = wiretest.Value(t, host.Object{called: host.Object{"kind": "file"}})
		hosttest.Expect(t, "security/no-nested-dispatch", o, agenticloop.RFC103N2)
	}
	for _, asked := range []string{"ductile-asked", "senechal-gw-asked", "gateway-api-asked"} {
		o.Asked[2], o.Trap = 0, wiretest.Value(t, host.Object{asked: host.Object{"kind": "file", "text": "ductile system skills"}})
		if out := hosttest.Expect(t, "security/no-nested-dispatch", o, "passed"); len(out.Findings) != 1 {
			t.Errorf("%s: findings %v", asked, out.Findings)
		}
	}
}
