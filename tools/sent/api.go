package sent

import (
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/scenarios/wire"
)

// api is what a protocol says of its operations.
type api struct {
	routes    apidoc.Routes // nil where there are none
	samples   *apidoc.Samples
	templates [][]string        // the segments of all paths
	media     []string          // that bodies have
	things    map[string]bool   // parameters that name resources: the first one of some path
	made      map[string]string // POST /v1/runs -> the parameter of what it makes
}

func newAPI(operations apidoc.Operations, samples *apidoc.Samples) api {
	a := api{samples: samples, media: []string{"application/json", "*/*", "text/event-stream"}, things: map[string]bool{},
		made: map[string]string{}}
	if len(operations) == 0 {
		return a
	}
	a.routes = operations.Routes()
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		_, path, _ := strings.Cut(name, " ")
		segments := strings.Split(path, "/")
		a.templates = append(a.templates, segments)
		a.media = append(a.media, operations[name].Gives...)
		first := slices.IndexFunc(segments, func(s string) bool { return strings.HasPrefix(s, "{") })
		if first < 0 {
			continue
		}
		parameter := parameterOf(segments[first])
		a.things[parameter] = true
		if collection := strings.Join(segments[:first], "/"); operations["POST "+collection] != nil && first == len(segments)-1 {
			a.made["POST "+collection] = parameter
		}
	}
	return a
}

// parameterOf returns the parameter of a segment such as {runId}:fork, "" if it has none.
func parameterOf(segment string) string {
	open, ok := strings.CutPrefix(segment, "{")
	name, _, _ := strings.Cut(open, "}")
	if !ok {
		return ""
	}
	return name
}

// other stands for a name that may be a value of the client's.
const other = "*"

// word returns a name if it looks like one in an API and not like a value: up to three words of letters.
func word(name string) string {
	const most, longest, letters = 3, 24, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '.' || r == '-' })
	n := len(words) - 1 // signs between them
	for _, w := range words {
		n += len(w)
		if len(w) > longest || strings.Trim(w, letters) != "" {
			return other
		}
	}
	if len(words) == 0 || len(words) > most || n != len(name) {
		return other
	}
	return name
}

// unknown returns as much of a path as the protocol knows, and one further word: what follows may be a value of the client's.
func (a api) unknown(path string) string {
	parts := strings.Split(path, "/")
	var best []string
	for _, template := range a.templates {
		n := 0
		for n < len(parts) && n < len(template) && (template[n] == parts[n] || parameterOf(template[n]) != "" && parts[n] != "") {
			n++
		}
		if n > len(best) {
			best = template[:n:n]
		}
	}
	out := slices.Clone(best)
	for i, segment := range best {
		if parameter := parameterOf(segment); parameter != "" {
			out[i] = "{" + parameter + "}"
			if _, verb, is := strings.Cut(parts[i], ":"); is {
				out[i] += ":" + word(verb)
			}
		}
	}
	if n := len(best); n < len(parts) {
		out = append(out, word(parts[n]))
		if n+1 < len(parts) {
			out = append(out, "…")
		}
	}
	return strings.Join(out, "/")
}

// byTheWay are headers that connections and proxies add, and one that observed.Read adds.
var byTheWay = []string{"Host", "Content-Length", "User-Agent", "Accept-Encoding", "Connection", "Traceparent", "Tracestate", "Via",
	"Forwarded", "Keep-Alive", "Te", "Transfer-Encoding", wire.StandIn}

// header returns the name of a header, with the media type where it names one of the protocol's; "" if it says nothing of the client.
func (a api) header(name, value string) string {
	name = http.CanonicalHeaderKey(name)
	switch {
	case slices.Contains(byTheWay, name) || strings.HasPrefix(name, "X-Forwarded-"):
		return ""
	case name == "Accept" || name == "Content-Type":
		media, _, err := mime.ParseMediaType(value)
		if err != nil || !slices.Contains(a.media, media) {
			return name + ": another"
		}
		return name + ": " + media
	}
	return word(name)
}

// client returns what tells a client from others.
func client(headers map[string]string) string {
	var who []string
	known := append(wire.CallerHeaders(), wire.StandIn)
	for name, value := range headers {
		if name = http.CanonicalHeaderKey(name); slices.Contains(known, name) {
			who = append(who, name+" "+value)
		}
	}
	slices.Sort(who)
	return strings.Join(who, "\n")
}

// resources returns the resources that a call is about: those in its path, and the one that it makes, as the reply says.
func (a api) resources(operation string, values map[string]string, e wire.Entry) (all []string) {
	for parameter, value := range values {
		if a.things[parameter] {
			all = append(all, parameter+" "+value)
		}
	}
	if e.Response != nil && e.Request.Method == http.MethodPost && e.Response.Status/100 == 2 {
		var reply map[string]any
		if decode(e.Response.Body, &reply) == nil {
			for parameter := range a.things {
				if id, ok := reply[parameter].(string); ok {
					all = append(all, parameter+" "+id)
				}
			}
			if id, ok := reply["id"].(string); ok && a.made[operation] != "" {
				all = append(all, a.made[operation]+" "+id)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
