// Package pages is what the console shows of a host that speaks OpenWOP: its runs as they happen, the log of a run as a
// timeline, interrupts with a form to answer them, files as a turn saw them, goals and faults.
package pages

import (
	"context"
	"embed"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openwop/faulty"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/simhost/serving"
)

//go:embed *.html
var templates embed.FS

const runsPath = console.Prefix + "/runs/"

// pathOf is the path of the page of a run.
func pathOf(runID string) string { return runsPath + url.PathEscape(runID) }

// pages are all, by pattern.
var pages = map[string]func(visitor, *console.Request) error{
	"GET " + console.Prefix:             visitor.runs,
	"GET " + console.Prefix + "/{$}":    visitor.runs,
	"GET " + console.Prefix + "/start":  visitor.startForm,
	"POST " + console.Prefix + "/start": visitor.start,
	"GET " + runsPath + "{run}":         visitor.run,
	"GET " + runsPath + "{run}/files":   visitor.runFiles,
	"POST " + runsPath + "{run}/answer": visitor.answer,
	"POST " + runsPath + "{run}/do":     visitor.control,
	"GET " + console.Prefix + "/goals":  visitor.goals,
}

// What an open page hears of beside [console.TopicWaiting].
const (
	topicRuns  = "runs"
	topicGoals = "goals"
	topicFiles = "files"
)

// topicOf is that of a run and of the runs that it dispatched.
func topicOf(root string) string { return "run/" + root }

// Part is what a console shows of a host.
func Part(host *faulty.Switchable) console.Part {
	return console.Part{
		Templates: templates,
		Patterns:  slices.Collect(maps.Keys(pages)),
		SignIn: func(key string) (v console.Visitor, err error) {
			err = host.With(func(h *surface.Host) error {
				if who, known := h.Caller(key); known {
					v = visitor{host, who}
				}
				return nil
			})
			return v, err
		},
		IsMissing: surface.IsMissing,
	}
}

// visitor is somebody whose key the host knows.
type visitor struct {
	host *faulty.Switchable
	who  surface.Caller
}

// String implements [console.Visitor].
func (v visitor) String() string {
	if v.who.Tenant() != v.who.Principal() {
		return v.who.Principal() + " of " + v.who.Tenant()
	}
	return v.who.Principal()
}

// Page implements [console.Visitor].
func (v visitor) Page(r *console.Request) error { return pages[r.Pattern](v, r) }

// Menu implements [console.Visitor].
func (v visitor) Menu(behind string) []console.Link {
	switch behind {
	case "":
		return []console.Link{{Name: "Runs", Path: console.Prefix}}
	case console.MenuWaiting:
		return []console.Link{{Name: "Goals", Path: console.Prefix + "/goals"}}
	}
	return nil
}

// Topics implements [console.Visitor].
func (v visitor) Topics(ctx context.Context, logs []string) (topics []string) {
	err := v.host.With(func(h *surface.Host) error {
		change := h.Changed(ctx, v.who, logs)
		if len(change.Runs) > 0 {
			topics = append(topics, console.TopicWaiting, topicRuns)
		}
		for _, id := range change.Runs {
			topics = append(topics, topicOf(id))
		}
		if change.Goals {
			topics = append(topics, topicGoals)
		}
		if change.Files {
			topics = append(topics, topicFiles)
		}
		return nil
	})
	if err != nil {
		return []string{console.TopicAll}
	}
	return topics
}

// ask makes a request to the API in the visitor's name.
func (v visitor) ask(request func(*openwopv1.Client) (*http.Response, error)) (said serving.Said, err error) {
	err = v.host.With(func(h *surface.Host) error {
		said, err = serving.Read(request(h.Client(v.who)))
		return err
	})
	return said, err
}

// why is the member of a refusal that says what can be done about it.
const why = "message"
