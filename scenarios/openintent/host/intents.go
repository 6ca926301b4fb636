package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// MustLease takes a lease on an intent, or ends the drive.
func (i *Intent) MustLease(ctx context.Context, label string, seconds int) Reply {
	reply := i.Lease(ctx, label, Scope, seconds)
	switch {
	case MissingRoute(reply):
		scenarios.End(scenarios.NotThere(reply.Status, "leases on intents (POST "+i.Prefix+"/intents/{id}/leases)"))
	case !reply.Ok() || reply.Body.Key("id").String() == "":
		i.SetUp("take a lease on an intent", reply)
	}
	return reply
}

// Renew has a lease on the intent last for so many seconds from now.
func (i *Intent) Renew(ctx context.Context, label, lease string, seconds int) Reply {
	return i.Ask(ctx, label, http.MethodPatch, At("/intents/%s/leases/%s", i.ID, lease), map[string]any{"duration_seconds": seconds})
}

// AnyLease takes a lease of a minute, or of the least time that the server takes, or ends the drive.
func (i *Intent) AnyLease(ctx context.Context, label string) (reply Reply, seconds int) {
	refused := scenarios.Try(func() { reply = i.MustLease(ctx, label, usualLease) })
	if refused == nil || !IsBlocked(refused) {
		scenarios.End(refused)
		return reply, usualLease
	}
	for _, longer := range scenarios.LongLimits() {
		seconds = int(longer.Seconds())
		if err := scenarios.Try(func() { reply = i.MustLease(ctx, label, seconds) }); err == nil {
			return reply, seconds
		}
	}
	scenarios.End(refused)
	return reply, seconds
}

// usualLease is how long most of our leases last, in seconds.
const usualLease = 60

// The statuses of an intent.
const (
	Draft     = "draft"
	Active    = "active"
	Blocked   = "blocked"
	Suspended = "suspended_awaiting_input"
	Completed = "completed"
	Abandoned = "abandoned"
)

// Intent is an intent on the target.
type Intent struct {
	*Server
	ID   string
	Made Reply
	sid  string       // of its suspension, for the clean-up
	told atomic.Int64 // the highest version that a reply to a write has told
}

// NewIntent makes an intent without a parent, and brings it into a status: draft or active.
func (s *Server) NewIntent(ctx context.Context, stem, status string, more map[string]any) *Intent {
	body := map[string]any{"title": s.Name(stem), "status": status}
	maps.Copy(body, more)
	id, made := s.create(ctx, "an intent", "/intents", "/intents", body)
	i := s.adopt(id, made)
	if made.Body.Key("status").String() != status {
		i.Must(ctx, status)
	}
	return i
}

// Child makes a child of p and activates it. A child with dependencies may stay blocked.
func (p *Intent) Child(ctx context.Context, stem string, deps ...string) *Intent {
	return p.ChildWith(ctx, stem, nil, deps...)
}

// ChildWith is like Child; the child starts with a state.
func (p *Intent) ChildWith(ctx context.Context, stem string, state map[string]any, deps ...string) *Intent {
	body := map[string]any{"title": p.Name(stem), "depends_on": append([]string{}, deps...)}
	if state != nil {
		body["state"] = state
	}
	id, made := p.create(ctx, "a child of an intent", "/intents/{id}/children", At("/intents/%s/children", p.ID), body)
	k := p.adopt(id, made)
	if kept := made.Body.Key("depends_on").Items(); len(kept) != len(deps) {
		p.SetUp("make a child with its depends_on", made)
		return k
	}
	if len(deps) > 0 {
		k.Set(ctx, Active, "have the child active")
		return k
	}
	k.Must(ctx, Active)
	return k
}

// adopt notes an intent that was made, so that the clean-up abandons it.
func (s *Server) adopt(id string, made Reply) *Intent {
	i := &Intent{Server: s, ID: id, Made: made}
	i.tells(made)
	s.Leave(NameOf(id), i.abandon)
	return i
}

// NameOf is how the clean-up calls an intent.
func NameOf(intent string) string { return "intent " + intent }

// Again returns an intent that an earlier part of the drive made, for the clean-up with the id of its suspension.
func (s *Server) Again(id, suspension string) *Intent {
	i := s.adopt(id, Reply{})
	i.sid = suspension
	return i
}

// DependOn makes the intent depend on another.
func (i *Intent) DependOn(ctx context.Context, other *Intent) Reply {
	return i.write(ctx, "let an intent wait for another", func(version string) wire.Call {
		c := i.Call("let an intent wait for another", http.MethodPost, At("/intents/%s/dependencies", i.ID),
			map[string]any{"dependency_id": other.ID})
		c.Header = map[string]string{"If-Match": version}
		return c
	})
}

// Free lets the intent depend on another no more. A refusal does not end the drive.
func (i *Intent) Free(ctx context.Context, other *Intent) Reply {
	return i.write(ctx, "take a dependency away", func(version string) wire.Call {
		c := i.Call("take a dependency away", http.MethodDelete, At("/intents/%s/dependencies/%s", i.ID, other.ID), nil)
		c.Header = map[string]string{"If-Match": version}
		return c
	})
}

// Read reads the intent, when it can be expected to show all that happened until now.
func (i *Intent) Read(ctx context.Context, label string) Reply {
	i.CatchUp(ctx)
	return i.shown(ctx, label)
}

// tells notes the version in the reply to a write.
func (i *Intent) tells(reply Reply) {
	version, _ := reply.Body.Key("version").Int()
	for told := i.told.Load(); version > told && !i.told.CompareAndSwap(told, version); told = i.told.Load() {
	}
}

