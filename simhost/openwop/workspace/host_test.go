package workspace

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/refusal"
)

func TestMain(m *testing.M) {
	testenv.Draws(30)
	goleak.VerifyTestMain(m)
}

const secret = "sk-1234567"

// wire is the event log, of which an answer can be lost.
type wire struct {
	*eventlog.Store
	deaf error // what an append fails with after it was stored
}

func (w *wire) Append(ctx context.Context, log string, after uint64, data []byte) (uint64, error) {
	revision, err := w.Store.Append(ctx, log, after, data)
	if w.deaf != nil {
		return 0, w.deaf
	}
	return revision, err
}

// host is the files of a host that can be started again.
type host struct {
	*Files
	t       testing.TB
	o       Options
	log     *wire
	clock   *clock.Manual
	crashes int
}

func newHost(t testing.TB, o Options) *host {
	t.Helper()
	store, err := eventlog.Open(context.Background(), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.FixedZone("east", 3600))
	h := &host{t: t, o: o, log: &wire{Store: store}, clock: clock.NewManual(start)}
	h.o.Log, h.o.Clock = h.log, h.clock
	h.reopen()
	return h
}

func (h *host) reopen() {
	files, err := Open(h.o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.Files = files
}

func (h *host) close() {
	if err := h.log.Close(); err != nil {
		h.t.Error(err)
	}
}

// startHost is a host that ends with the test.
func startHost(t *testing.T, o Options) *host {
	t.Helper()
	h := newHost(t, o)
	t.Cleanup(h.close)
	return h
}

func (h *host) mustPut(t *testing.T, owner Owner, path, content string) openwopv1.WorkspaceFile {
	t.Helper()
	f, err := h.Put(t.Context(), owner, Put{Path: path, Content: content})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tester is what a *testing.T and a *rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

func wantRefusal(t tester, err error, code string) *refusal.Error {
	t.Helper()
	e := (*refusal.Error)(nil)
	if !errors.As(err, &e) || e.Code != code || e.Message == "" {
		t.Fatalf("got error %v, want a refusal with %s", err, code)
	}
	return e
}

func wantFile(t tester, got, want openwopv1.WorkspaceFile) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v (%s, %s), want %+v (%s, %s)", got, *got.ContentType, *got.Etag, want, *want.ContentType, *want.Etag)
	}
}
