package surface

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

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
// first, so this sees only what passes a schema and still fits no Go type: an integer written 1.0, for one.
func badRequest(err error) *refusal.Error {
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
			return refusal.New(codeValidation, message)
		}
		return invalid(number.Field, number.Field+": "+message)
	}
	return refusal.New(codeValidation, "the request cannot be read: "+err.Error())
}
