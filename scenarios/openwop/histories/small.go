package histories

import (
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore/lockstep"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/model"
)

// Small returns small worlds of all kinds, for tests that walk through the whole of them.
func Small() []lockstep.Small {
	return []lockstep.Small{
		smallFile(), twoFiles(), smallKeys(), smallGoal(),
		smallPushed("a goal with a heartbeat", model.ByHeartbeat, claims.GoalsHeartbeat),
		smallPushed("a goal with a commitment", model.ByCommitment, claims.GoalsCommitment),
		smallLoop(), smallDoubt(), smallWait(), smallGate(), smallNoop(),
	}
}

type (
	fileWorld = lockstep.World[model.Files, model.FileAsk, model.FileSaw]
	keyWorld  = lockstep.World[model.Keys, model.KeyAsk, model.KeySaw]
	runWorld  = lockstep.World[model.Run, model.RunAsk, model.RunSaw]
	goalWorld = lockstep.World[model.Goal, model.GoalAsk, model.GoalSaw]
)

func smallFile() lockstep.Small {
	return &fileWorld{
		Name: "a file", Kind: files, Scenario: filesExplained, Plain: plainFiles,
		Begin: model.Files{Versioned: true, MaxBytes: 64, Keeps: 3}, On: filesOn,
		Looks: 1, Steps: []model.FileAsk{
			{Do: model.GetFile}, {Do: model.PutFile}, {Do: model.PutFile, If: model.CurrentEtag, Text: model.Text{N: 1}, Type: "text/plain"},
			{Do: model.PutFile, If: model.FormerEtag}, {Do: model.PutFile, If: model.InventedEtag}, {Do: model.PutFile, If: model.AnyEtag},
			{Do: model.PutFile, Text: model.Text{Kind: model.TooLarge}},
			{Do: model.PutFile, If: model.CurrentEtag, Text: model.Text{Kind: model.TooLarge}},
			{Do: model.PutOdd}, {Do: model.PutStray}, {Do: model.DropFile}, {Do: model.ListFiles},
			{Do: model.GetVersion}, {Do: model.GetVersion, Back: 1}, {Do: model.GetVersion, Back: -1},
			{Do: model.GetForeign}, {Do: model.DropForeign},
		},
	}
}

// twoFiles are files side by side, one below what is the beginning of the other's path.
func twoFiles() lockstep.Small {
	return &fileWorld{
		Name: "two files", Kind: files, Scenario: filesExplained, Plain: plainFiles,
		Begin: model.Files{}, On: filesOn,
		Looks: 2, Steps: []model.FileAsk{
			{Do: model.GetFile}, {Do: model.GetFile, Path: 2}, {Do: model.PutFile}, {Do: model.PutFile, Path: 2},
			{Do: model.PutFile, Path: 2, If: model.OtherEtag}, {Do: model.DropFile}, {Do: model.DropFile, Path: 2},
			{Do: model.ListFiles, Path: 4}, {Do: model.GetVersion},
		},
	}
}

func filesOn(_ model.Files, d scenarios.Discovery) model.Files { return files.Begin(nil, d) }

func plainFiles(f model.Files) model.Files {
	for i := range f.Files {
		file := &f.Files[i]
		file.Etag, file.Former = "", [len(file.Former)]string{}
	}
	return f
}

func smallKeys() lockstep.Small {
	return &keyWorld{
		Name: "keys", Kind: keys, Scenario: keysExplained,
		Looks: 1, Steps: []model.KeyAsk{
			{Do: model.LookAtRun}, {Do: model.AskRun}, {Do: model.AskRun, Body: 1}, {Do: model.AskReordered}, {Do: model.AskRun, Key: 1},
			{Do: model.AskRun, Tenant: 1},
			{Do: model.AskReordered, Tenant: 1, Body: 1}, {Do: model.AskStranger}, {Do: model.LookAtRun, Tenant: 1},
		},
		Plain: func(k model.Keys) model.Keys {
			for t := range k.Used {
				for i := range k.Used[t] {
					k.Used[t][i].Run, k.Used[t][i].Kept = "", ""
				}
			}
			return k
		},
	}
}

// smallGoal is a goal that either of its bounds may end.
func smallGoal() lockstep.Small {
	return &goalWorld{
		Name: "a goal", Kind: goals, Scenario: goalsExplained,
		Begin: model.Goal{State: model.GoalActive, Escalate: true, MaxRuns: 4, MaxCost: 501},
		On: func(g model.Goal, d scenarios.Discovery) model.Goal {
			_, g.Escalate = claims.GoalsEscalation.Look(d)
			return g
		},
		Looks: 2, Steps: []model.GoalAsk{
			{Do: model.ReadGoal}, {Do: model.ReadTrail}, {Do: model.TickGoal, Cost: 250, Sure: 50}, {Do: model.TickGoal, Sure: -1},
			{Do: model.TickGoal, Satisfied: true, Sure: 100},
			{Do: model.TickGoal, Stuck: true}, {Do: model.ListGoals, N: 1}, {Do: model.ListGoals, N: 3},
			{Do: model.ReadGoalRun}, {Do: model.EditGoal, N: 1}, {Do: model.RestateGoal}, {Do: model.ForceGoal}, {Do: model.CompleteGoal},
			{Do: model.PauseGoal}, {Do: model.ResumeGoal}, {Do: model.AbandonGoal}, {Do: model.ForeignGoal},
		},
		Plain: plainGoal, Over: func(g model.Goal) bool { return g.Open },
	}
}

