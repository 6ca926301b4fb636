package surface

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/refusal"
)

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
// first, so this sees only what passes a schema and still fits no Go type: an integer of 100 digits, for one.
func badRequest(err error) *refusal.Error {
	var (
		format  *openwopv1.InvalidParamFormatError
		missing *openwopv1.RequiredParamError
		many    *openwopv1.TooManyValuesForParamError
		body    *openwopv1.DecodeError
	)
	switch {
	case errors.As(err, &format):
		return invalid(format.ParamName, format.Error())
	case errors.As(err, &missing):
		return invalid(missing.ParamName, missing.Error())
	case errors.As(err, &many):
		return invalid(many.ParamName, many.Error())
	case errors.As(err, &body):
		return invalid(strings.ReplaceAll(strings.TrimPrefix(body.Pointer, "/"), "/", "."), body.Error())
	}
	return refusal.New(codeValidation, "the request cannot be read: "+err.Error())
}
