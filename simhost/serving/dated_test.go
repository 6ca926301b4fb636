package serving_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/serving"
)

func TestDated(t *testing.T) {
	at := time.Date(2027, 1, 31, 10, 0, 0, 0, time.FixedZone("", 3600))
	w := httptest.NewRecorder()
	serving.Dated(func() time.Time { return at }, http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if got := w.Header().Get("Date"); got != "Sun, 31 Jan 2027 09:00:00 GMT" || w.Code != http.StatusNotFound {
		t.Errorf("Date %q, status %d", got, w.Code)
	}
}
