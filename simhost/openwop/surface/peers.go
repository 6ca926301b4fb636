package surface

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/refusal"
)

// Dispatch to another host is a way of ours: RFC 0040 says how causation is told across hosts, and no text says how one host
// has another run a workflow. It is provisional, and docs/seams.md has it.

// Peer is another host that runs workers of this one.
type Peer struct {
	URL string // base URL
	Key string // bearer key there; "" for none
}

// WithSecond are the options of a host that hands workers of [SecondHost] to this peer. Below version 3 no cause is told across
// hosts, and there is none.
func (o Options) WithSecond(second Peer) Options {
	if o.Version == 0 || o.Version >= 3 {
		o.Peers = map[string]Peer{SecondHost: second}
	}
	return o
}

const (
	// SecondHost is the name of the peer to which the fixture of the two hosts dispatches.
	SecondHost = "second"
	// fixtureRemote can be run where there is a peer of that name.
	fixtureRemote = "assay-dispatch-remote"

	headerTrace  = "Traceparent"
	headerParent = "Openassay-Parent"
	// metadataTrace is where a run shows the trace context that it was asked for with.
	metadataTrace = "traceparent"

	causationVersion = 3 // of the execution model, which brings causation between hosts
	mostID           = 256
	mostParentHeader = 2048
	mostOriginDepth  = 1000
)

var (
	peerName = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,62}$`)
	// remoteID is an id of another host that can stand in a log and in a path.
	remoteID = lazyregexp.New(`^[A-Za-z0-9_~:-][A-Za-z0-9._~:-]*$`)
	// traceContext is the header of W3C trace context, level 1.
	traceContext = lazyregexp.New(`^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)
)

// checkPeers refuses peers that nothing could be sent to. No error repeats a key.
func (o Options) checkPeers() error {
	var wrong []error
	if len(o.Peers) > 0 && o.Version < causationVersion {
		wrong = append(wrong, fmt.Errorf("peer (--peer): version %d of the execution model has no causation between hosts: "+
			"give --version %d or more", o.Version, causationVersion))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Peers)) {
		p := o.Peers[name]
		u, err := url.Parse(p.URL)
		switch {
		case !peerName.MatchString(name):
			wrong = append(wrong, fmt.Errorf("peer (--peer) %q: give a name of small letters, digits and dashes", name))
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
			wrong = append(wrong, fmt.Errorf("peer (--peer) %s: give the base URL of a host, like http://127.0.0.1:7412", name))
		case checkKey(p.Key) != nil:
			wrong = append(wrong, fmt.Errorf("peer (--peer) %s: this host cannot send its key: give one without white space", name))
		}
	}
	if !isRemoteID(o.HostID) {
		wrong = append(wrong, fmt.Errorf("host id (--host-id) %q: give letters, digits, dots and dashes", o.HostID))
	}
	return errors.Join(wrong...)
}

func isRemoteID(id string) bool { return len(id) <= mostID && remoteID.MatchString(id) }

// peers are those of the engine; none where the host has no causation between hosts.
func (h *Host) peers() map[string]live.Peer {
	if h.version() < causationVersion {
		return nil
	}
	peers := make(map[string]live.Peer, len(h.opts.Peers))
	for name, p := range h.opts.Peers {
		peers[name] = &peerClient{
			Client: openwopv1.Client{
				Server: strings.TrimSuffix(p.URL, "/") + "/", Client: h.abroad, RequestEditors: []openwopv1.RequestEditorFn{withKey(p.Key)},
			},
			hostID:       h.opts.HostID,
			wellKnownURL: h.wellKnownURL(),
			introduces:   h.rules.Ancestry.Introduces,
		}
	}
	return peers
}

// wellKnownURL is where others find the discovery document; "" where the host does not know its address.
func (h *Host) wellKnownURL() string {
	if h.opts.URL == "" {
		return ""
	}
	return strings.TrimSuffix(h.opts.URL, "/") + "/.well-known/openwop"
}

// withoutRemote is the list of fixtures without the one that needs a peer, where there is none.
func (h *Host) withoutRemote(fixtures []string) []string {
	_, known := h.opts.Peers[SecondHost]
	if known && h.version() >= causationVersion {
		return fixtures
	}
	return slices.DeleteFunc(fixtures, func(id string) bool { return id == fixtureRemote })
}

// asked is what the headers of a request for a run say of where it comes from. Below the rung of causation they say nothing.
func (h *Host) asked(ctx context.Context, c live.Create) (live.Create, error) {
	r, ok := ctx.Value(requestKey{}).(*http.Request)
	if !ok || h.version() < causationVersion {
		return c, nil
	}
	if sent := r.Header.Get(headerTrace); sent != "" {
		c = traced(c, sent)
	}
	if sent := r.Header.Get(headerParent); sent != "" {
		origin, err := h.readOrigin(sent)
		if err != nil {
			return c, err
		}
		c.Origin = origin
	}
	return c, nil
}

// traced puts a run into the trace of who asks for it. What is no trace context begins another one (W3C, 4.3).
func traced(c live.Create, sent string) live.Create {
	parts := traceContext.FindStringSubmatch(sent)
	if parts == nil || strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return c
	}
	c.Trace = parts[1]
	if _, own := c.Metadata[metadataTrace]; !own {
		metadata := map[string]any{metadataTrace: sent}
		maps.Copy(metadata, c.Metadata)
		c.Metadata = metadata
	}
	return c
}

// readOrigin reads the run that another host says has dispatched this one. It is that host's word: all that is checked is
// that it can be one.
func (h *Host) readOrigin(sent string) (*state.Origin, error) {
	values, err := url.ParseQuery(sent)
	if err != nil || len(sent) > mostParentHeader {
		return nil, badOrigin("it must be as the body of a form")
	}
	o := &state.Origin{RunID: values.Get("runId"), HostID: values.Get("hostId"), WellKnownURL: values.Get("wellKnownUrl")}
	o.Depth, err = strconv.Atoi(values.Get("depth"))
	u, wrong := url.Parse(o.WellKnownURL)
	switch {
	case !isRemoteID(o.RunID), !isRemoteID(o.HostID):
		return nil, badOrigin("runId and hostId must be ids")
	case o.HostID == h.opts.HostID:
		return nil, badOrigin("hostId is that of this host: two hosts need two ids")
	case wrong != nil || o.WellKnownURL != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil):
		return nil, badOrigin("wellKnownUrl must be the address of a discovery document, without a user")
	case err != nil || o.Depth < 1 || o.Depth > mostOriginDepth:
		return nil, badOrigin("depth must be a number, 1 for the child of a run that nobody dispatched")
	}
	return o, nil
}

func badOrigin(why string) error {
	return refusal.New(codeValidation, "header "+headerParent+": "+why, "field", headerParent)
}

// originOf words for ancestry which run of another host dispatched a run.
func originOf(o *state.Origin) *openwopv1.RunParent {
	return &openwopv1.RunParent{RunID: o.RunID, HostID: o.HostID, WellKnownURL: o.WellKnownURL, Cause: openwopv1.RunParentCauseCoreDispatch}
}
