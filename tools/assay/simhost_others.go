package main

import (
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/serving/onward"
	"github.com/openassay/assay/tools/internal/protocols"
)

// checkOthers validates --front and --fallback.
func (o *simhostFlags) checkOthers() error {
	o.fallback.CAFile = o.front.CAFile
	for _, other := range []struct {
		flag string
		onward.Other
	}{{"front", o.front}, {"fallback", o.fallback}} {
		if other.URL == "" {
			if other.Key != "" {
				return usage("simhost --%s-key: it is for --%s URL: name that, or leave the key out", other.flag, other.flag)
			}
			continue
		}
		if _, err := onward.ParseURL(other.URL); err != nil {
			return usage("simhost --%s: %w", other.flag, err)
		}
	}
	if o.front.CAFile != "" && o.front.URL == "" && o.fallback.URL == "" {
		return usage("simhost --cacert: it is for --front and --fallback: name one, or leave it out")
	}
	return nil
}

// notItself refuses other hosts that are this one.
func (o *simhostFlags) notItself(at net.Addr) error {
	_, port, _ := net.SplitHostPort(at.String())
	for flag, other := range map[string]string{"front": o.front.URL, "fallback": o.fallback.URL} {
		u, err := url.Parse(other)
		if err != nil || other == "" || u.Port() != port {
			continue
		}
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
			return usage("simhost --%s %s: that is this host itself: name another one", flag, other)
		}
	}
	return nil
}

// beside puts the hosts of --front and --fallback beside the simulated ones.
func (o *simhostFlags) beside(hosts []protocols.Bannered, parts []console.Part, log *slog.Logger) (http.Handler, error) {
	own := o.handler(hosts)
	if o.front.URL == "" && o.fallback.URL == "" {
		return own, nil
	}
	owner := o.owner()
	handler, err := onward.Host{
		Handler: own, Logger: log,
		Serves: func(r *http.Request) bool { return hosts[owner(r)].Serves(r) },
		Fail:   func(w http.ResponseWriter, r *http.Request, err error) { hosts[owner(r)].Fail(w, r, err) },
		Leave:  o.leave(parts),
	}.Others(o.front, o.fallback)
	if err != nil {
		return nil, usage("simhost --front, --fallback: %w", err)
	}
	return handler, nil
}

// leave returns what takes the keys of the selected hosts out of a request. A key that none of them knows is the client's for the
// other host.
func (o *simhostFlags) leave(parts []console.Part) func(http.Header, string) {
	selected := o.selected()
	return func(h http.Header, key string) {
		for i, host := range selected {
			name, scheme := host.Credential()
			for _, value := range h.Values(name) {
				if !knows(parts[i], credential(value, scheme)) {
					continue
				}
				h.Del(name)
				if key != "" {
					h.Set(name, strings.TrimSpace(scheme+" "+key))
				}
				break
			}
		}
	}
}

// credential returns the key of a header without its scheme.
func credential(value, scheme string) string {
	if scheme != "" && len(value) > len(scheme) && strings.EqualFold(value[:len(scheme)], scheme) && value[len(scheme)] == ' ' {
		value = value[len(scheme)+1:]
	}
	return strings.TrimSpace(value)
}

// knows reports whether a host knows a key. While that cannot be said, the key is taken for the host's.
func knows(p console.Part, key string) bool {
	v, err := p.SignIn(key)
	return v != nil || err != nil
}
