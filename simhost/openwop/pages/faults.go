package pages

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/openwop/fault"
)

type faultsPage struct {
	Themes []faultTheme
	On     []string
	Total  int
	Mark   string // changes with the faults that are on, so that a form made for others is replaced
}

type faultTheme struct {
	Name string
	Rows []faultRow
	On   int
}

type faultRow struct {
	fault.Fault
	On bool
}

// themesOf are all faults by what stands before the point in their ids, in the order of the catalogue.
func themesOf(on []string) []faultTheme {
	var themes []faultTheme
	for _, f := range fault.All() {
		name, _, _ := strings.Cut(f.ID, ".")
		at := slices.IndexFunc(themes, func(t faultTheme) bool { return t.Name == name })
		if at < 0 {
			at, themes = len(themes), append(themes, faultTheme{Name: name})
		}
		row := faultRow{Fault: f, On: slices.Contains(on, f.ID)}
		if row.On {
			themes[at].On++
		}
		themes[at].Rows = append(themes[at].Rows, row)
	}
	return themes
}

func (v visitor) faults(r *console.Request) error {
	on := v.host.Faults()
	page := faultsPage{Themes: themesOf(on), On: on, Total: len(fault.All()), Mark: strings.Join(on, " ")}
	return r.Show(console.Page{Template: "faults", Title: "Faults", Here: "Faults", Body: page})
}

// switchFaults has the host commit the faults that are ticked, and no others. Those that were on before keep their
// order.
func (v visitor) switchFaults(r *console.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	asked := r.PostForm["fault"]
	if r.PostForm.Get("none") != "" {
		asked = nil
	}
	for _, id := range asked {
		if _, err := fault.Find(id); err != nil {
			return r.Problem(http.StatusUnprocessableEntity, err.Error())
		}
	}
	on := slices.DeleteFunc(v.host.Faults(), func(id string) bool { return !slices.Contains(asked, id) })
	for _, id := range asked {
		if !slices.Contains(on, id) {
			on = append(on, id)
		}
	}
	if err := v.host.Switch(r.Context(), on); err != nil {
		return fmt.Errorf("from the console: %w", err)
	}
	r.Log().InfoContext(r.Context(), "faults were switched from the console", "who", v.who.Principal(), "on", on)
	r.Changed()
	return r.GoTo(console.Prefix + "/faults")
}