// smallPushed is a goal whose runs a heartbeat or a commitment starts, as well as ticks.
func smallPushed(name string, mode model.GoalMode, claim scenarios.Claim) lockstep.Small {
	return &goalWorld{
		Name: name, Kind: goals, Scenario: goalsExplained,
		Begin: model.Goal{State: model.GoalActive, Mode: mode, MaxRuns: 3},
		On: func(g model.Goal, d scenarios.Discovery) model.Goal {
			if _, claimed := claim.Look(d); !claimed {
				g.Mode = model.ByHand
			}
			return g
		},
		Looks: 2, Steps: []model.GoalAsk{
			{Do: model.ReadGoal}, {Do: model.ReadTrail}, {Do: model.PushGoal}, {Do: model.TickGoal, Sure: 50}, {Do: model.PauseGoal},
			{Do: model.ResumeGoal}, {Do: model.AbandonGoal},
		},
		Plain: plainGoal, Over: func(g model.Goal) bool { return g.Open },
	}
}

func plainGoal(g model.Goal) model.Goal {
	g.Named, g.Last = [len(g.Named)]string{}, ""
	return g
}

// smallLoop asks a worker, then a person, and ends.
func smallLoop() lockstep.Small {
	return runOf("a loop", looping(0, model.LoopTurn{Workers: [3]int{1}}, model.LoopTurn{Asks: true}))
}

// smallDoubt is not sure of its second turn, behind which its bound is.
func smallDoubt() lockstep.Small {
	return runOf("a loop that doubts",
		looping(2, model.LoopTurn{Workers: [3]int{1}}, model.LoopTurn{Workers: [3]int{2, 1}, Doubt: true, Sure: 2}))
}

// smallWait asks a worker that ends when it is cancelled, then one that fails.
func smallWait() lockstep.Small {
	return runOf("a loop that waits for a worker",
		looping(0, model.LoopTurn{Workers: [3]int{4}}, model.LoopTurn{Workers: [3]int{3, 1}}))
}

// smallGate waits for an approval.
func smallGate() lockstep.Small {
	return runOf("an approval", model.Loop{
		Form: model.Gate, Workflow: fixture.Approval, N: 1, Turns: [9]model.LoopTurn{{Asks: true}}, Rejects: true,
	})
}

// smallNoop does nothing.
func smallNoop() lockstep.Small {
	return runOf("a node that does nothing", model.Loop{Form: model.Noop, Workflow: fixture.Noop})
}

// looping is a loop with these turns, which ends in the next.
func looping(bound int, turns ...model.LoopTurn) model.Loop {
	l := model.Loop{Form: model.Looping, Workflow: fixture.Loop, N: len(turns) + 1, Bound: bound, Workers: [8]model.Worker{
		{Name: fixture.Echo, Ends: model.Completes}, {Name: fixture.EchoAgain, Ends: model.Completes},
		{Name: fixture.Fail, Ends: model.Fails}, {Name: fixture.Wait, Ends: model.Lasts},
	}}
	copy(l.Turns[:], turns)
	return l
}

func runOf(name string, l model.Loop) *runWorld {
	w := &runWorld{
		Name: name, Kind: runs, Scenario: runsExplained, Begin: model.Run{Loop: l, Still: -1}, Looks: 1,
		On: func(r model.Run, d scenarios.Discovery) model.Run {
			r.Claims, r.Loop.Floor = claimsOf(d), floorOf(d)
			if !r.Claims.Counts { // it may not doubt, and nothing may bound it
				r.Loop.Turns[1].Doubt, r.Loop.Bound = false, 0
			}
			if !r.Claims.Model { // its log need not tell that a worker is under way, and then nobody knows that the run waits for one
				for i, w := range r.Loop.Workers {
					if w.Ends == model.Lasts {
						r.Loop.Workers[i] = r.Loop.Workers[0]
					}
				}
			}
			return r
		},
		// What is in a log by then is chance.
		Plain: func(r model.Run) model.Run {
			if r.Log != "" {
				r.Log = "read"
			}
			r.Still = min(r.Still, 0)
			return r
		},
	}
	for _, do := range []model.RunDo{
		model.Settle, model.LookAt, model.PollRun, model.PauseRun, model.ResumeRun, model.CancelRun, model.CancelRuns, model.Ancestry,
		model.ReadChild, model.CancelChild, model.KillHost,
	} {
		w.Steps = append(w.Steps, model.RunAsk{Do: do, From: -1})
	}
	replay := string(dialect.ForkModeReplay)
	w.Steps = append(w.Steps, []model.RunAsk{
		{Do: model.ForeignRun, From: -1, Mode: model.ForeignRead}, {Do: model.PollRun, From: 50},
		{Do: model.StreamRun, From: -1, Mode: "debug"}, {Do: model.StreamRun, From: 50, Mode: "debug"},
		{Do: model.ForkRun, Mode: replay}, {Do: model.ForkRun, From: 50, Mode: replay},
	}...)
	by := []model.By{model.ByNode, model.ByToken, model.ByOld, model.ByForged, model.ByLonger, model.Nowhere, model.Misfit}
	if l.Form == model.Gate { // an action is no answer to a question
		by = append(by, model.Reject, model.Shouted)
	}
	for _, by := range by {
		w.Steps = append(w.Steps, model.RunAsk{Do: model.AnswerRun, By: by})
	}
	for _, s := range []model.Run{
		{Claims: model.Claims{Ancestry: true}}, {Held: true}, {Pause: model.Standing}, {End: "completed"}, {End: "cancelled"},
	} {
		s.Loop, s.Still = l, -1
		w.Told = append(w.Told, s)
	}
	return w
}
