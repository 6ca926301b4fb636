package histories

import (
	"github.com/openassay/assay/scenarios/explore/lockstep"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// smallChases are retry policies: one that fails after all its steps, one that goes on, one that does not say when it reminds, and a
// record that waits for ever.
func smallChases() (all []lockstep.Small) {
	for _, w := range []struct {
		name string
		ch   model.Chase
	}{
		{"a chase that fails", model.Chase{
			Attempts: 3, Channel: true, Inner: model.Fails, Outer: model.Defaults,
			Ladder: [model.MostAttempts + 2]model.Rung{2: model.NamesChannel, 3: model.NamesBoth, 4: model.NamesRecipient},
		}},
		{"a chase that goes on", model.Chase{Attempts: 2, Outer: model.Defaults}},
		{"a window", model.Chase{Attempts: 1, Plain: true, Outer: model.Completes}},
		{"an unpaced chase", model.Chase{Attempts: 3, Unpaced: true, Inner: model.Fails}},
		{"no chase", model.Chase{Outer: model.Fails}},
	} {
		all = append(all, &lockstep.World[model.Chased, model.Chasing, model.Chaser]{
			Name: w.name, Kind: chases, Scenario: chasesExplained,
			Begin: model.Chased{Chase: w.ch, Status: model.Suspended, Record: model.Waiting},
			Looks: 1, Steps: []model.Chasing{
				{Do: model.Look}, {Do: model.Pass, Halves: 1}, {Do: model.Pass, Halves: 3}, {Do: model.Answer, Value: "go on"},
				{Do: model.Answer, Value: "go on", Names: model.NamesOther}, {Do: model.Answer, Value: "stop", Names: model.NamesNear},
			},
			Plain: func(q model.Chased) model.Chased {
				q.Seen = false
				return q
			},
		})
	}
	return all
}

// smallPhases are two intents and the leases on them, with windows that are longer than all else or none.
func smallPhases() (all []lockstep.Small) {
	for _, endless := range []bool{false, true} {
		name := "phases"
		if endless {
			name += " without windows"
		}
		w := &lockstep.World[model.Phases, model.Handling, model.Handled]{
			Name: name, Kind: handovers, Scenario: phasesExplained, Begin: model.Phases{Status: model.Active, Endless: endless}, Looks: 2,
			Plain: func(p model.Phases) model.Phases {
				p.Seen = false
				return p
			},
			Asks: func(p model.Phases, in model.Handling) bool { return in.Do != model.Unclaims || p.Asks(in.Do) },
		}
		for _, do := range []model.Action{
			model.Look, model.LookNext, model.Records, model.Halts, model.Answer, model.Puts, model.Complete, model.Claims, model.Unclaims,
			model.Claim, model.Renew, model.Strange, model.Wait,
		} {
			w.Steps = append(w.Steps, model.Handling{Do: do})
		}
		all = append(all, w)
	}
	return all
}

// smallCoordinated are intents under coordinators, one of each policy.
func smallCoordinated() (all []lockstep.Small) {
	for n, policy := range []string{"", model.Isolates, model.Pauses, model.Escalates} {
		name := "a coordinator of policy " + policy
		if policy == "" {
			name = "a coordinator of no policy"
		}
		w := &lockstep.World[model.Watched, model.Watching, model.Watch]{
			Name: name, Kind: coordinated, Scenario: coordinatedExplained,
			Begin: model.Watched{Policy: policy, Type: n % len(host.CoordinatorTypes), Status: model.Active}, Looks: 4,
			Asks: func(w model.Watched, in model.Watching) bool { return w.Asks(in.Do) },
			Plain: func(w model.Watched) model.Watched {
				w.Seen = false
				return w
			},
		}
		for _, do := range []model.Action{
			model.Look, model.LookWired, model.LookOther, model.LookWatcher, model.Records, model.Halts, model.Answer, model.Complete,
		} {
			w.Steps = append(w.Steps, model.Watching{Do: do})
		}
		all = append(all, w)
	}
	return all
}

// smallPlan is a plan that one client writes.
func smallPlan() lockstep.Small {
	return &lockstep.World[model.Paper, model.Editing, model.Edited]{
		Name: "a plan", Kind: papers, Scenario: plansExplained, Begin: model.Paper{Note: firstNote}, Looks: 1,
		Steps: []model.Editing{
			{Do: model.Look}, {Do: model.Note, Value: "one"}, {Do: model.Note, Value: "two"},
			{Do: model.Note, Value: "one", Match: model.MatchOld}, {Do: model.Note, Value: "late", Match: model.MatchOld},
			{Do: model.Note, Value: "later", Match: model.MatchLater},
		},
		Plain: func(p model.Paper) model.Paper {
			p.Version = 0
			return p
		},
	}
}
