package support

import (
	"net/http"
)

// writeStream writes a response that is an event stream.
func writeStream[T any](w http.ResponseWriter, status int, media string, stream func(*EventWriter[T]) error) error {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	out := &EventWriter[T]{w, http.NewResponseController(w)}
	if err := out.flush.Flush(); err != nil || stream == nil {
		return afterHeader(err)
	}
	return afterHeader(stream(out))
}
