// The package beside this test is generated from ../../testdata/parcel. That it compiles is half of the test; the other
// half is that what it holds works together.
package parcel_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/tools/specgen/internal/parcel"
)

// depot implements the generated strict server.
type depot struct{ moved []any }

var takenAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (d *depot) CreateParcel(_ context.Context, r parcel.CreateParcelRequestObject) (parcel.CreateParcelResponseObject, error) {
	return parcel.CreateParcel201JSONResponse{ParcelID: "p1", To: r.Body.To, State: new(parcel.ParcelStateTaken), TakenAt: takenAt}, nil
}

func (d *depot) GetParcel(_ context.Context, r parcel.GetParcelRequestObject) (parcel.GetParcelResponseObject, error) {
	refused := parcel.ErrorEnvelope{Error: "not_found", Message: "no parcel " + r.ParcelID}
	return parcel.GetParceldefaultJSONResponse{Body: refused, StatusCode: 404}, nil
}

func (d *depot) MoveParcel(_ context.Context, r parcel.MoveParcelRequestObject) (parcel.MoveParcelResponseObject, error) {
	d.moved = append(d.moved, r.Body)
	_, unknown := r.Body.(parcel.MoveUnknown)
	return parcel.MoveParcel200JSONResponse{Moved: !unknown, Step: r.Body}, nil
}

func (d *depot) StreamParcelEvents(context.Context,
	parcel.StreamParcelEventsRequestObject) (parcel.StreamParcelEventsResponseObject, error) {
	return parcel.StreamParcelEvents200TextEventStreamResponse{Stream: func(w *parcel.EventWriter[string]) error {
		return w.Send(parcel.StreamEvent[string]{Data: "{}"})
	}}, nil
}

