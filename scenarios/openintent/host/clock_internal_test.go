package host

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// No clock is asked for more than the contract has, and all of the time passes.
func TestLongTimesPassInSpans(t *testing.T) {
	file, err := os.ReadFile("../../../spec/openintent/v1/schemas/advance-clock-request.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Properties struct{ Seconds struct{ Maximum float64 } }
	}
	if err := json.Unmarshal(file, &contract); err != nil {
		t.Fatal(err)
	}
	most := contract.Properties.Seconds.Maximum
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(1, int64(50*mostAtOnce)).Draw(t, "d"))
		var sum time.Duration
		for _, span := range spans(d) {
			if sum += span; span <= 0 || span.Seconds() > most {
				t.Fatalf("%s is asked for at once", span)
			}
		}
		if sum != d {
			t.Fatalf("%s passes, not %s", sum, d)
		}
	})
}
