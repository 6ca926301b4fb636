package fault

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/mutate"
)

// documents changes the objects of replies that have all of these members, as if each were a T.
func documents[T any](change func(*T), members ...string) mutate.ReplyFunc {
	return mutate.Objects(func(object map[string]any) {
		for _, name := range members {
			if _, has := object[name]; !has {
				return
			}
		}
		mutate.Object(object, change)
	})
}

// intents changes every intent that is shown.
func intents(change func(*openintentv1.Intent)) mutate.ReplyFunc {
	return documents(change, "title", "state", "version")
}

// records changes every suspension record that is shown, by its intent.
func records(change func(in *openintentv1.Intent, record map[string]any)) mutate.ReplyFunc {
	return intents(func(in *openintentv1.Intent) {
		var record map[string]any
		d := json.NewDecoder(bytes.NewReader(in.State["_suspension"]))
		d.UseNumber()
		if d.Decode(&record) != nil || record == nil {
			return
		}
		change(in, record)
		if raw, err := json.Marshal(record); err == nil { // it was JSON before
			in.State["_suspension"] = raw
		}
	})
}

// tasks changes every task that is shown.
func tasks(change func(*openintentv1.Task)) mutate.ReplyFunc {
	return documents(change, "name", "intent_id", "max_attempts")
}

// plans changes every plan that is shown; each has progress.
func plans(change func(*openintentv1.Plan)) mutate.ReplyFunc {
	return documents(change, "intent_id", "state", "progress")
}

// portfolios changes every portfolio that is shown; each has flags and an aggregate.
func portfolios(change func(*openintentv1.Portfolio)) mutate.ReplyFunc {
	return documents(change, "has_suspended_members")
}

// refusals changes replies other than success, and the object that each holds.
func refusals(change func(r *mutate.Reply, refusal map[string]any)) mutate.ReplyFunc {
	return func(r *mutate.Reply) {
		if r.Status >= http.StatusBadRequest {
			mutate.JSON(func(refusal map[string]any) { change(r, refusal) })(r)
		}
	}
}

// both makes one change after the other.
func both(first, second mutate.ReplyFunc) mutate.ReplyFunc {
	return func(r *mutate.Reply) {
		first(r)
		second(r)
	}
}
