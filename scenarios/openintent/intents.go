package openintent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/openassay/assay/scenarios/wire"
)

// The statuses of an intent.
const (
	draft     = "draft"
	active    = "active"
	blocked   = "blocked"
	suspended = "suspended_awaiting_input"
	completed = "completed"
	abandoned = "abandoned"
)

// intent is one intent on the target.
type intent struct {
	*server
	ID   string
	Made Reply
	sid  string // of what it waits for, for the clean-up
}

// mk makes an intent that stands for itself, and has it in a status: draft or active.
func (s *server) mk(ctx context.Context, stem, status string, more map[string]any) *intent {
	body := map[string]any{"title": s.Name(stem), "status": status}
	maps.Copy(body, more)
	id, made := s.make(ctx, "an intent", "/intents", "/intents", body)
	i := s.adopt(id, made)
	if made.Body.Key("status").String() != status {
		i.must(ctx, status)
	}
	return i
}

// kid makes a child of p, active or as far as it gets: one that waits for another is blocked on some servers.
func (p *intent) kid(ctx context.Context, stem string, deps ...string) *intent {
	return p.kidWith(ctx, stem, nil, deps...)
}

// kidWith is kid of a child with a state.
func (p *intent) kidWith(ctx context.Context, stem string, state map[string]any, deps ...string) *intent {
	body := map[string]any{"title": p.Name(stem), "depends_on": append([]string{}, deps...)}
	if state != nil {
		body["state"] = state
	}
	id, made := p.make(ctx, "a child of an intent", "/intents/{id}/children", at("/intents/%s/children", p.ID), body)
	k := p.adopt(id, made)
	if kept := made.Body.Key("depends_on").Items(); len(kept) != len(deps) {
		p.setUp("make a child with its depends_on", made)
		return k
	}
	if len(deps) > 0 {
		k.set(ctx, active, "have the child active")
		return k
	}
	k.must(ctx, active)
	return k
}

func (s *server) adopt(id string, made Reply) *intent {
	i := &intent{server: s, ID: id, Made: made}
	s.Leave("intent "+id, i.abandon)
	return i
}

// dependOn lets an intent wait for another.
func (i *intent) dependOn(ctx context.Context, other *intent) Reply {
	return i.write(ctx, "let an intent wait for another", func(version string) wire.Call {
		c := i.call("let an intent wait for another", http.MethodPost, at("/intents/%s/dependencies", i.ID), map[string]any{"dependency_id": other.ID})
		c.Header = map[string]string{"If-Match": version}
		return c
	})
}

// read is the intent as it stands.
func (i *intent) read(ctx context.Context, label string) Reply {
	return i.get(ctx, label, at("/intents/%s", i.ID))
}

// set asks for a status. A refusal is an answer.
func (i *intent) set(ctx context.Context, status, label string) Reply {
	return i.write(ctx, label, func(version string) wire.Call {
		c := i.call(label, http.MethodPost, at("/intents/%s/status", i.ID), map[string]any{"status": status, "reason": "assay"})
		c.Header = map[string]string{"If-Match": version}
		return c
	})
}

// patch writes a key of the state.
func (i *intent) patch(ctx context.Context, key string, value any, label string) Reply {
	return i.write(ctx, label, func(version string) wire.Call {
		c := i.call(label, http.MethodPost, at("/intents/%s/state", i.ID),
			map[string]any{"patches": []any{map[string]any{"op": "set", "path": "/" + key, "value": value}}})
		c.Header = map[string]string{"If-Match": version}
		return c
	})
}

// write sends what names the version of the intent, with the one that it has. Where somebody else was faster, it is tried
// again: the server itself moves intents that others depend on.
func (i *intent) write(ctx context.Context, label string, call func(version string) wire.Call) Reply {
	before := ""
	var last Reply
	for range 4 {
		now := i.read(ctx, "version, to "+label)
		version, ok := now.Body.Key("version").Int()
		if !ok {
			i.setUp("read the version of an intent", now)
			return now
		}
		named := strconv.FormatInt(version, 10)
		if named == before { // nobody was faster: it is refused for another reason
			return last
		}
		before = named
		last = i.send(ctx, call(named))
		if code := last.code(); code != http.StatusConflict && code != http.StatusPreconditionFailed {
			if last.ok() {
				i.hear(last.Body)
			}
			return last
		}
	}
	return last
}

// must has the intent in a status, or stops the drive.
func (i *intent) must(ctx context.Context, status string) {
	said := i.set(ctx, status, "have the intent "+status)
	if !said.ok() || said.Body.Key("status").String() != status {
		i.setUp("have an intent "+status, said)
		return
	}
}

// finish has a suspended, blocked or active intent completed, or stops the drive.
func (i *intent) finish(ctx context.Context) { i.must(ctx, completed) }

// becomes waits until the intent has one of these statuses.
func (i *intent) becomes(ctx context.Context, what string, statuses ...string) wire.Wait {
	return i.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		now := i.read(ctx, what)
		status := now.Body.Key("status")
		return status, slices.Contains(statuses, status.String())
	})
}

// abandon is the clean-up.
func (i *intent) abandon(ctx context.Context, c *wire.Client) error {
	do := func(method, path, version string, body any) (*wire.Reply, error) {
		call := wire.Call{Method: method, Path: i.prefix + path, Body: body, Label: "clean up"}
		if version != "" {
			call.Header = map[string]string{"If-Match": version}
		}
		return c.Do(ctx, call)
	}
	status := ""
	for range 3 {
		now, err := do(http.MethodGet, at("/intents/%s", i.ID), "", nil)
		if err != nil {
			return err
		}
		if !now.Success() { // it is not there any more
			return nil
		}
		if status = now.Text("/status"); status == completed || status == abandoned {
			return nil
		}
		version, _ := now.Value("/version").Int()
		reply, err := do(http.MethodPost, at("/intents/%s/status", i.ID), strconv.FormatInt(version, 10), map[string]any{"status": abandoned, "reason": "assay has finished"})
		if err != nil {
			return err
		}
		if reply.Success() {
			return nil
		}
		if status == suspended && i.sid != "" { // some servers let go of one that waits only with an answer
			if _, err = do(http.MethodPost, at("/intents/%s/suspend/respond", i.ID), "", map[string]any{"suspension_id": i.sid, "value": "yes"}); err != nil {
				return err
			}
		}
	}
	if status == "" {
		return errors.New("its status cannot be read")
	}
	return fmt.Errorf("it stays %s: the server does not abandon it", status)
}
