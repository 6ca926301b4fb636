// Package rules holds the small decisions that the simulated OpenIntent server goes by, as values, so that a fault can
// replace one of them. Who calls a rule knows of no faults.
//
// A rule sees plain values, answers one question, and keeps no state. There is a file to a theme: what its rules ask, and
// next to it how an honest server answers.
package rules

// Set is what a server goes by. The zero Set is not usable: start with Honest.
type Set struct {
	Requests   Requests
	Answers    Answers
	Lifecycle  Lifecycle
	Graph      Graph
	Containers Containers
	Tasks      Tasks
	Deadline   Deadline
	Reminders  Reminders
	Expiry     Expiry
	Watchers   Watchers
	Claims     Claims
	Leases     Leases
	Log        Log
}

// Honest is the set that keeps every rule of the texts.
func Honest() Set {
	return Set{
		Requests:   honestRequests(),
		Answers:    honestAnswers(),
		Lifecycle:  honestLifecycle(),
		Graph:      honestGraph(),
		Containers: honestContainers(),
		Tasks:      honestTasks(),
		Deadline:   honestDeadline(),
		Reminders:  honestReminders(),
		Expiry:     honestExpiry(),
		Watchers:   honestWatchers(),
		Claims:     honestClaims(),
		Leases:     honestLeases(),
		Log:        honestLog(),
	}
}
