package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/openassay/assay/scenarios"
)

// redrawn checks that each drive drew what its seed gives, and that what its observation says was drawn is among that. Another seed
// differs in every drive: the first is told.
func (v *run) redrawn(r *scenarios.Report) {
	switch drive, err := scenarios.Redraw(r.Drives, r.Seed, r.RunID.ID); {
	case errors.Is(err, scenarios.ErrManyDraws):
		v.problem(Problem{Kind: "seed", Drive: drive, Text: fmt.Sprintf("what was drawn was not drawn again: %s", err)})
		return
	case err != nil:
		v.problem(Problem{Kind: "seed", Drive: drive, Text: fmt.Sprintf("the seed %d does not give what was drawn: %s", r.Seed, err)})
		return
	}
	for _, d := range r.Drives {
		if text := undrawn(d); text != "" {
			v.problem(Problem{Kind: "seed", Drive: d.ID, Text: text})
			return
		}
	}
}

// undrawn says which number of the observation was to be drawn and is no draw of the drive, "" if there is none. Members
// that hold drawn numbers have the tag drawn; one that was not drawn after all is 0.
func undrawn(d scenarios.DriveRecord) (text string) {
	if len(d.Drawn) >= scenarios.MostDraws { // it may be one that was not noted
		return ""
	}
	drawn := map[int64]bool{0: true}
	for _, draw := range d.Drawn {
		if n, err := strconv.ParseInt(string(draw.Is), 10, 64); err == nil {
			drawn[n] = true
			continue
		}
		var list []int64
		if bytes.HasPrefix(draw.Is, []byte("[")) && json.Unmarshal(draw.Is, &list) == nil {
			for _, n := range list {
				drawn[n] = true
			}
		}
	}
	walk(reflect.ValueOf(d.Observation), "", func(member string, n int64) {
		if text == "" && !drawn[n] {
			text = fmt.Sprintf("%s noted %d as %s, and drew no such number", d.ID, n, member)
		}
	})
	return text
}

// walk calls see for each integer below members that have the tag drawn.
func walk(v reflect.Value, member string, see func(member string, n int64)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), member, see)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), member, see)
		}
	case reflect.Int, reflect.Int64:
		if member != "" {
			see(member, v.Int())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case !f.IsExported() && !f.Anonymous:
			case f.Tag.Get("drawn") != "":
				walk(v.Field(i), f.Tag.Get("json"), see)
			default:
				walk(v.Field(i), "", see)
			}
		}
	}
}
