package catalogue

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
)

// Model is what a protocol lets objects show, which assay explore holds histories against.
type Model struct {
	Protocol *scenarios.Protocol
	Objects  []history.Object
}

// ModelRule is a rule of a model as assay list --json prints it.
type ModelRule struct {
	Protocol     string   `json:"protocol"`
	Objects      string   `json:"objects"`
	Rule         string   `json:"rule"`
	Requirements []string `json:"requirements"`
	Readings     []string `json:"readings"`
	Ways         []Way    `json:"ways"`
}

// Way is one of the ways that a rule leaves open.
type Way struct {
	Way      string `json:"way"`      // "" where there is one, which the rule says
	Demanded bool   `json:"demanded"` // the text demands that it is possible
}

func (c *Catalogue) modelRules() []ModelRule {
	out := []ModelRule{}
	for _, m := range c.Models {
		for _, o := range m.Objects {
			for _, r := range o.Rules {
				out = append(out, ModelRule{m.Protocol.ID, o.Name, r.Rule, each(r.Of, text), nonNil(r.Readings),
					each(r.Ways, func(w history.WayLine) Way { return Way{w.Way, w.Must} })})
			}
		}
	}
	return out
}

// ModelPages returns a Markdown page for the model of each protocol. Keys are paths below one folder.
func (c *Catalogue) ModelPages() map[string]string {
	pages := map[string]string{}
	for _, m := range c.Models {
		var b strings.Builder
		fmt.Fprintf(&b, "# What %s lets objects show\n\n%s, of the model itself. Edits are lost.\n\n%s", m.Protocol.ID,
			"`make generate` writes this page", modelHead)
		for _, o := range m.Objects {
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| rule | sentences | readings | what may come of it |\n|---|---|---|---|\n",
				capital(o.Name), prose(o.About))
			for _, r := range o.Rules {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", prose(r.Rule), strings.Join(each(r.Of, text), ", "), strings.Join(r.Readings, ", "),
					waysOf(r))
			}
		}
		pages[m.Protocol.Name()+".md"] = b.String()
	}
	return pages
}

const modelHead = `The model says after each step of a client in which states an object may be, and what
a reply or a read may then show. It is a set of states: it forks where a reply was lost, where
things happen at once, and where a text, or a reading, leaves several ways; it narrows with what
is seen; a set that is empty is a violation. Of the rules of an object the first one counts that
holds. ` + "`assay explore`" + ` draws histories and holds them against it.
`

// waysOf tells the ways of a rule. What the text demands to be possible is in bold letters.
func waysOf(r history.Line) string {
	var ways []string
	for _, w := range r.Ways {
		name := prose(w.Way)
		if name == "" {
			name = "that"
		}
		if w.Must {
			name = "**" + name + "**"
		}
		ways = append(ways, name)
	}
	return strings.Join(ways, ", or ")
}
