package serving

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
)

// Recovered turns a panic of a handler into an error that fail logs and answers. What net/http would do, closing the connection,
// tells the client nothing. [http.ErrAbortHandler] stays a panic.
func Recovered(next http.Handler, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			fail(w, r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}()
		next.ServeHTTP(w, r)
	})
}
