package prove_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/simhost/openwop/faulty"
	"github.com/openassay/assay/tools/internal/protocols"
)

// A faulty host says of itself what the honest one says, word for word, unless its discovery document is what it lies in.
func TestNoHostTellsOfItsFaults(t *testing.T) {
	for _, f := range fault.All() {
		t.Run(f.ID, func(t *testing.T) {
			t.Parallel()
			o := protocols.HostFault(f).Specimen.(protocols.OpenWOP)
			lying := says(t, o)
			o.Faults = nil
			honest := says(t, o)
			if diff := cmp.Diff(honest, lying); (diff != "") != f.Lies {
				t.Errorf("(-honest +faulty)\n%s", diff)
			}
			for _, text := range lying {
				if strings.Contains(text, f.ID) {
					t.Error("it names its fault")
				}
			}
		})
	}
}

// says is what a host tells everybody: its banner, and its discovery document.
func says(t *testing.T, o protocols.OpenWOP) []string {
	t.Helper()
	o.URL = "http://127.0.0.1:7411"
	h, err := faulty.New(t.Context(), faulty.Options{Options: o.Options, Faults: o.Faults})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	answer := httptest.NewRecorder()
	h.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/.well-known/openwop", nil))
	return []string{h.Banner(o.URL), answer.Body.String()}
}
