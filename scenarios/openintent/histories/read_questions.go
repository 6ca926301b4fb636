package histories

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

type questionHistory = explore.Recorded[model.Question, model.Asked, model.Replied]

// belowIntent is the path of an intent, and of what is below it.
var belowIntent = lazyregexp.New(`/intents/([^/]+)(?:/(.+))?$`)

// questionReader reads the history of each suspension of an intent.
type questionReader struct {
	lifecycle bool
	id        string             // of the intent
	all       []explore.Exchange // about it
	below     []string           // what each is about below it
}

func readQuestions(d scenarios.Discovery, t *wire.Transcript, all []explore.Exchange) (out []questionHistory) {
	_, lifecycle := claims.Lifecycle.Look(d)
	readers := map[string]*questionReader{}
	var order []*questionReader
	var others []explore.Exchange
	for _, x := range all {
		m := belowIntent.FindStringSubmatch(x.Path)
		if m == nil {
			others = append(others, x)
			continue
		}
		r := readers[m[1]]
		if r == nil {
			r = &questionReader{lifecycle: lifecycle, id: m[1]}
			readers[m[1]], order = r, append(order, r)
		}
		r.all, r.below = append(r.all, x), append(r.below, m[2])
	}
	for _, r := range order {
		elsewhere := func(x explore.Exchange) bool { return x.Writes() && x.Names(t, r.id) && !made(x, r.id) }
		beside := func(other *questionReader) bool { return other != r && slices.ContainsFunc(other.all, elsewhere) }
		if slices.ContainsFunc(others, elsewhere) || slices.ContainsFunc(order, beside) {
			continue
		}
		out = append(out, r.histories()...)
	}
	return out
}

// made reports whether a request made an intent.
func made(x explore.Exchange, id string) bool {
	return x.Body.Key("id").String() == id && !strings.Contains(x.Sent, id)
}

// histories returns the history of each suspension that is told from its beginning, or from a read on.
func (r *questionReader) histories() (out []questionHistory) {
	for i := 0; i < len(r.all); i++ {
		begin, sus, ok := r.begins(i)
		if !ok {
			continue
		}
		h := questionHistory{Of: r.id, Begin: begin}
		w := questionStory{questionReader: r, sus: sus, version: begin.Version}
		for i++; i < len(r.all); i++ {
			if w.step(&h, i) {
				h.Cut(r.all[i].Began)
				break
			}
		}
		if i--; len(h.Steps) > 0 {
			out = append(out, h)
		}
	}
	return out
}

// begins returns the question that an exchange shows, if it waits without a window and nothing is beside it.
func (r *questionReader) begins(i int) (q model.Question, sus host.Suspension, ok bool) {
	x := r.all[i]
	record := x.Body.At("/state/_suspension")
	version, known := x.Body.Key("version").Int()
	sus.ID = record.Key("id").String()
	q = model.Question{
		Status: model.Suspended, Version: version, Known: true, Note: x.Body.At("/state/note").String(), Seen: true, Lifecycle: r.lifecycle,
	}
	switch {
	case !x.Ok() || !known || sus.ID == "" || x.Body.Key("status").String() != model.Suspended || slices.ContainsFunc(r.all, x.Beside),
		slices.ContainsFunc(r.all[:i], func(y explore.Exchange) bool { return y.Writes() && y.Code == 0 }): // it may come to pass at any time
		return q, sus, false
	case record.Key("response").Actual() != nil, record.Key("resolution").Actual() != nil:
		return q, sus, false
	}
	for _, member := range []string{"timeout_seconds", "retry_policy", "expires_at"} {
		if record.Key(member).Actual() != nil {
			return q, sus, false
		}
	}
	for _, list := range []string{"depends_on", "parent_id", "parent_intent_id"} {
		if v := x.Body.Key(list); v.Actual() != nil && v.Actual() != "" && (len(v.Items()) > 0 || v.String() != "") {
			return q, sus, false
		}
	}
	sent := r.sent(i, sus.ID)
	if sent == nil {
		return q, sus, false
	}
	sus.Sent = host.SentOf(sent)
	for _, member := range []string{"timeout_seconds", "retry_policy", "expires_at"} {
		if sus.SentMember(member) != nil {
			return q, sus, false
		}
	}
	kind, _ := sus.SentMember("response_type").(string)
	q.Asks = slices.Index(model.Kinds, kind)
	var values []string
	for _, c := range choicesOf(sus) {
		value, _ := c["value"].(string)
		if value == "" || strings.Contains(value, "\n") || slices.Contains(values, value) {
			return q, sus, false
		}
		values = append(values, value)
	}
	q.Offers = strings.Join(values, "\n")
	return q, sus, q.Asks >= 0 && (kind != "choice" || len(values) > 0)
}

// choicesOf returns the choices of a record as it was written. What is no object has no members.
func choicesOf(sus host.Suspension) (all []map[string]any) {
	choices, _ := sus.SentMember("choices").([]any)
	for _, c := range choices {
		members, _ := c.(map[string]any)
		all = append(all, members)
	}
	return all
}

// sent returns the record of a suspension as it was written before an exchange, nil if that is not told.
func (r *questionReader) sent(i int, sid string) (raw []byte) {
	for k := i; k >= 0; k-- {
		var body struct {
			Patches []struct {
				Path  string          `json:"path"`
				Value json.RawMessage `json:"value"`
			} `json:"patches"`
			State map[string]json.RawMessage `json:"state"`
		}
		if r.below[k] != "state" || r.all[k].Method != http.MethodPost || json.Unmarshal([]byte(r.all[k].Sent), &body) != nil {
			continue
		}
		found := body.State["_suspension"]
		for _, p := range body.Patches {
			if p.Path == "/_suspension" {
				found = p.Value
			} else if strings.HasPrefix(p.Path, "/_suspension/") {
				return nil
			}
		}
		var record struct {
			ID string `json:"id"`
		}
		if len(found) > 0 {
			if json.Unmarshal(found, &record) != nil || record.ID != sid || !r.all[k].Ok() {
				return nil
			}
			return found
		}
	}
	return nil
}

