package history

import "github.com/openassay/assay/scenarios"

// Object is a model as a page shows it.
type Object struct {
	Name  string // of the objects, as a noun in the plural
	About string // what they are, as a sentence
	Rules []Line
}

// Line is a rule as a page shows it.
type Line struct {
	Rule     string
	Of       scenarios.IDs
	Readings []string
	Ways     []WayLine
}

// WayLine is a way as a page shows it.
type WayLine struct {
	Way  string // "" where the rule has one, which its name says
	Must bool
}

// Object returns the model for a page.
func (m *Model[S, In, Out]) Object(name, about string) Object {
	o := Object{Name: name, About: about}
	for _, r := range m.Rules {
		line := Line{Rule: r.Name, Of: r.Of, Readings: r.Readings}
		for _, w := range r.Ways {
			line.Ways = append(line.Ways, WayLine{w.Name, w.Must})
		}
		o.Rules = append(o.Rules, line)
	}
	return o
}
