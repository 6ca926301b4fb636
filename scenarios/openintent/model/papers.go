package model

import (
	"fmt"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// Paper is a plan that several clients write, in one of the states in which it may be.
type Paper struct {
	Version int64  `json:"version"` // as far as it is known, else the least that it may be
	Known   bool   `json:"known"`   // the version
	Note    string `json:"note"`
}

// Editing is what a client asks, in one request.
type Editing struct {
	Do    Action `json:"do"` // Look or Note
	Value string `json:"value,omitempty"`
	Match string `json:"match,omitempty"` // "" for the version that was seen last, MatchOld or MatchLater
}

// Edited is the reply to it.
type Edited struct {
	Code    int64      `json:"code"`
	Status  wire.Value `json:"status"`
	Note    wire.Value `json:"note"`
	Version wire.Value `json:"version"`
	Named   int64      `json:"named,omitempty"` // the version that the request named
}

func (r Edited) ok() bool { return r.Code/100 == 2 }

type (
	paperStep = history.Step[Editing, Edited]
	paperRule = history.Rule[Paper, Editing, Edited]
	paperWay  = history.Way[Paper, Editing, Edited]
)

// PaperModel says what such a plan may show, whoever writes at once.
var PaperModel = &history.Model[Paper, Editing, Edited]{
	Rules: []*paperRule{
		{
			Name: "a plan is shown as it was changed last", Of: scenarios.IDs{openintent.OIP0001200},
			When: func(_ Paper, in Editing) bool { return in.Do == Look },
			Ways: []paperWay{{Must: true, Shows: Paper.shown, To: Paper.versioned}},
		},
		{
			Name: "a change is made only if it names the version that the plan has", Of: scenarios.IDs{openintent.OIP0001200},
			Readings: []string{"OIP-R4", "OIP-R201"},
			When:     func(Paper, Editing) bool { return true },
			Ways: []paperWay{
				{Name: "made", Must: true, Shows: Paper.current, To: func(p Paper, s paperStep) Paper {
					p.Note, p.Version, p.Known = s.In.Value, p.Version+1, false
					return p.versioned(s)
				}},
				{Name: "refused", Shows: func(_ Paper, s paperStep) []history.Miss { return refusal(s.Out.Status, s.Out.Code) },
					To: func(p Paper, _ paperStep) Paper { return p }},
			},
		},
	},
	Tell: tellPaper,
}

// versioned returns the plan with the version that a reply tells.
func (p Paper) versioned(s paperStep) Paper {
	if version, has := s.Out.Version.Int(); has {
		p.Version, p.Known = version, true
	}
	return p
}

func (p Paper) shown(s paperStep) (out []history.Miss) {
	if !s.Out.ok() {
		return []history.Miss{miss(s.Out.Status, "HTTP 200")}
	}
	if version, _ := s.Out.Version.Int(); version < p.Version {
		out = append(out, miss(s.Out.Version, "version %d, or a later one", p.Version))
	}
	if s.Out.Note.String() != p.Note {
		out = append(out, miss(s.Out.Note, "the note %q", p.Note))
	}
	return out
}

// current: the version that a change named may be that of the plan.
func (p Paper) current(s paperStep) []history.Miss {
	if p.Known && s.Out.Named != p.Version || s.Out.Named < p.Version {
		return []history.Miss{miss(s.Out.Status, "a refusal: it names version %d in place of %d", s.Out.Named, p.Version)}
	}
	if !s.Out.ok() {
		return []history.Miss{miss(s.Out.Status, "HTTP 200")}
	}
	return nil
}

func tellPaper(s paperStep) string {
	line := "read the plan"
	if s.In.Do == Note {
		line = fmt.Sprintf("write %s into the plan, at version %d", s.In.Value, s.Out.Named)
	}
	if s.Lost {
		return line
	}
	line += fmt.Sprintf(": HTTP %d", s.Out.Code)
	if s.In.Do == Look {
		line += fmt.Sprintf(", %s, version %s", s.Out.Note.String(), s.Out.Version.JSON())
	}
	return line
}
