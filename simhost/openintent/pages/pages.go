// Package pages is what the console shows of a server of OpenIntent: its intents, each with its log, and a form where
// one waits for a person.
package pages

import (
	"context"
	"embed"
	"maps"
	"slices"

	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openintent/engine"
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
func Part(host *openintent.Host) console.Part {
	return console.Part{
		Templates: templates,
		Patterns:  slices.Collect(maps.Keys(pages)),
		SignIn: func(key string) (console.Visitor, error) {
			if name, known := host.Caller(key); known {
				return visitor{host, name}, nil
			}
			return nil, nil
		},
		IsMissing: openintent.IsMissing,
	}
}

// visitor is somebody whose key the server knows.
type visitor struct {
	host *openintent.Host
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
	waiting, err := v.host.WaitingIntents(ctx)
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

func (v visitor) first(r *console.Request) error { return r.GoTo(intentsPath) }
