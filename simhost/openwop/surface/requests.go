package surface

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/openassay/assay/gen/openwopv1"
)

// requests counts those under way, so that Close can wait for them.
type requests struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n falls to 0 after somebody began to wait; nil until then
}

func (q *requests) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q.add(1)
		defer q.add(-1)
		next.ServeHTTP(w, r)
	})
}

func (q *requests) add(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n += n
	if q.n == 0 && q.none != nil {
		close(q.none)
		q.none = nil
	}
}

// wait returns when no request is under way, or with an error when ctx ends first.
func (q *requests) wait(ctx context.Context) error {
	q.mu.Lock()
	n := q.n
	if n > 0 && q.none == nil {
		q.none = make(chan struct{})
	}
	none := q.none
	q.mu.Unlock()
	if n == 0 {
		return nil
	}
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close the host: %d requests are still under way: %w", n, ctx.Err())
	}
}

// requestKey carries the request in the context of a handler of the generated server, which hands over the declared
// parameters only.
type requestKey struct{}

func withRequest(next openwopv1.StrictHandlerFunc, operation string) openwopv1.StrictHandlerFunc {
	if operation != "StreamRunEvents" && operation != "CreateRun" { // those that depend on headers which are no parameters
		return next
	}
	return func(ctx context.Context, w http.ResponseWriter, r *http.Request, request any) (any, error) {
		return next(context.WithValue(ctx, requestKey{}, r), w, r, request)
	}
}

// badRequest turns what the generated code found wrong with a request into a refusal. The contract's checks come
// first, so this sees only what passes a schema and still fits no Go type: an integer written 1.0, for one.
func badRequest(err error) *refusal {
	var (
		format  *openwopv1.InvalidParamFormatError
		missing *openwopv1.RequiredParamError
		many    *openwopv1.TooManyValuesForParamError
		number  *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &format):
		return invalid(format.ParamName, "parameter "+format.Error())
	case errors.As(err, &missing):
		return invalid(missing.ParamName, missing.Error())
	case errors.As(err, &many):
		return invalid(many.ParamName, many.Error())
	case errors.As(err, &number): // what the schema takes for an integer and a Go integer is not: 1.0, 1e30
		message := "the " + number.Value + " is no whole number of 64 bits: write it out, without a fraction or an exponent"
		if number.Field == "" { // inside an object that decodes itself
			return refuse(codeValidation, message)
		}
		return invalid(number.Field, number.Field+": "+message)
	}
	return refuse(codeValidation, "the request cannot be read: "+err.Error())
}