func newClient(t *testing.T, d *depot) *parcel.ClientWithResponses {
	t.Helper()
	server := httptest.NewServer(parcel.Handler(d))
	t.Cleanup(server.Close)
	client, err := parcel.NewClientWithResponses(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestClientAndServerAgree(t *testing.T) {
	client := newClient(t, &depot{})
	to := parcel.Address{City: "Riga", Lines: []string{"Brivibas 1"}}
	reply, err := client.CreateParcelWithResponse(t.Context(), nil, parcel.CreateParcelRequest{To: to})
	if err != nil {
		t.Fatal(err)
	}
	want := &parcel.Parcel{ParcelID: "p1", To: to, State: new(parcel.ParcelStateTaken), TakenAt: takenAt}
	if diff := cmp.Diff(want, reply.JSON201); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	if strings.Contains(string(reply.Body), "doneAt") {
		t.Errorf("an absent time was sent: %s", reply.Body)
	}
	missing, err := client.GetParcelWithResponse(t.Context(), "p9")
	if err != nil {
		t.Fatal(err)
	}
	if missing.StatusCode() != 404 || missing.JSONDefault == nil || missing.JSONDefault.Message != "no parcel p9" {
		t.Errorf("missing parcel: got %d %s", missing.StatusCode(), missing.Body)
	}
	var data []string
	for event, err := range client.Client.StreamParcelEventsSeq(t.Context(), "p1", nil, parcel.StreamOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, event.Data)
	}
	if diff := cmp.Diff([]string{"{}"}, data); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
}

func TestUnionKeepsItsBranch(t *testing.T) {
	d := &depot{}
	client := newClient(t, d)
	reply, err := client.MoveParcelWithResponse(t.Context(), "p1", parcel.ShipStep{By: "rail"}) // the kind is stamped
	if err != nil {
		t.Fatal(err)
	}
	want := parcel.ShipStep{Kind: parcel.ShipStepKindShip, By: "rail"}
	if diff := cmp.Diff([]any{want}, d.moved); diff != "" {
		t.Errorf("the server saw (-want +got):\n%s", diff)
	}
	if reply.JSON200 == nil || !reply.JSON200.Moved {
		t.Fatalf("reply: %s", reply.Body)
	}
	if got := reply.JSON200.Step; got != parcel.Move(want) {
		t.Errorf("the client got %v", got)
	}
}

// A struct with a map for the rest has a marshaller of its own; it too must leave out what is absent.
func TestAbsentStaysAbsent(t *testing.T) {
	for name, v := range map[string]any{"struct": parcel.ParcelDonePayload{}, "struct with a map": parcel.LabelsPrinted{}} {
		if got, err := json.Marshal(v); err != nil || string(got) != "{}" {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
	const full = `{"code":"AB1","of":{"city":"Riga"},"raw":[1.0],"left":3}` // the rest comes last
	var label parcel.LabelsPrinted
	if err := json.Unmarshal([]byte(full), &label); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(label); err != nil || string(got) != full {
		t.Errorf("round trip: got %s, %v; want %s", got, err, full)
	}
}

func TestDecodePayload(t *testing.T) {
	got, known, err := parcel.DecodePayload("parcel.moved", json.RawMessage(`{"hop":2,"unknown":true}`))
	if diff := cmp.Diff(&parcel.ParcelMovedPayload{Hop: 2}, got); diff != "" || !known || err != nil {
		t.Errorf("known type: %v, %v\n%s", known, err, diff)
	}
	if got, known, err := parcel.DecodePayload("parcel.scanned.riga", json.RawMessage(`{"at":"2026-01-02T03:04:05Z"}`)); !known || err != nil {
		t.Errorf("type of a family: %v, %v", known, err)
	} else if _, ok := got.(*parcel.ParcelScannedPayload); !ok {
		t.Errorf("type of a family: decoded as a %T", got)
	}
	if got, known, err := parcel.DecodePayload("vendor.parcel.kissed", json.RawMessage(`]`)); got != nil || known || err != nil {
		t.Errorf("unknown type: got %v, %v, %v; want it let through", got, known, err)
	}
	if _, known, err := parcel.DecodePayload("parcel.moved", json.RawMessage(`{"hop":"far"}`)); !known || err == nil {
		t.Errorf("payload of the wrong type: got %v, %v", known, err)
	}
}

func TestEvents(t *testing.T) {
	want := []parcel.EventType{"parcel.done", "parcel.lost", "parcel.moved", "parcel.taken"}
	if diff := cmp.Diff(want, parcel.EventTypes()); diff != "" {
		t.Errorf("event types (-want +got):\n%s", diff)
	}
	taken := parcel.Events["parcel.taken"] // its entry in $defs is a mere $ref to another schema
	if taken.SchemaRef != "https://parcel.test/v1/parcel-event-payloads.schema.yaml#/$defs/parcelTaken" || taken.Component != "Parcel" {
		t.Errorf("parcel.taken: %q, %q", taken.SchemaRef, taken.Component)
	}
	if _, ok := taken.New().(*parcel.Parcel); !ok {
		t.Errorf("parcel.taken makes a %T", taken.New())
	}
}

func TestEventFamilies(t *testing.T) {
	spec, known := parcel.EventOf("parcel.scanned.riga")
	if !known || spec.Type != "parcel.scanned.riga" || spec.Component != "ParcelScannedPayload" {
		t.Errorf("type of a family: %v, %q, %q", known, spec.Type, spec.Component)
	}
	if spec, known := parcel.EventOf("parcel.moved"); !known || spec.Component != "ParcelMovedPayload" {
		t.Errorf("type with a name: %v, %q", known, spec.Component)
	}
	for _, stranger := range []parcel.EventType{"parcel.scanned", "parcel.scanned.Riga", "parcel.scanned.riga\n",
		"a.parcel.scanned.riga", "^parcel\\.scanned\\.[a-z]+$"} {
		if _, known := parcel.EventOf(stranger); known {
			t.Errorf("%q passes for a type of the family", stranger)
		}
	}
	if f := parcel.EventFamilies()[0]; string(f.Type) != f.Pattern.String() {
		t.Errorf("the family calls itself %q", f.Type)
	}
}

func TestBundleValidatesInFull(t *testing.T) {
	set, err := validate.New(parcel.Bundled())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range parcel.Events {
		if _, err := set.Component(e.Component); err != nil {
			t.Errorf("payload of %s: %v", e.Type, err)
		}
	}
	pointer, ok := parcel.ComponentPointer("Parcel")
	if !ok {
		t.Fatal("no pointer for Parcel")
	}
	schema, err := set.At(pointer)
	if err != nil {
		t.Fatal(err)
	}
	// if/then has no form in Go, and yet it holds.
	problems := schema.Validate([]byte(`{"parcelId":"p","to":{"city":"Riga"},"state":"done","takenAt":"2026-01-02T03:04:05Z","label":{"code":"xyz"}}`))
	want := []string{"missing property doneAt", `label.code: does not match the pattern ^[A-Z]{2}[0-9]+$`}
	var got []string
	for _, p := range problems {
		got = append(got, p.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if _, ok := parcel.ComponentPointer("Nothing"); ok {
		t.Error("a pointer for a component that is not there")
	}
}

func TestFixturesAreValid(t *testing.T) {
	set, err := validate.New(parcel.Bundled())
	if err != nil {
		t.Fatal(err)
	}
	schema, err := set.Component("CreateParcelRequest")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(parcel.Fixtures, "fixtures/*.json")
	if err != nil || len(files) != 2 {
		t.Fatalf("fixtures: %v, %v", files, err)
	}
	for _, file := range files {
		data, err := parcel.Fixtures.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if problems := schema.Validate(data); len(problems) > 0 {
			t.Errorf("%s: %v", file, problems)
		}
	}
}

// The constants are untyped, so that they fit whatever type a caller has for ids.
type requirementID string

const firstID requirementID = parcel.PRC01A1

func TestRequirements(t *testing.T) {
	if got := parcel.Requirements[0]; got.ID != string(firstID) || got.Evidence != "attested" ||
		got.Text != "A parcel that was taken in has an id." {
		t.Errorf("first requirement: %+v", got)
	}
	if got := parcel.Requirements[1]; got.Evidence != "observed" || got.Aliases[0] != "PRC-01-OLD" {
		t.Errorf("second requirement: %+v", got)
	}
	if got := parcel.Requirements[2]; got.Reason != "planned" || got.Issue != 7 {
		t.Errorf("third requirement: %+v", got)
	}
}
