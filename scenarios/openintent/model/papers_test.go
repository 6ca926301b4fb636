package model_test

import (
	"testing"
	"time"

	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

type paperStep = history.Step[model.Editing, model.Edited]

// Of two changes that name one version, at once or one after the other, one is made, and a read shows which.
func TestPapers(t *testing.T) {
	write := func(client int, value string, named, code, version int64) paperStep {
		return paperStep{
			Client: client, In: model.Editing{Do: model.Note, Value: value},
			Out: model.Edited{Code: code, Named: named, Version: wiretest.Value(t, version)},
		}
	}
	read := func(value string, version int64) paperStep {
		return paperStep{In: model.Editing{Do: model.Look}, Out: model.Edited{
			Code: 200, Note: wiretest.Value(t, map[string]any{"note": value}).Key("note"), Version: wiretest.Value(t, version),
		}}
	}
	refused := func(client int, value string) paperStep {
		s := write(client, value, 2, 409, 0)
		s.Out.Version = wiretest.Value(t, map[string]any{}).Key("version")
		return s
	}
	for name, c := range map[string]struct {
		steps  []paperStep
		atOnce bool // the first two
		ok     bool
	}{
		"one after the other":      {[]paperStep{write(0, "a", 2, 200, 3), write(0, "b", 3, 200, 4), read("b", 4)}, false, true},
		"an old version":           {[]paperStep{write(0, "a", 2, 200, 3), write(0, "b", 2, 200, 4), read("b", 4)}, false, false},
		"an old version, refused":  {[]paperStep{write(0, "a", 2, 200, 3), refused(0, "b"), read("a", 3)}, false, true},
		"a refused change is made": {[]paperStep{write(0, "a", 2, 200, 3), refused(0, "b"), read("b", 3)}, false, false},
		"one wins":                 {[]paperStep{write(0, "a", 2, 200, 3), refused(1, "b"), read("a", 3)}, true, true},
		"both win":                 {[]paperStep{write(0, "a", 2, 200, 3), write(1, "b", 2, 200, 4), read("b", 4)}, true, false},
		"a change is lost":         {[]paperStep{write(0, "a", 2, 200, 3), write(0, "b", 3, 200, 4), read("a", 4)}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.steps {
				c.steps[i].Began, c.steps[i].Ended = time.Duration(10*i+1), time.Duration(10*i+5)
			}
			if c.atOnce {
				c.steps[1].Began = 1
			}
			begin := []model.Paper{{Version: 2, Known: true, Note: "first"}}
			if v := model.PaperModel.Explain(begin, c.steps, 0); v.Ok() != c.ok {
				t.Errorf("it is explained: %t\n%s", v.Ok(), model.PaperModel.Picture(c.steps, v))
			}
		})
	}
}
