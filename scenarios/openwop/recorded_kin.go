package openwop

import (
	"net/http"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// kin is a run as it was read, and what the logs of others tell of it.
type kin struct {
	asked
	handed     wire.Value // the dispatch.succeeded that names it as the child
	ended      wire.Value // and the step that tells how it ended
	parent     string
	root       bool   // somebody asked for it over the wire
	advertised string // the id of the host
}

// kins are the rules about runs and their parents.
var kins = struct{ child, ancestry, none rule[kin] }{
	rule[kin]{"child", scenarios.IDs{openwop.OWPDSP12}, func(k kin, j *scenarios.Judge) {
		if k.op != dialect.ReadRun || k.parent == "" {
			return
		}
		if link := k.Body.Key("parentRunId"); link.String() != "" {
			j.Check(openwop.OWPDSP12, link).To(check.Equal(k.parent), "parentRunId of the child run %s", k.id())
		}
		ends := map[dialect.ChainPhase]string{dialect.ChainPhaseChildCompleted: "completed", dialect.ChainPhaseChildFailed: "failed",
			dialect.ChainPhaseChildCancelled: "cancelled"}
		status := k.Body.Key("status")
		if want := ends[dialect.ChainPhase(k.ended.At("/payload/phase").String())]; want != "" && host.IsTerminal(status.String()) {
			j.Check(openwop.OWPDSP12, status).To(check.Equal(want), "status of the child run %s", k.id())
		}
	}},
	rule[kin]{"ancestry", scenarios.IDs{openwop.OWPCAU1, openwop.OWPCAU2, openwop.OWPCAU3, openwop.OWPCAU4},
		func(k kin, j *scenarios.Judge) {
			told := handoff.Ancestry{Answered: host.Answered{Asked: "the ancestry of " + k.id(), Status: k.Status, Body: k.Body}, RunID: k.id()}
			if k.op != dialect.ReadLineage || !told.CheckNamed(j, k.advertised) {
				return
			}
			own, parent := k.Body.Key("hostId").String(), k.Body.Key("parent")
			if abroad := parent.Key("hostId").String(); k.root && k.parent == "" && (abroad == "" || abroad == own) { // hosts may ask each other
				j.Check(openwop.OWPCAU2, parent).To(check.Equal(nil), "parent of a run that was asked for over the wire")
			}
			if k.parent != "" {
				told.CheckParent(j, k.parent)
			}
		}},
	rule[kin]{"no-ancestry", scenarios.IDs{openwop.OWPCAU8}, func(k kin, j *scenarios.Judge) {
		if k.op == dialect.ReadLineage && (k.Code == http.StatusOK && k.Body.Key("hostId").Present() || host.NotThere(int(k.Code))) {
			j.Check(openwop.OWPCAU8, k.Status).To(check.Status(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented),
				"the ancestry of a run, where it is not advertised")
		}
	}},
}

func (t *traffic) judgeKin() {
	handed, ended, parents := map[string]wire.Value{}, map[string]wire.Value{}, map[string]string{}
	for _, id := range t.order {
		if t.runs[id].forked || !t.runs[id].made { // a fork tells of the children of its source
			continue
		}
		for _, e := range t.runs[id].last.OfType(dialect.HandedOver).Values {
			child := e.At("/payload/childRunId").String()
			switch {
			case child == "" || e.Key("causationHostId").Present() || e.At("/payload/causationHostId").Present(): // it may be elsewhere
			case handoff.IsPhase(dialect.ChainPhaseDispatchSucceeded)(e):
				handed[child], parents[child] = e, id
			case settled(e):
				ended[child] = e
			}
		}
	}
	begotten := map[string]bool{} // a run that somebody asked for, and named a parent of
	for _, x := range t.of(dialect.CreateRun) {
		begotten[x.Body.Key("runId").String()] = strings.Contains(x.Sent, "arent")
	}
	advertised := claims.Model(t.discovery).At("/crossHostCausation/hostId").String()
	_, none := claims.NoAncestry.Look(t.discovery)
	for _, x := range t.of(dialect.ReadRun, dialect.ReadLineage) {
		if none && t.discovery.Document.Present() {
			kins.none.hold(t.sights, x.id(), kin{asked: x})
		}
		r := t.runs[x.id()]
		if x.Code == http.StatusOK && x.Body.Key("runId").Present() {
			k := kin{x, handed[x.id()], ended[x.id()], parents[x.id()], r != nil && r.made && !r.forked && !begotten[x.id()], advertised}
			kins.child.hold(t.sights, x.id(), k)
			kins.ancestry.hold(t.sights, x.id(), k)
		}
	}
}
