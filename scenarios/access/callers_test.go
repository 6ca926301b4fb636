package access_test

import (
	"testing"

	"github.com/openassay/assay/scenarios/access"
	"github.com/openassay/assay/scenarios/wire"
)

func TestCallersSendWhatIsNearlyRight(t *testing.T) {
	for caller, want := range map[access.Caller]string{
		access.Nobody: "", access.Empty: "", access.Unknown: "l-efw-23", access.Malformed: "l-efw-23", access.Longer: "k-dev-12x",
		access.Shorter: "k-dev-1",
	} {
		if got := caller.Carries().Of("k-dev-12"); got != want {
			t.Errorf("%s: %q, want %q", caller, got, want)
		}
	}
	for k, want := range map[wire.Credential]string{wire.Longer: "devxx", wire.Shorter: "d", wire.Unknown: "efwx"} {
		if got := k.Of("dev", "devx", "de", "efw"); got != want {
			t.Errorf("%s: %q, want %q, since the others are right too", k, got, want)
		}
	}
	for k, right := range map[wire.Credential]string{wire.Shorter: "", wire.Unknown: "--", wire.Longer: ""} {
		if got := k.Of(right); got == right {
			t.Errorf("%s of %q is that itself", k, right)
		}
	}
}

func TestTheTableHasEveryCell(t *testing.T) {
	c, err := access.Read([]byte(lamps))
	if err != nil {
		t.Fatal(err)
	}
	cells := c.Table(func(w access.Way, who access.Caller) string {
		if !w.Secured {
			return "it asks for none"
		}
		return ""
	})
	if len(cells) != len(c.Ways)*len(access.Callers) {
		t.Errorf("%d cells", len(cells))
	}
	if got := len(access.By(access.Longer, cells)); got != len(c.Ways) {
		t.Errorf("%d cells of a caller", got)
	}
	for _, cell := range cells {
		if (cell.Reason == "") != cell.Way.Secured {
			t.Errorf("%s, %s: %q", cell.Way.Name(), cell.Caller, cell.Reason)
		}
	}
}
