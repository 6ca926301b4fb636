package serving

import (
	"net/http"
	"time"
)

// Dated has replies say in their Date what time it is by the clock of the host, which net/http does not know.
func Dated(now func() time.Time, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", now().UTC().Format(http.TimeFormat))
		next.ServeHTTP(w, r)
	})
}
