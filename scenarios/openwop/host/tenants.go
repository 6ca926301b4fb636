package host

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

const SendsTenants = "as each of two tenants: {create run}, {read run}"

// TenantPair is two tenants of one host: First is being certified, Other has a key of its own.
type TenantPair struct{ First, Other Host }

const (
	GiveOtherKey = "give the key of another tenant, which may do what the first may, with --tenant-b-key or ASSAY_TENANT_B_KEY"
	TheOther     = "the other tenant"
	TheFirst     = "the first tenant"

	neverThere = ", which never was"
	ownRun     = "a run of its own"
)

// Tenants holds a run of each tenant. The runs show that both keys work and belong to different tenants.
type Tenants struct {
	First Tenant `json:"first"`
	Other Tenant `json:"other"`
}

// Tenant is a tenant that has made a run and read it.
type Tenant struct {
	Name    string   `json:"name"`
	Created Answered `json:"created"`
	Read    Answered `json:"read"`
}

// RunID returns the id of the tenant's run.
func (t Tenant) RunID() string { return t.Created.Body.Key("runId").String() }

// Owner returns the owner that the tenant's run shows.
func (t Tenant) Owner() wire.Value { return t.Read.Body.Key("owner") }

// Given blocks the judge unless both tenants can use the host and are different.
func (o Tenants) Given(j *scenarios.Judge) {
	for _, t := range []Tenant{o.First, o.Other} {
		if !Succeeded(t.Created.Status) || !Succeeded(t.Read.Status) {
			j.Block(fmt.Sprintf("setup failed: the run of %s cannot be made or read: HTTP %s and %s", t.Name, t.Created.Status.JSON(),
				t.Read.Status.JSON()), GiveOtherKey)
		}
	}
	first, other := o.First.Owner(), o.Other.Owner()
	if name := first.Key("tenant").String(); name != "" && name == other.Key("tenant").String() &&
		first.Key("workspace").JSON() == other.Key("workspace").JSON() {
		j.Block("both keys belong to the tenant "+name, GiveOtherKey)
	}
}

// TwoTenants has each tenant make a run and read it at its end.
func (h Host) TwoTenants(ctx context.Context) (TenantPair, Tenants) {
	conn, ok := h.Other()
	if !ok {
		scenarios.End(scenarios.Block("there is nobody of another tenant: no key was given with --tenant-b-key", GiveOtherKey))
	}
	t := TenantPair{h, Host{conn}}
	var o Tenants
	o.Other = t.Other.present(ctx, TheOther)
	h.ownCredentialOnly(o.Other.Created)
	o.First = t.First.present(ctx, TheFirst)
	return t, o
}

// present makes a run of the tenant and reads it at its end.
func (h Host) present(ctx context.Context, who string) Tenant {
	o := Tenant{Name: who}
	simple := h.Simple()
	simple.Metadata = h.Labelled()
	reply := h.Do(ctx, wire.Call{Operation: dialect.CreateRun.Of(), Body: simple, Label: ownRun + ", of " + who, Secrets: InterruptTokens})
	if Forbids(reply.Status) {
		scenarios.End(scenarios.Block(fmt.Sprintf("{create run} answered HTTP %d: the host does not accept the key of %s", reply.Status,
			who), GiveOtherKey))
	}
	r := h.Adopt(reply)
	if o.Created = AnsweredBy(ownRun, reply); r.ID == "" {
		return o
	}
	r.AwaitEnd(ctx)
	read := r.Snapshot(ctx, ownRun)
	o.Read = AnsweredBy(ownRun, read)
	return o
}

// ownCredentialOnly blocks the drive if the operator's headers hold a credential: the other tenant sends them too,
// and the host may identify the first tenant by them.
func (h Host) ownCredentialOnly(sent Answered) {
	for name, value := range h.Transcript().Entry(sent.Status.Ref().Exchange).Request.Header {
		if value == "<secret>" {
			scenarios.End(scenarios.Block("the header "+name+" goes out with every request, and the other tenant's would hold it too",
				"give the credentials with --key and --tenant-b-key in place of --header"))
		}
	}
}

// TenantCall is one operation on another tenant's resource, and the same operation on a missing one.
type TenantCall struct {
	By       string   `json:"by"`
	Theirs   string   `json:"theirs"` // the id
	Never    string   `json:"never"`
	Needed   bool     `json:"needed"` // every host has this operation
	Existing Answered `json:"existing"`
	Missing  Answered `json:"missing"`
	// Other is the same operation on another missing one, and Again once more on theirs. Zero at quick.
	Other Answered `json:"other,omitzero"`
	Again Answered `json:"again,omitzero"`
}

// Intrude requests another tenant's resource and a missing one. call makes the request for an id.
func (h Host) Intrude(ctx context.Context, by, what string, needed bool, theirs, never string, call func(id string) wire.Call) TenantCall {
	o := TenantCall{By: by, Theirs: theirs, Never: never, Needed: needed}
	type asked struct {
		id, what string
		into     *Answered
	}
	asks := []asked{{theirs, what, &o.Existing}, {never, what + neverThere, &o.Missing}}
	if h.Depth > scenarios.Quick {
		asks = append(asks, asked{StrangerOf(never), what + neverThere, &o.Other}, asked{theirs, what + ", once more", &o.Again})
	}
	for _, ask := range asks {
		request := call(ask.id)
		request.Label, request.Secrets = ask.what+", by "+by, InterruptTokens
		reply := h.Do(ctx, request)
		*ask.into = AnsweredBy(ask.what+", by "+by, reply)
	}
	return o
}

// IsListed reports whether a list contains an id.
func IsListed(list wire.Value, id string) bool {
	return Holds(list.Actual(), id)
}
