package model

import "github.com/openassay/assay/scenarios/openwop/dialect"

// Loop is what the run was asked to do. All of it fits an array, so that states can be compared.
type Loop struct {
	Form     Form        `json:"form"`
	Workflow string      `json:"workflow"`
	Workers  [8]Worker   `json:"workers"` // that decisions name, by number
	Turns    [9]LoopTurn `json:"turns"`
	N        int         `json:"n"`     // turns up to the end
	Floor    float64     `json:"floor"` // of confidences
	Bound    int         `json:"bound"` // configurable.maxLoopIterations, or recursionLimit of a run of many nodes; 0 for none
	Nodes    int         `json:"nodes"` // of a run of many nodes
	Wait     int         `json:"wait"`  // ms, of a run that waits for a time
	Rejects  bool        `json:"rejects"`
}

// Form is what sort of run it is.
type Form string

// The forms. Only a loop has turns; of a gate and of questions its only turn is the wait for a person, behind which it ends.
const (
	Looping   Form = "loop"
	Gate      Form = "approval"
	Questions Form = "questions"
	Noop      Form = "a node that does nothing"
	Steps     Form = "a wait and nodes behind it"
	Nodes     Form = "many nodes"
)

// Gated: all that a run of this form does is to wait for a person.
func (f Form) Gated() bool { return f == Gate || f == Questions }

// Worker is a workflow that decisions name, and how its runs end.
type Worker struct {
	Name string    `json:"name"`
	Ends WorkerEnd `json:"ends"`
}

// WorkerEnd is how runs of a worker end.
type WorkerEnd string

// The ends. One that lasts is cancelled by itself, or with its parent.
const (
	Completes WorkerEnd = "completed"
	Fails     WorkerEnd = "failed"
	Missing   WorkerEnd = "missing" // there is no such workflow
	Lasts     WorkerEnd = "lasts"
)

// LoopTurn is one decision: for some workers, a question, or, if it is neither, the end.
type LoopTurn struct {
	Workers [3]int `json:"workers"` // their numbers, from 1; 0 for none
	Asks    bool   `json:"asks"`
	Doubt   bool   `json:"doubt"` // below the confidence floor
	// Sure is which confidence it states: one that is below the floor or, if there is no doubt, one that is not; 0 is none there.
	Sure int `json:"sure"`
}

// turns is how many turns the loop takes; breached is set if it was to take more.
func (l Loop) turns() (n int, breached bool) {
	if l.Form == Looping && l.Bound > 0 && l.Bound < l.N {
		return l.Bound, true
	}
	return l.N, false
}

// breached reports whether the run crosses its bound.
func (l Loop) breached() bool {
	_, breached := l.turns()
	return breached || l.Form == Nodes && l.Bound > 0 && l.Bound < l.Nodes
}

// lasts reports whether a worker of the turn ends only when it is cancelled.
func (l Loop) lasts(t LoopTurn) bool {
	for _, w := range t.Workers {
		if w > 0 && l.Workers[w-1].Ends == Lasts {
			return true
		}
	}
	return false
}

// hold returns the nth turn that does not go on by itself, from 0: it waits for a person, or for a worker that lasts; ok is false if
// there is none.
func (l Loop) hold(n int) (turn int, ok bool) {
	most, _ := l.turns()
	for i, t := range l.Turns[:most] {
		if !t.Asks && !t.Doubt && !l.lasts(t) {
			continue
		}
		if n--; n < 0 {
			return i, true
		}
	}
	return 0, false
}

// HoldOf returns the turn at which the run stands when this many were answered, or their workers cancelled. lasts is set if it is a worker
// that it waits for; ok is false if there is no such turn.
func (l Loop) HoldOf(answered int) (turn int, lasts bool, ok bool) {
	turn, ok = l.hold(answered)
	return turn, ok && l.lasts(l.Turns[turn]), ok
}

// of are the workers of a turn.
func (l Loop) of(t LoopTurn) (out []Worker) {
	for _, w := range t.Workers {
		if w > 0 {
			out = append(out, l.Workers[w-1])
		}
	}
	return out
}

// names are those of the workers of a turn.
func (l Loop) names(t LoopTurn) (out []string) {
	for _, w := range l.of(t) {
		out = append(out, w.Name)
	}
	return out
}

// before are the workers of the first n turns.
func (l Loop) before(n int) (out []Worker) {
	for _, t := range l.Turns[:n] {
		out = append(out, l.of(t)...)
	}
	return out
}

// Sures is how many confidences there are of either sort.
const Sures = 4

// confidence is that of a decision, nil if it states none.
func (l Loop) confidence(t LoopTurn) *float64 {
	switch {
	case t.Doubt:
		return new([Sures]float64{0, 0.001, l.Floor / 2, l.Floor - 0.001}[t.Sure])
	case t.Sure > 0:
		return new([Sures]float64{0, l.Floor, (l.Floor + 1) / 2, 1}[t.Sure])
	}
	return nil
}

// Program is the loop as a program.
func (l Loop) Program(reason string) Program {
	p := Program{Workflow: l.Workflow, Bound: l.Bound}
	for _, t := range l.Turns[:l.N] {
		turn := Turn{Workers: l.names(t)}
		switch {
		case t.Asks:
			turn.Prompt = "Which way, " + reason + "?"
		case turn.Workers == nil:
			turn.Reason = reason
		}
		if !t.Asks {
			turn.Confidence = l.confidence(t)
		}
		p.Turns = append(p.Turns, turn)
	}
	return p
}

func (t LoopTurn) kind() string {
	switch {
	case t.Asks:
		return string(dialect.AskUserDecisionKindAskUser)
	case t.Workers[0] > 0:
		return string(dialect.NextWorkerDecisionKindNextWorker)
	}
	return string(dialect.TerminateDecisionKindTerminate)
}
