package fault

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
)

// misfitFaults are about requests that do not fit, of other operations than the one that makes runs, and about what is over.
var misfitFaults = []Fault{
	{
		ID:     "request.odd-fork-falls",
		Title:  "the host falls over a fork with other options that do not fit, or a member too many",
		Looks:  "a number as the overlay of a fork is HTTP 500",
		Breaks: []string{openwop.OWPERR26},
		Reply: refusing(func(r refused) bool {
			member, keyword := r.misfit()
			return strings.HasSuffix(r.Request.URL.Path, ":fork") &&
				(strings.HasPrefix(member, "/runOptionsOverlay") || strings.HasSuffix(keyword, "/additionalProperties"))
		}, falls),
	},
	{
		ID:     "request.bulk-cancel-of-nothing-falls",
		Title:  "the host falls over a bulk cancel without a body",
		Looks:  "a bulk cancel without a body is HTTP 500",
		Breaks: []string{openwop.OWPERR26},
		Twin:   "there is nothing to read, there something that is read wrong",
		Reply: refusing(func(r refused) bool {
			return strings.HasSuffix(r.Request.URL.Path, "/runs:bulk-cancel") && r.Request.ContentLength == 0
		}, falls),
	},
	{
		ID:     "request.goal-member-falls",
		Title:  "the host falls over a goal with a member that it does not know, wherever it stands",
		Looks:  "a goal with one member too many is HTTP 500",
		Breaks: []string{openwop.OWPERR26},
		Twin:   "the body has something too much",
		Reply: refusing(func(r refused) bool {
			_, keyword := r.misfit()
			return r.Request.Method == http.MethodPost && strings.HasSuffix(r.Request.URL.Path, "/goals") &&
				strings.HasSuffix(keyword, "/additionalProperties")
		}, falls),
	},
	{
		ID:     "request.cursor-falls",
		Title:  "the host falls over a cursor that is no number",
		Looks:  "a poll with a word as lastSequence is HTTP 500",
		Breaks: []string{openwop.OWPERR26},
		Twin:   "it is the query that is wrong",
		Reply: refusing(func(r refused) bool {
			return strings.HasSuffix(r.Request.URL.Path, "/events/poll") && r.Details["field"] == "lastSequence"
		}, falls),
	},
	{
		ID:     "request.edit-told-in-text",
		Title:  "an edit of a goal that does not fit is refused with a text",
		Looks:  "HTTP 400 comes as text/plain",
		Breaks: []string{openwop.OWPERR4},
		Reply: refusing(func(r refused) bool {
			_, keyword := r.misfit()
			return r.Request.Method == http.MethodPatch && keyword != ""
		}, plainly),
	},
	doneBehind(Fault{
		ID:     "request.refused-goal-kept",
		Title:  "a goal is kept before it is looked at whether it has a member too many",
		Looks:  "a goal with one member too many is HTTP 400, and is listed",
		Breaks: []string{openwop.OWPERR27},
	}, http.MethodPost, "/v1/host/sample/goals", mutate.Mend(func(goal map[string]any) bool {
		return without(goal, goalMembers)
	})),
	doneBehind(Fault{
		ID:     "request.refused-edit-half-done",
		Title:  "the objective of a goal is changed before the rest of the edit is looked at",
		Looks:  "an edit with one member too many is HTTP 400, and the goal has the other objective",
		Breaks: []string{openwop.OWPERR27},
		Twin:   "something is there that is changed, there something is made",
	}, http.MethodPatch, "/v1/host/sample/goals/", mutate.Mend(func(edit map[string]any) bool {
		objective, isText := edit["objective"].(string)
		if !isText || len(objective) == 0 || !without(edit, goalMembers) {
			return false
		}
		clear(edit)
		edit["objective"] = objective
		return true
	})),
	doneBehind(Fault{
		ID:     "request.refused-write-kept",
		Title:  "a file is written before it is looked at whether its body has a member too many",
		Looks:  "a write with one member too many is HTTP 400, and the file is what it says",
		Breaks: []string{openwop.OWPERR27},
		Twin:   "a file has one more version, and a goal is another",
	}, http.MethodPut, "/v1/host/workspace/files/", mutate.Mend(func(file map[string]any) bool {
		return without(file, []string{"content", "contentType"})
	})),
	{
		ID:     "request.fork-of-cancelled-falls",
		Title:  "the host falls over a fork of a run that never came to a result",
		Looks:  "a fork of a cancelled run is HTTP 500",
		Breaks: []string{openwop.OWPERR28},
		Remembers: func() mutate.Changes {
			var cancelled sync.Map // ids of runs
			return replies(
				snapshots(func(run *openwopv1.RunSnapshot) {
					if run.Status == openwopv1.RunStatusCancelled {
						cancelled.Store(run.RunID, true)
					}
				}),
				func(r *mutate.Reply) {
					rest, isRun := strings.CutPrefix(r.Request.URL.Path, "/v1/runs/")
					id, forks := strings.CutSuffix(rest, ":fork")
					if _, was := cancelled.Load(id); isRun && forks && was {
						r.Body = []byte("{}")
						falls(r)
					}
				},
			)
		},
	},
	{
		ID:     "request.deleted-twice-is-back",
		Title:  "who deletes a file that was deleted turns its mark of deletion over once more",
		Looks:  "a file that was deleted twice can be read",
		Breaks: []string{openwop.OWPERR28},
		Twin:   "what is over comes back, there the host falls over it",
		Remembers: func() mutate.Changes {
			var last, back sync.Map // replies to reads and the files that are there again, by tenant and path
			return replies(func(r *mutate.Reply) {
				if !strings.HasPrefix(r.Request.URL.Path, "/v1/host/workspace/files/") {
					return
				}
				path := r.Request.Header.Get("Authorization") + r.Request.URL.Path // each tenant has files of its own
				switch reads := r.Request.Method == http.MethodGet; {
				case reads && r.Status == http.StatusOK:
					last.Store(path, slices.Clone(r.Body))
				case r.Request.Method == http.MethodDelete && r.Status == http.StatusNotFound:
					back.Store(path, true)
				case r.Request.Method == http.MethodPut:
					back.Delete(path)
				case reads && r.Status == http.StatusNotFound:
					_, again := back.Load(path)
					if body, known := last.Load(path); known && again {
						r.Status, r.Body = http.StatusOK, body.([]byte)
					}
				}
			})
		},
	},
}

