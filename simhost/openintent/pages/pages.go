// Package pages is what the console shows of a server of OpenIntent: its intents, each with its log, and a form where
// one waits for a person.
package pages

import (
	"context"
	"embed"
	"maps"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/openintent/faulty"
	"github.com/openassay/assay/simhost/serving"
)

//go:embed *.html
var templates embed.FS

const intentsPath = console.Prefix + "/intents"

// pages are all, by pattern.
var pages = map[string]func(visitor, *console.Request) error{
	"GET " + console.Prefix:                     visitor.first,
	"GET " + console.Prefix + "/{$}":            visitor.first,
	"GET " + intentsPath:                        visitor.intents,
	"POST " + intentsPath:                       visitor.example,
	"GET " + intentsPath + "/{intent}":          visitor.intent,
	"POST " + intentsPath + "/{intent}/answer":  visitor.answer,
	"POST " + intentsPath + "/{intent}/advance": visitor.advance,
}

// topic is what an open page hears of beside [console.TopicWaiting].
const topic = "intents"

// Part is what a console shows of a server.
func Part(host *faulty.Switchable) console.Part {
	return console.Part{
		Templates: templates,
		Patterns:  slices.Collect(maps.Keys(pages)),
		SignIn: func(key string) (v console.Visitor, err error) {
			err = host.With(func(h *openintent.Host) error {
				if name, known := h.Caller(key); known {
					v = visitor{host, name}
				}
				return nil
			})
			return v, err
		},
		IsMissing: openintent.IsMissing,
	}
}

// visitor is somebody whose key the server knows.
type visitor struct {
	host *faulty.Switchable
	name string
}

// String implements [console.Visitor].
func (v visitor) String() string { return v.name }

// Page implements [console.Visitor].
func (v visitor) Page(r *console.Request) error { return pages[r.Pattern](v, r) }

// Menu implements [console.Visitor].
func (v visitor) Menu(behind string) []console.Link {
	if behind != "" {
		return nil
	}
	return []console.Link{{Name: "Intents", Path: intentsPath}}
}

// Waiting implements [console.Visitor].
func (v visitor) Waiting(ctx context.Context, n int) (questions []console.Question, total int, err error) {
	var waiting []engine.Account
	err = v.host.With(func(h *openintent.Host) error {
		waiting, err = h.WaitingIntents(ctx)
		return err
	})
	for _, a := range waiting[:min(len(waiting), n)] {
		intent := intentOf(a)
		questions = append(questions, console.Question{
			ID: intent.ID, Path: pathOf(intent.ID), Title: intent.Title, From: intent.ID, Body: intent,
		})
	}
	return questions, len(waiting), err
}

// Topics implements [console.Visitor].
func (v visitor) Topics(_ context.Context, logs []string) []string {
	if slices.Contains(logs, engine.LogName) {
		return []string{console.TopicWaiting, topic}
	}
	return nil
}

// ask makes a request to the API in the visitor's name.
func (v visitor) ask(request func(*openintentv1.Client) (*http.Response, error)) (said serving.Said, err error) {
	err = v.host.With(func(h *openintent.Host) error {
		said, err = serving.Read(request(h.Client(v.name)))
		return err
	})
	return said, err
}

func (v visitor) first(r *console.Request) error { return r.GoTo(intentsPath) }
