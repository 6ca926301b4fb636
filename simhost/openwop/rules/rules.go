// Package rules holds the decisions of the protocol that the simulated host goes by, as values, so that a fault can replace
// one of them. Who calls a rule knows of no faults. What a fault only says wrongly is no rule: package mutate changes that from
// outside of the host.
//
// A rule sees plain values, answers one question, and keeps no state. There is a file to a theme: what its rules ask, and
// next to it how an honest host answers.
package rules

// Set is what a host goes by. The zero Set is not usable: start with Honest.
type Set struct {
	Loop       Loop
	Bounds     Bounds
	Confidence Confidence
	Dispatch   Dispatch
	Handoff    Handoff
	Memory     Memory
	Reads      Reads
	Verifier   Verifier
	Gates      Gates
	Answers    Answers
	Tokens     Tokens
	Tenants    Tenants
	Goals      Goals
	Heartbeat  Heartbeat
	Access     Access
	Requests   Requests
	Keys       Keys
	Claims     Claims
	Log        Log
	Replay     Replay
	Ancestry   Ancestry
	Control    Control
	Files      Files
}

// Honest is the set that keeps every promise.
func Honest() Set {
	return Set{
		Loop:       honestLoop(),
		Bounds:     honestBounds(),
		Confidence: honestConfidence(),
		Dispatch:   honestDispatch(),
		Handoff:    honestHandoff(),
		Memory:     honestMemory(),
		Reads:      honestReads(),
		Verifier:   honestVerifier(),
		Gates:      honestGates(),
		Answers:    honestAnswers(),
		Tokens:     honestTokens(),
		Tenants:    honestTenants(),
		Goals:      honestGoals(),
		Heartbeat:  honestHeartbeat(),
		Access:     honestAccess(),
		Requests:   honestRequests(),
		Keys:       honestKeys(),
		Claims:     honestClaims(),
		Log:        honestLog(),
		Replay:     honestReplay(),
		Ancestry:   honestAncestry(),
		Control:    honestControl(),
		Files:      honestFiles(),
	}
}
