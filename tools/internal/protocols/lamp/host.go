package lamp

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
)

// host is a simulated lamp. A stuck one commits the fault lamp.always-bright.
type host struct {
	*http.ServeMux
	mu         sync.Mutex
	brightness int
}

func newHost(stuck bool) *host {
	h := &host{ServeMux: http.NewServeMux(), brightness: 100}
	h.HandleFunc("GET /.well-known/lamp.json", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"name": "lamp", "version": "1", "dimmable": true})
	})
	h.HandleFunc("GET /lamp", func(w http.ResponseWriter, _ *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		reply(w, map[string]any{"brightness": h.brightness})
	})
	h.HandleFunc("PUT /lamp", func(w http.ResponseWriter, r *http.Request) {
		var told struct{ Brightness int }
		if err := json.NewDecoder(r.Body).Decode(&told); err != nil {
			http.Error(w, "a lamp takes {\"brightness\": N}", http.StatusBadRequest)
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if !stuck {
			h.brightness = told.Brightness
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return h
}

// Handler implements [protocols.Host].
func (h *host) Handler() http.Handler { return h }

// Close implements [protocols.Host].
func (h *host) Close(context.Context) error { return nil }

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // a client that is gone hears nothing
}
