package console

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/simhost/serving"
)

// Switcher is a [Visitor] who may switch faults and variations of the host.
type Switcher interface {
	// Catalogue returns all that can be switched, faults first.
	Catalogue() []Switch
	// On returns what is switched on.
	On() serving.Switches
	// Switch has these on, and no others. It returns an [Unswitchable] for what can never be on.
	Switch(ctx context.Context, on serving.Switches) error
}

// Unswitchable is the error of a fault or variation that does not exist, or cannot be set so.
type Unswitchable struct{ Err error }

func (e *Unswitchable) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *Unswitchable) Unwrap() error { return e.Err }

// Switch is a fault or a variation.
type Switch struct {
	ID, Title string
	About     string   // how a fault looks from outside, or why a variation is allowed
	Breaks    []string // the requirements that a fault violates, and those that get a finding by a variation
	Under     string   // flags of a host on which a fault shows
	Variation bool
}

// Change is what is to be switched on or off, by ids; those of faults may have something set behind a colon.
type Change struct {
	On  []string `json:"on,omitempty"`
	Off []string `json:"off,omitempty"`
	All bool     `json:"all,omitempty"` // switch everything off first
}

// apply returns what is on after a change. What stays on keeps its place; what is set anew of a fault takes the place of the old.
func (c Change) apply(on []string) []string {
	if c.All {
		on = nil
	}
	off := map[string]bool{}
	for _, spec := range slices.Concat(c.Off, c.On) {
		id, _ := param.Split(spec)
		off[id] = true
	}
	on = slices.DeleteFunc(slices.Clone(on), func(spec string) bool {
		id, _ := param.Split(spec)
		return off[id] && !slices.Contains(c.On, spec)
	})
	for _, spec := range c.On {
		if !slices.Contains(on, spec) {
			on = append(on, spec)
		}
	}
	return on
}

// of returns the part of a change that a catalogue knows.
func (c Change) of(known map[string]bool) Change {
	pick := func(specs []string) (mine []string) {
		for _, spec := range specs {
			if id, _ := param.Split(spec); known[id] {
				mine = append(mine, spec)
			}
		}
		return mine
	}
	return Change{pick(c.On), pick(c.Off), c.All}
}

// switchers returns those of the visitors who may switch.
func switchers(who []visitor) (all []Switcher) {
	for _, v := range who {
		if s, ok := v.Visitor.(Switcher); ok {
			all = append(all, s)
		}
	}
	return all
}

// known returns the ids of a catalogue.
func known(s Switcher, variations bool) map[string]bool {
	ids := map[string]bool{}
	for _, row := range s.Catalogue() {
		if row.Variation == variations {
			ids[row.ID] = true
		}
	}
	return ids
}

// change switches faults and variations of the hosts of some visitors. An id that no host has is an [Unswitchable], and then
// nothing is switched.
func (c *Console) change(ctx context.Context, who []visitor, faults, variations Change) error {
	hosts := switchers(who)
	for _, kind := range []struct {
		name      string
		variation bool
		asked     Change
	}{{"fault", false, faults}, {"variation", true, variations}} {
		all := map[string]bool{}
		for _, s := range hosts {
			maps.Copy(all, known(s, kind.variation))
		}
		for _, spec := range slices.Concat(kind.asked.On, kind.asked.Off) {
			if id, _ := param.Split(spec); !all[id] {
				hint := "assay list " + kind.name + "s"
				if near := nearest.Name(id, slices.Collect(maps.Keys(all))); near != "" {
					hint = fmt.Sprintf("did you mean %q?", near)
				}
				return &Unswitchable{fmt.Errorf("there is no %s %q: %s", kind.name, id, hint)}
			}
		}
	}
	for _, s := range hosts {
		on := s.On()
		on.Faults = faults.of(known(s, false)).apply(on.Faults)
		on.Variations = variations.of(known(s, true)).apply(on.Variations)
		if err := s.Switch(ctx, on); err != nil {
			return err
		}
		c.log.InfoContext(ctx, "faults and variations were switched", "who", s, "faults", on.Faults, "variations", on.Variations)
	}
	c.told.tell(TopicAll)
	return nil
}

type faultsPage struct {
	Themes []faultTheme
	On     []string
	Total  int
	Mark   string // changes with what is on, so that a form made for something else is replaced
}

type faultTheme struct {
	Name string
	Rows []faultRow
	On   int
}

// Kind is what the theme's rows are called.
func (t faultTheme) Kind() string {
	if t.Rows[0].Variation {
		return "variation"
	}
	return "fault"
}

type faultRow struct {
	Switch
	Spec string // id, and what is set
	On   bool
}

// themeOf is what stands before the point in the id of a fault.
func themeOf(s Switch) string {
	if s.Variation {
		return "variations"
	}
	theme, _, _ := strings.Cut(s.ID, ".")
	return theme
}

func (p *faultsPage) add(s Switcher) {
	on := s.On()
	p.On = append(p.On, slices.Concat(on.Faults, on.Variations)...)
	for _, sw := range s.Catalogue() {
		name, specs := themeOf(sw), on.Faults
		if sw.Variation {
			specs = on.Variations
		}
		at := slices.IndexFunc(p.Themes, func(t faultTheme) bool { return t.Name == name })
		if at < 0 {
			at, p.Themes = len(p.Themes), append(p.Themes, faultTheme{Name: name})
		}
		row := faultRow{Switch: sw, Spec: sw.ID}
		if i := slices.IndexFunc(specs, func(spec string) bool { id, _ := param.Split(spec); return id == sw.ID }); i >= 0 {
			row.Spec, row.On = specs[i], true
			p.Themes[at].On++
		}
		p.Themes[at].Rows = append(p.Themes[at].Rows, row)
		p.Total++
	}
}

func (c *Console) faults(r *Request) error {
	var page faultsPage
	for _, s := range switchers(r.who) {
		page.add(s)
	}
	if page.Total == 0 {
		return errNotTheirs
	}
	page.Mark = strings.Join(page.On, " ")
	return r.Show(Page{Template: "faults", Title: "Faults", Here: MenuFaults, Body: page})
}

// switchFaults has the hosts commit the faults that are ticked, and no others.
func (c *Console) switchFaults(r *Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	ticked := func(name string) Change {
		if r.PostForm.Get("none") != "" {
			return Change{All: true}
		}
		return Change{On: r.PostForm[name]}
	}
	faults, variations := ticked("fault"), ticked("variation")
	for _, s := range switchers(r.who) { // what is on and not ticked goes off; the rest keeps its place
		on := s.On()
		faults.Off = append(faults.Off, missing(on.Faults, faults.On)...)
		variations.Off = append(variations.Off, missing(on.Variations, variations.On)...)
	}
	if err := c.change(r.Context(), r.who, faults, variations); err != nil {
		if unswitchable(err) {
			return r.Problem(http.StatusUnprocessableEntity, err.Error())
		}
		return fmt.Errorf("from the console: %w", err)
	}
	return r.GoTo(Prefix + "/faults")
}

// missing returns those of some specs whose ids are not among others.
func missing(specs, from []string) (gone []string) {
	for _, spec := range specs {
		id, _ := param.Split(spec)
		if !slices.ContainsFunc(from, func(other string) bool { o, _ := param.Split(other); return o == id }) {
			gone = append(gone, spec)
		}
	}
	return gone
}
