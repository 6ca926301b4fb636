package openintent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	oi "github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/engine"
)

const (
	protocolName    = "openintent"
	protocolVersion = "0.1"
)

// choices are where this server put what the texts leave open.
var choices = map[string]string{
	"parent_aggregate":         "GET /intents/{id}/graph and GET /intents/{id}: /aggregate_status",
	"portfolio_flags":          "/has_suspended_members",
	"portfolio_aggregate":      "/aggregate_status/status",
	"plan_suspended_tasks":     "/progress/suspended_tasks",
	"portfolio_phases":         "/progress/suspended_phases",
	"portfolio_deadline":       "/governance_policy/deadline",
	"abandonment_reason":       "/abandonment_reason",
	"portfolio_events":         Prefix + "/portfolios/{id}/events",
	"task_suspended_intent_id": "/suspended_intent_id",
	"fallback_fail":            "abandoned",
	"platform_default":         "applied to records whose policy leaves a field open",
}

// GetDiscovery says what this server is and offers.
func (h *Host) GetDiscovery(context.Context, oi.GetDiscoveryRequestObject) (oi.GetDiscoveryResponseObject, error) {
	version := protocolVersion
	doc := oi.Discovery{
		Protocol: protocolName, Version: &version, Capabilities: []string{"intents", "events", "suspension"},
		RfcUrls: []string{"https://openintent-ai.github.io/openintent/rfcs/0025/", "https://openintent-ai.github.io/openintent/rfcs/0026/"},
		Assay:   &oi.AssayDiscovery{Features: []oi.Feature{core}, Notifier: oi.NotifierNone, Choices: maps.Clone(choices)},
	}
	for _, name := range FeatureNames() {
		if !h.without[name] && name != seam && (name != engine.Notifier || h.config.Suspension.Notifier == notifierServer) {
			doc.Assay.Features = append(doc.Assay.Features, oi.Feature(name))
		}
	}
	slices.Sort(doc.Assay.Features)
	if !h.without[engine.Notifier] {
		doc.Assay.Notifier = oi.Notifier(h.config.Suspension.Notifier)
	}
	if !h.without[seam] {
		doc.Assay.Clock = &oi.ClockSeam{Advance: advancePath}
	}
	return oi.GetDiscovery200JSONResponse(doc), nil
}

// serverConfig is the reply with what the operator set.
type serverConfig map[string]any

// VisitGetServerConfigResponse makes it a response object of the generated server.
func (c serverConfig) VisitGetServerConfigResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(map[string]any(c))
}

// GetServerConfig shows what the operator set (RFC-0026 section 5).
func (h *Host) GetServerConfig(context.Context, oi.GetServerConfigRequestObject) (oi.GetServerConfigResponseObject, error) {
	return serverConfig{
		"protocol_version": protocolVersion,
		"suspension": map[string]any{
			"default_retry_policy": h.config.Suspension.DefaultRetryPolicy,
			"notify_to_allowlist":  h.config.Suspension.NotifyTo,
		},
	}, nil
}

// Banner tells the person who started the host where it listens, with what key, what it offers, and a line to try.
func (h *Host) Banner(baseURL string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s speaks OpenIntent v1 at %s%s\n", h.opts.Name, h.opts.Release, baseURL, Prefix)
	fmt.Fprintf(&b, "key: %s\n", h.opts.Key)
	for _, name := range slices.Sorted(maps.Keys(h.opts.Callers)) {
		fmt.Fprintf(&b, "key of %s: %s\n", name, h.opts.Callers[name])
	}
	where := "in memory, gone when it stops"
	if h.opts.DataDir != "" {
		where = "in " + h.opts.DataDir
	}
	fmt.Fprintf(&b, "logs: %s\n", where)
	var on []string
	for _, name := range FeatureNames() {
		if !h.without[name] {
			on = append(on, name)
		}
	}
	fmt.Fprintf(&b, "features: core, %s\n", strings.Join(on, ", "))
	fmt.Fprintf(&b, "try:\n  curl -s %s%s/intents -H 'X-API-Key: %s' -H 'Content-Type: application/json' -d "+
		"'{\"title\":\"try\",\"status\":\"active\"}'\n",
		baseURL, Prefix, strings.ReplaceAll(h.opts.Key, "'", `'\''`))
	return b.String()
}
