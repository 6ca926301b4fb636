// Package rules holds the small decisions that the reference agent of RFC-103 goes by, as values, so that a fault can replace
// one of them. Who calls a rule knows of no faults.
//
// A rule sees plain values, answers one question, and keeps no state. There is a file to a theme: what its rules ask, and
// next to it how an honest agent answers.
package rules

// Set is what an agent goes by. The zero Set is not usable: start with Honest.
type Set struct {
	Start    Start
	Delivery Delivery
	Resume   Resume
	Steps    Steps
	Tools    Tools
	Requests Requests
	State    State
	Files    Files
	Model    Model
}

// Honest is the set that keeps every rule of the text.
func Honest() Set {
	return Set{
		Start:    honestStart(),
		Delivery: honestDelivery(),
		Resume:   honestResume(),
		Steps:    honestSteps(),
		Tools:    honestTools(),
		Requests: honestRequests(),
		State:    honestState(),
		Files:    honestFiles(),
		Model:    honestModel(),
	}
}
