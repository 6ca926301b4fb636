package runs

import (
	"context"
	"maps"
	"slices"

	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// shrinking makes a program small that shows a violation.
type shrinking struct {
	*host.Plugin
	least Played // the smallest program that shows one, with its turns
	more  func() bool
	// play plays a program, and reports whether it shows a violation.
	play func(context.Context, model.Program) (Played, bool)
}

// shrink leaves out other runs, then moves, then what the planner decides in between, each with the result that leads to it.
func (s *shrinking) shrink(ctx context.Context) {
	moves := movesOf(s.least.Turns)
	runs := map[int]bool{}
	for _, m := range moves {
		runs[m.Run] = true
	}
	for _, run := range slices.Sorted(maps.Keys(runs)) {
		alone := slices.DeleteFunc(slices.Clone(moves), func(m model.Move) bool { return m.Run != run })
		if len(alone) < len(moves) && s.more() && s.shows(ctx, s.least.Runs, alone) {
			break
		}
	}
	s.leaveOut(ctx)
	for run := range s.least.Runs {
		s.shorten(ctx, run)
	}
	s.leaveOut(ctx)
}

func movesOf(turns []Taken) []model.Move {
	moves := make([]model.Move, len(turns))
	for i, t := range turns {
		moves[i] = t.Move
	}
	return moves
}

// shows plays a program, and keeps it if it shows a violation.
func (s *shrinking) shows(ctx context.Context, runs []model.Run, moves []model.Move) bool {
	played, shows := s.play(ctx, model.Program{Runs: runs, Moves: moves})
	if shows {
		s.least = played
	}
	return shows
}

// leaveOut leaves out moves.
func (s *shrinking) leaveOut(ctx context.Context) {
	s.least.Turns = host.Shrink(ctx, s.Plugin, movesOf(s.least.Turns), s.least.Turns, s.more,
		func(ctx context.Context, moves []model.Move) []Taken {
			if !s.shows(ctx, s.least.Runs, moves) {
				return nil
			}
			return s.least.Turns
		})
}

// shorten leaves out decisions of a run, and as many of its results, the first ones.
func (s *shrinking) shorten(ctx context.Context, run int) {
	all := s.least.Runs[run].Decisions
	host.Shrink(ctx, s.Plugin, all, s.least.Turns, s.more, func(ctx context.Context, decisions []model.Decision) []Taken {
		runs, left := slices.Clone(s.least.Runs), len(s.least.Runs[run].Decisions)-len(decisions)
		runs[run].Decisions = decisions
		moves := slices.DeleteFunc(movesOf(s.least.Turns), func(m model.Move) bool {
			out := left > 0 && m.Run == run && m.Kind == model.Result
			if out {
				left--
			}
			return out
		})
		if len(decisions) == 0 || !s.shows(ctx, runs, moves) {
			return nil
		}
		return s.least.Turns
	})
}