// current reads the intent when it shows what the server has told of it: a read may be later than the replies to writes.
func (i *Intent) current(ctx context.Context, label string) Reply {
	now := i.Read(ctx, label)
	if version, ok := now.Body.Key("version").Int(); ok && version < i.told.Load() {
		i.Await(ctx, label, func(ctx context.Context) (wire.Value, bool) {
			now = i.shown(ctx, label)
			version, _ := now.Body.Key("version").Int()
			return now.Body.Key("version"), version >= i.told.Load()
		})
	}
	return now
}

// shown is the intent as it is shown at this moment.
func (i *Intent) shown(ctx context.Context, label string) Reply {
	return i.Get(ctx, label, At("/intents/%s", i.ID))
}

// Set asks for a status. A refusal does not end the drive.
func (i *Intent) Set(ctx context.Context, status, label string) Reply {
	return i.write(ctx, label, func(version string) wire.Call {
		c := i.SetCall(status, label)
		c.Header = map[string]string{"If-Match": version}
		return c
	})
}

// SetCall returns the call that asks for a status, without a version.
func (i *Intent) SetCall(status, label string) wire.Call {
	return i.Call(label, http.MethodPost, At("/intents/%s/status", i.ID), map[string]any{"status": status, "reason": i.Label()})
}

// Patch writes a key of the state.
func (i *Intent) Patch(ctx context.Context, key string, value any, label string) Reply {
	return i.write(ctx, label, func(version string) wire.Call {
		c := i.PatchCall(key, value, label)
		c.Header = map[string]string{"If-Match": version}
		return c
	})
}

// PatchCall returns the call that writes a key of the state, without a version.
func (i *Intent) PatchCall(key string, value any, label string) wire.Call {
	return i.Call(label, http.MethodPost, At("/intents/%s/state", i.ID), setPatch(key, value))
}

// Merge writes a key of the state in the form that names no operation.
func (i *Intent) Merge(ctx context.Context, key string, value any, label string) Reply {
	return i.write(ctx, label, func(version string) wire.Call {
		c := i.Call(label, http.MethodPost, At("/intents/%s/state", i.ID), map[string]any{"state": map[string]any{key: value}})
		c.Header = map[string]string{"If-Match": version}
		return c
	})
}

// Note is a key of the state that drives write.
const Note = "note"

// setPatch is the body of a write of one key of the state.
func setPatch(key string, value any) any {
	return map[string]any{"patches": []any{map[string]any{"op": "set", "path": "/" + key, "value": value}}}
}

// write sends a call that names the current version of the intent. It tries again where another write came first: the
// server itself moves intents that others depend on. A conflict that leaves the version as it was has another cause.
func (i *Intent) write(ctx context.Context, label string, call func(version string) wire.Call) Reply {
	before := ""
	var last Reply
	for range 4 {
		now := i.current(ctx, "version, to "+label)
		version, ok := now.Body.Key("version").Int()
		if !ok {
			i.SetUp("read the version of an intent", now)
			return now
		}
		named := strconv.FormatInt(version, 10)
		if named == before {
			return last
		}
		before = named
		last = i.Send(ctx, call(named))
		if code := last.Code(); code != http.StatusConflict && code != http.StatusPreconditionFailed {
			if last.Ok() {
				i.setClock(last.Body)
				i.tells(last)
			}
			return last
		}
	}
	return last
}

// Must brings the intent into a status, or ends the drive.
func (i *Intent) Must(ctx context.Context, status string) {
	reply := i.Set(ctx, status, "have the intent "+status)
	if !reply.Ok() || reply.Body.Key("status").String() != status {
		i.SetUp("have an intent "+status, reply)
	}
}

// Finish completes the intent, or ends the drive.
func (i *Intent) Finish(ctx context.Context) { i.Must(ctx, Completed) }

// Becomes waits until the intent has one of these statuses.
func (i *Intent) Becomes(ctx context.Context, what string, statuses ...string) wire.Wait {
	return i.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		now := i.shown(ctx, what)
		status := now.Body.Key("status")
		return status, slices.Contains(statuses, status.String())
	})
}

// abandon is the clean-up of an intent.
func (i *Intent) abandon(ctx context.Context, c *wire.Client) error {
	do := func(method, path, version string, body any) (*wire.Reply, error) {
		call := i.Call("clean up", method, path, body)
		if version != "" {
			call.Header = map[string]string{"If-Match": version}
		}
		return c.Do(ctx, call)
	}
	status := ""
	for range 3 {
		now, err := do(http.MethodGet, At("/intents/%s", i.ID), "", nil)
		if err != nil {
			return err
		}
		if !now.Success() { // it is gone
			return nil
		}
		if status = now.Text("/status"); status == Completed || status == Abandoned {
			return nil
		}
		version, _ := now.Value("/version").Int()
		reply, err := do(http.MethodPost, At("/intents/%s/status", i.ID), strconv.FormatInt(version, 10),
			map[string]any{"status": Abandoned, "reason": "no longer needed"})
		if err != nil {
			return err
		}
		if reply.Success() {
			return nil
		}
		if status == Suspended && i.sid != "" { // some servers release a suspended intent only for an answer
			_, err = do(http.MethodPost, At("/intents/%s/suspend/respond", i.ID), "",
				map[string]any{"suspension_id": i.sid, "value": "yes"})
			if err != nil {
				return err
			}
		}
	}
	if status == "" {
		return errors.New("its status cannot be read")
	}
	return fmt.Errorf("it stays %s: the server does not abandon it", status)
}
