package openwop

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// creation is a request for a run, and what the host advertises.
type creation struct {
	asked
	most     int64    // bytes of a body, 0 if the host does not say
	fixtures []string // workflows of which a run can be made
	turns    bool     // it knows bounds on turns
}

// creations are the rules about requests for runs. A request under an idempotency key may be answered as another one was.
var creations = struct{ misfits, options, large, listed rule[creation] }{
	rule[creation]{"bodies", scenarios.IDs{openwop.OWPERR11, openwop.OWPERR12, openwop.OWPERR13}, func(c creation, j *scenarios.Judge) {
		if id, what := c.misfit(); id != "" {
			j.Check(id, c.Status).To(check.Status(4), "%s", what)
		}
	}},
	rule[creation]{"options", scenarios.IDs{openwop.OWPBND21}, func(c creation, j *scenarios.Judge) {
		for _, option := range c.impossible() {
			j.Check(openwop.OWPBND21, c.Status).To(check.Status(4), "a run with %s", option)
		}
	}},
	rule[creation]{"large", scenarios.IDs{openwop.OWPERR17}, func(c creation, j *scenarios.Judge) {
		if n := int64(len(c.Sent)); c.most > 0 && n > c.most {
			j.Check(openwop.OWPERR17, c.Status).To(check.Status(4), "a body of %d bytes, where %d are the limit", n, c.most)
		}
	}},
	rule[creation]{"listed", scenarios.IDs{openwop.OWPCAP19}, func(c creation, j *scenarios.Judge) {
		members, ok := c.members()
		workflow, _ := members["workflowId"].(string)
		if !ok || !slices.Contains(c.fixtures, workflow) {
			return
		}
		if c.Ok() || (host.Answered{Status: c.Status, Body: c.Body}).Unknown() && dialect.CodeOf(c.Body.Key("error")) == dialect.NotFound {
			j.Check(openwop.OWPCAP19, c.Status).To(check.Status(2), "a run of %s, which is listed as a fixture", workflow)
		}
	}},
}

func (t *traffic) judgeCreations() {
	limits := claims.Family(t.discovery, "limits")
	most, _ := limits.Key("maxRequestBodyBytes").Int()
	var fixtures []string
	for _, f := range t.discovery.Document.Key("fixtures").Items() {
		fixtures = append(fixtures, f.String())
	}
	_, turns := claims.ExecutionModel.Look(t.discovery)
	for _, x := range t.of(dialect.CreateRun) {
		if !x.decided() || x.keyed() || !x.plain() {
			continue
		}
		c := creation{x, most, fixtures, turns}
		creations.misfits.hold(t.sights, x.Path, c)
		creations.options.hold(t.sights, x.Path, c)
		creations.large.hold(t.sights, x.Path, c)
		creations.listed.hold(t.sights, x.Path, c)
	}
}

// misfit returns the requirement that has a body refused, "" if it may be taken.
func (c creation) misfit() (id scenarios.RequirementID, what string) {
	kind, _ := c.Get("Content-Type")
	media, _, err := mime.ParseMediaType(kind)
	switch {
	case err != nil || media != "application/json" || strings.TrimSpace(c.Sent) == "", !utf8.ValidString(c.Sent):
		return "", ""
	case !json.Valid([]byte(c.Sent)):
		return openwop.OWPERR11, "a body that is no JSON"
	}
	limits := wire.DefaultLimits()
	if _, err := wire.Vet([]byte(c.Sent), limits.Depth, limits.NumberChars); err != nil {
		return "", ""
	}
	body, err := wire.Decode(c.Sent)
	if err != nil {
		return "", ""
	}
	if _, isObject := body.(map[string]any); !isObject {
		return openwop.OWPERR12, "a body that is no object"
	}
	members, ok := c.members()
	switch workflow, named := members["workflowId"]; {
	case !ok:
	case !named:
		return openwop.OWPERR13, "a run without a workflow"
	default:
		if _, isText := workflow.(string); !isText {
			return openwop.OWPERR13, "a run of a workflow that is no text"
		}
	}
	return "", ""
}

// impossible returns the bounds in the request that no run can have. What stands for nothing may be passed over.
func (c creation) impossible() (all []string) {
	members, ok := c.members()
	configurable, _ := members["configurable"].(map[string]any)
	if _, named := members["workflowId"].(string); !ok || !named {
		return nil
	}
	for _, name := range []dialect.Option{dialect.RecursionLimit, dialect.RunTimeoutMs, dialect.MaxLoopIterations} {
		value, given := configurable[string(name)]
		switch v := value.(type) {
		case nil:
			given = false
		case json.Number:
			n, err := v.Float64()
			given = err == nil && (n < 1 || n != float64(int64(n)) && n < 1<<53)
		}
		if given && (name != dialect.MaxLoopIterations || c.turns) {
			all = append(all, fmt.Sprintf("%s: %s", name, wire.Compact(value)))
		}
	}
	return all
}

// repeated is a request under an idempotency key, and an earlier one that was done under it.
type repeated struct{ first, again asked }

// repetitions is the rule about requests under one key. It asks whether the same run is told of, and nothing else: hosts differ in what
// they keep of a reply.
var repetitions = rule[repeated]{"repeated", scenarios.IDs{openwop.OWPERR18, openwop.OWPERR19, openwop.OWPERR20},
	func(r repeated, j *scenarios.Judge) {
		id, made := r.again.Body.Key("runId"), r.first.Body.Key("runId")
		switch behind := r.again.Began >= r.first.Ended; {
		case r.again.Sent == r.first.Sent && r.again.Ok() && behind:
			j.Check(openwop.OWPERR18, id).To(check.SameAs(made), "run of the same request under the same key")
		case r.again.Sent == r.first.Sent && r.again.Ok() && r.again.Beside(r.first.Exchange):
			j.Check(openwop.OWPERR20, id).To(check.SameAs(made), "run of the same request at once under the same key")
		case behind && differ(r.first, r.again) && (r.again.Ok() || r.again.Code == http.StatusConflict):
			j.Check(openwop.OWPERR19, r.again.Status).To(check.Status(http.StatusConflict), "another body under the same key")
		}
	}}

// differ reports whether two requests ask for different things, however they are read. Integers beyond 53 bits may count as one (OWP-R24).
func differ(a, b asked) bool {
	var one, other any
	_, isOne := a.members()
	_, isOther := b.members()
	return isOne && isOther && json.Unmarshal([]byte(a.Sent), &one) == nil && json.Unmarshal([]byte(b.Sent), &other) == nil &&
		!reflect.DeepEqual(one, other)
}

// keptFor is how long a key is known for sure: no text says when a host may forget it.
const keptFor = time.Hour

func (t *traffic) judgeRepetitions() {
	type use struct{ base, by, query, key string }
	first := map[use]asked{}
	of := func(x asked) use {
		key, _ := x.Get(dialect.IdempotencyKey)
		return use{x.base, x.By(), x.Query.Encode(), key}
	}
	all := slices.DeleteFunc(t.of(dialect.CreateRun), func(x asked) bool { return !x.keyed() || !x.Whole })
	for _, x := range all {
		if before, known := first[of(x)]; x.Ok() && x.Body.Key("runId").String() != "" && (!known || x.Ended < before.Ended) {
			first[of(x)] = x
		}
	}
	for _, x := range all {
		if before, known := first[of(x)]; known && x.N != before.N && x.Began-before.Began < keptFor {
			repetitions.hold(t.sights, x.Body.Key("runId").String(), repeated{before, x})
		}
	}
}
