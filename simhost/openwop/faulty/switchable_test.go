package faulty

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/simhost/serving"
)

func switchable(t *testing.T, o Options) *Switchable {
	t.Helper()
	s, err := OpenSwitchable(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		bound, cancel := context.WithTimeout(context.Background(), testenv.Patience(20*time.Second))
		defer cancel()
		if err := s.Close(bound); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *Switchable) ask(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer dev")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// Requests that come while faults are switched are answered by the host before or the one after, never by none, and a run goes
// on from where it stood.
func TestFaultsAreSwitchedUnderLoad(t *testing.T) {
	s := switchable(t, Options{})
	var asks openwopv1.CreateRunResponse
	if err := json.Unmarshal(s.ask(t, http.MethodPost, "/v1/runs", `{"workflowId":"assay-questions"}`).Body.Bytes(), &asks); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if w := s.ask(t, http.MethodPost, "/v1/runs", `{"workflowId":"assay-loop"}`); w.Code != http.StatusCreated {
					t.Errorf("create: %d %s", w.Code, w.Body)
				}
				if w := s.ask(t, http.MethodGet, "/v1/runs/"+asks.RunID, ""); w.Code != http.StatusOK {
					t.Errorf("read: %d %s", w.Code, w.Body)
				}
				if err := s.With(func(h *surface.Host) error {
					c, _ := h.Caller("dev")
					_, _, err := h.Runs(t.Context(), c, 0, 5)
					return err
				}); err != nil {
					t.Errorf("look: %v", err)
				}
			}
		})
	}
	for _, on := range [][]string{{"loop.iteration-resets-on-resume"}, {}, {"loop.reason-lost", "loop.seam-constant"},
		{"loop.reason-lost"}, nil} {
		if err := s.Switch(t.Context(), serving.Switches{Faults: on}); err != nil {
			t.Fatal(err)
		}
		if got := s.On().Faults; !slices.Equal(got, on) {
			t.Errorf("on are %q, want %q", got, on)
		}
	}
	close(stop)
	work.Wait()
	if w := s.ask(t, http.MethodPost, "/v1/runs/"+asks.RunID+"/interrupts/ask",
		`{"resumeValue":{"answers":{"q1":"yes"}}}`); w.Code != http.StatusOK {
		t.Errorf("answer: %d %s", w.Code, w.Body)
	}
}

// What cannot be switched to changes nothing; what is closed stays closed.
func TestASwitchThatCannotBe(t *testing.T) {
	s := switchable(t, Options{Faults: []string{"loop.reason-lost"}})
	if err := s.Switch(t.Context(), serving.Switches{Faults: []string{"loop.no-such"}}); err == nil {
		t.Error("a fault that is not there was switched on")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Switch(gone, serving.Switches{}); !errors.Is(err, context.Canceled) {
		t.Errorf("somebody who has left: %v", err)
	}
	if got := s.On().Faults; !slices.Equal(got, []string{"loop.reason-lost"}) {
		t.Errorf("on are %q", got)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Switch(t.Context(), serving.Switches{}); !errors.Is(err, serving.ErrHostClosed) {
		t.Errorf("after the end: %v", err)
	}
	if w := s.ask(t, http.MethodGet, "/healthz", ""); w.Code != http.StatusServiceUnavailable {
		t.Errorf("after the end: %d", w.Code)
	}
	if err := s.With(func(*surface.Host) error { return nil }); !errors.Is(err, serving.ErrHostClosed) {
		t.Errorf("after the end: %v", err)
	}
}