// goalMembers are the members of a goal that is asked for, at any depth.
var goalMembers = []string{"objective", "completion", "check", "verifierRef", "continuation", "mode", "armRef", "bounds",
	"maxLoopIterations", "runTimeoutMs", "maxCostUsd"}

// without takes out of an object what it is not to have, at any depth, and reports whether there was something.
func without(object map[string]any, known []string) (found bool) {
	for name, value := range object {
		if !slices.Contains(known, name) {
			delete(object, name)
			found = true
			continue
		}
		if inner, ok := value.(map[string]any); ok {
			found = without(inner, known) || found
		}
	}
	return found
}

// doneBehind has a host carry out requests below a path that it refuses; mend makes them fit.
func doneBehind(f Fault, method, path string, mend func(*mutate.Request) bool) Fault {
	f.Remembers = func() mutate.Changes {
		meant := func(r *http.Request) bool { return r.Method == method && strings.HasPrefix(r.URL.Path, path) }
		asks, answers := mutate.Behind(meant, mend, func(r *mutate.Reply) {
			r.Status, r.Body = http.StatusBadRequest, []byte("{}")
			reworded(func(e *openwopv1.ErrorEnvelope) {
				*e = openwopv1.ErrorEnvelope{Error: validationError, Message: "the body has a member that it must not have"}
			})(r)
		})
		return mutate.Changes{Requests: []mutate.RequestFunc{asks}, Replies: []mutate.ReplyFunc{answers}}
	}
	return f
}
