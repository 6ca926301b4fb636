package variation

import (
	"net/http"
	"slices"
)

// documents are the variations of what stands in replies.
var documents = []Variation{
	{
		ID: "wrapper-discovery", Title: "what a host can do stands below capabilities in discovery, and no more at its root",
		About: "where discovery has its families", Slips: []string{"OWP-CAP-6"},
		Vary: func(s *Set) {
			s.replies = append(s.replies, inDiscovery(func(doc object) {
				inside := object{}
				for name, family := range doc {
					if !slices.Contains(rootMembers, name) {
						inside[name] = family
						delete(doc, name)
					}
				}
				doc["capabilities"] = inside
			}))
		},
	},
	{
		ID: "claims-of-agents", Title: "discovery tells of supervisors and dispatch below agents alone",
		About: "in which of two places discovery tells of them",
		Vary: func(s *Set) {
			s.replies = append(s.replies, inDiscovery(func(doc object) {
				families := familiesOf(doc)
				delete(families, "orchestrator")
				delete(families, "dispatch")
			}))
		},
	},
	{
		ID: "claims-at-root", Title: "discovery tells of supervisors and dispatch at its root alone",
		About: "in which of two places discovery tells of them",
		Vary: func(s *Set) {
			s.replies = append(s.replies, inDiscovery(func(doc object) {
				families := familiesOf(doc)
				agents, _ := families["agents"].(object)
				for _, name := range []string{"orchestrator", "dispatch"} {
					if families[name] != nil {
						delete(agents, name)
					}
				}
			}))
		},
	},
	{
		ID: "protocol-one-zero", Title: "discovery tells version 1.0 of the protocol, not 1.1",
		About: "which version of the protocol a host tells",
		Vary: func(s *Set) {
			s.replies = append(s.replies, inDiscovery(func(doc object) { doc["protocolVersion"] = "1.0" }))
		},
	},
	{
		ID: "extra-fields", Title: "members that no schema has, in discovery, replies, snapshots, events and refusals, some " +
			"with dots in their names",
		About: "what a host adds of its own", Slips: []string{"OWP-ERR-4"},
		Vary: func(s *Set) {
			s.events = append(s.events, func(_ *exchange, e object) { addExtras(e) })
			s.snapshots = append(s.snapshots, addExtras)
			s.replies = append(s.replies, func(x *exchange) {
				if x.doc != nil && !x.to(ancestry) && !x.to(files) { // these are closed
					addExtras(x.doc)
				}
			}, inDiscovery(func(doc object) {
				for _, name := range []string{"agents", "memory"} {
					if family, ok := familiesOf(doc)[name].(object); ok {
						addExtras(family)
					}
				}
			}))
		},
	},
	{
		ID: "absolute-urls", Title: "eventsUrl and statusUrl are absolute",
		About: "whether the URLs of a run are relative",
		Vary: func(s *Set) {
			s.replies = append(s.replies, func(x *exchange) {
				for _, name := range []string{"eventsUrl", "statusUrl"} {
					if url, ok := x.doc[name].(string); ok && url != "" && url[0] == '/' {
						x.doc[name] = "http://" + x.asked.Host + url
					}
				}
			})
		},
	},
}

// rootMembers of discovery are no family.
var rootMembers = []string{"protocolVersion", "supportedEnvelopes", "schemaVersions", "limits", "implementation", "capabilities"}

// familiesOf is where a discovery document has its families.
func familiesOf(doc object) object {
	if inside, ok := doc["capabilities"].(object); ok {
		return inside
	}
	return doc
}

func inDiscovery(change func(object)) func(*exchange) {
	return func(x *exchange) {
		if x.to(discovery) && x.doc != nil && x.status == http.StatusOK {
			change(x.doc)
		}
	}
}

// addExtras adds what no schema has.
func addExtras(doc object) {
	doc["x-host-openassay-region"] = "here"
	doc["host.artifactTypes"] = []any{object{"id": "report", "version": "1"}}
	doc["vendorNotes"] = nil
}