// questionStory is a suspension whose history is read.
type questionStory struct {
	*questionReader
	sus     host.Suspension
	version int64 // the highest that a reply told
	silent  bool  // the last change told no version
	taken   bool  // an answer was
}

// step adds what the i-th exchange did to the question. end reports whether nothing is known from there on.
func (w *questionStory) step(h *questionHistory, i int) (end bool) {
	x := w.all[i]
	if !x.Writes() {
		w.read(h, i)
		return false
	}
	in, named, known := w.asked(i)
	if !known {
		return x.Code/100 != 4
	}
	out := w.replied(x, named)
	if in.Do == model.Answer {
		for _, c := range choicesOf(w.sus) {
			if c["value"] == in.Value {
				out.Label, _ = c["label"].(string)
				out.Meaning, _ = c["description"].(string)
			}
		}
		w.taken = w.taken || x.Ok()
	} else if version, has := x.Body.Key("version").Int(); x.Ok() {
		w.version, w.silent = max(w.version, version), !has
	}
	h.Add(x, in, out)
	return false
}

func (w *questionStory) replied(x explore.Exchange, named int64) model.Replied {
	return repliedTo(w.id, w.sus, host.Reply{Status: x.Status, Body: x.Body}, named)
}

// read adds a read of the intent or of its log, unless it may be late, or something is under way.
func (w *questionStory) read(h *questionHistory, i int) {
	x := w.all[i]
	if !x.Answered() || w.writing(x) {
		return
	}
	switch w.below[i] {
	case "":
		version, has := x.Body.Key("version").Int()
		late := !has || version < w.version || w.silent || w.taken && x.Body.Key("status").String() == model.Suspended
		if len(x.Query) == 0 && !(x.Ok() && (late || x.Body.Key("id").String() != w.id)) {
			h.Add(x, model.Asked{Do: model.Look}, w.replied(x, 0))
		}
	case "events":
		list, whole := w.log(i, &x)
		resumed := slices.ContainsFunc(list, func(e wire.Value) bool { return host.Contains(e, string(host.EventResumed)) })
		if whole && !w.writing(x) && (!w.taken || resumed) {
			out := w.replied(x, 0)
			out.List = list
			h.Add(x, model.Asked{Do: model.Tell}, out)
		}
	}
}

func (w *questionStory) writing(x explore.Exchange) bool {
	return slices.ContainsFunc(w.all, func(y explore.Exchange) bool { return y.Writes() && x.Beside(y) })
}

// log returns the events of a log if a next page is there that holds no more. The reading lasts until that.
func (w *questionStory) log(i int, x *explore.Exchange) (list wire.Values, whole bool) {
	list = host.EventsIn(x.Body)
	for name := range x.Query {
		if name != "limit" {
			return nil, false
		}
	}
	for k := i + 1; k < len(w.all); k++ {
		if y := w.all[k]; w.below[k] == "events" && !y.Writes() {
			x.Ended = y.Ended
			return list, x.Ok() && y.Ok() && y.Query.Get("offset") == strconv.Itoa(len(list)) && len(host.EventsIn(y.Body)) == 0
		}
	}
	return nil, false
}

// asked returns the step that a write is, and the version that it names, if the model has one.
func (w *questionStory) asked(i int) (in model.Asked, named int64, ok bool) {
	x := w.all[i]
	body, isObject := x.Object()
	if _, keyed := x.Get("Idempotency-Key"); keyed || !isObject || x.Method != http.MethodPost || len(x.Query) > 0 {
		return in, 0, false
	}
	if w.below[i] == "suspend/respond" {
		in.Do = model.Answer
		sid, _ := body["suspension_id"].(string)
		value, isText := body["value"].(string)
		if sid != w.sus.ID {
			in.Names = model.NamesOther
		}
		in.Value = value
		return in, 0, sid != "" && isText && value != ""
	}
	match, _ := x.Get("If-Match")
	named, err := strconv.ParseInt(match, 10, 64)
	switch w.below[i] {
	case "status":
		in.Do = map[any]model.Action{model.Completed: model.Complete, model.Abandoned: model.Abandon}[body["status"]]
		return in, named, err == nil && in.Do != ""
	case "state":
		in.Do = model.Else
		for path, value := range written(body) {
			text, isText := value.(string)
			switch first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); {
			case path == "/"+host.Note && isText && len(written(body)) == 1:
				in.Do, in.Value = model.Note, text
			case first == "", first == host.Note, first == "_suspension":
				return in, 0, false
			}
		}
		return in, named, err == nil && len(written(body)) > 0
	}
	return in, 0, false
}

// written returns the values that a write of the state sets, by path, in either form; none if it does something else.
func written(body map[string]any) map[string]any {
	all := map[string]any{}
	state, _ := body["state"].(map[string]any)
	for key, value := range state {
		all["/"+key] = value
	}
	patches, _ := body["patches"].([]any)
	for _, p := range patches {
		members, _ := p.(map[string]any)
		path, _ := members["path"].(string)
		if members["op"] != "set" || all[path] != nil {
			return nil
		}
		all[path] = members["value"]
	}
	return all
}
