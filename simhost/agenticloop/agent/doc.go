// Package agent is the reference agent of RFC-103: a plugin that works towards a goal one turn a job. It is handed its state
// and one event, decides what comes next, and answers with the state to keep and the event to route. Between turns nothing of
// it lives on but what the gateway keeps, and the files of the run's workspace.
//
// A turn reads as if there were no faults: what it decides, and a fault can decide otherwise, is asked of package rules;
// all other faults act from outside.
package agent
