package main

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openassay/assay/simhost/openwop/faulty"
)

// behaves FAULT KEY starts a host at $URL that keeps its promises until its discovery document is fetched a second time,
// and then commits the fault.
func behaves(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: behaves FAULT KEY")
	}
	var o faulty.Options
	o.Key = args[1]
	honest, err := faulty.New(context.Background(), o)
	ts.Check(err)
	o.Faults = []string{args[0]}
	other, err := faulty.New(context.Background(), o)
	ts.Check(err)
	var fetched atomic.Int32
	atURL(ts, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/openwop" {
			fetched.Add(1)
		}
		if fetched.Load() < 2 {
			honest.Handler().ServeHTTP(w, r)
			return
		}
		other.Handler().ServeHTTP(w, r)
	}), func(ctx context.Context) error { return errors.Join(honest.Close(ctx), other.Close(ctx)) })
}
