package surface

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// toldReply is a reply of a host in whatever manner.
type toldReply struct {
	status int
	header http.Header
	doc    map[string]any
}

func (r toldReply) text(member string) string { return fmt.Sprint(r.doc[member]) }

func (r toldReply) refusal() string { return fmt.Sprint(r.status, " ", r.doc["error"]) }

// tell asks, as do, but does not hold the reply against the contract.
func (c *client) tell(method, path string, body any, headers ...header) toldReply {
	c.t.Helper()
	response := c.open(c.t.Context(), method, path, body, headers...)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	r := toldReply{status: response.StatusCode, header: response.Header}
	if response.Header.Get("Content-Type") == "application/json" && method != http.MethodHead {
		if err := json.Unmarshal(raw, &r.doc); err != nil {
			c.t.Fatalf("%s %s: %v in %s", method, path, err, raw)
		}
	}
	return r
}

// inChunks is the status of a request whose length is not toldReply beforehand.
func (c *client) inChunks(path, body string) int {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+path, io.MultiReader(strings.NewReader(body)))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func (c *client) statuses(h header, paths ...string) string {
	c.t.Helper()
	var all []string
	for _, path := range paths {
		all = append(all, fmt.Sprint(c.tell("GET", path, nil, h).status))
	}
	return strings.Join(all, " ")
}

// reaches waits until a run has a status. It takes what the host says in whatever manner.
func (c *client) reaches(id, status string) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		s := c.tell("GET", "/v1/runs/"+id, nil)
		if s.text("status") == status {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("run %s is %v, want %s", id, s.doc, status)
		}
	}
}

// ended is the id of a run that has ended.
func (c *client) ended() string {
	c.t.Helper()
	return c.endedOf(aRun)
}

func (c *client) endedOf(create string) string {
	c.t.Helper()
	id := c.tell("POST", "/v1/runs", create).text("runId")
	c.reaches(id, "completed")
	return id
}

func list(v any) (objects []map[string]any) {
	items, _ := v.([]any)
	for _, item := range items {
		object, _ := item.(map[string]any)
		objects = append(objects, object)
	}
	return objects
}

func (c *client) events(id string) []map[string]any {
	c.t.Helper()
	return list(c.tell("GET", "/v1/runs/"+id+"/events/poll?timeout=1", nil).doc["events"])
}

func sequences(events []map[string]any) []any {
	all := []any{}
	for _, e := range events {
		all = append(all, e["sequence"])
	}
	return all
}

var (
	anUUID  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	letters = regexp.MustCompile(`[a-z2-9]{26}`)
)

// shape is how the ids in an event look.
func shape(e map[string]any) string {
	ids := fmt.Sprint(e["runId"], " ", e["eventId"])
	return letters.ReplaceAllString(anUUID.ReplaceAllString(ids, "uuid"), "x")
}

// raw is the stream of a run that has ended.
func (c *client) raw(id, query string, headers ...header) string {
	c.t.Helper()
	response := c.open(c.t.Context(), "GET", "/v1/runs/"+id+"/events?streamMode=debug"+query, nil, headers...)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(raw)
}

// frames are the ids and types of the frames of a run that has ended.
func (c *client) frames(id, query string, headers ...header) []string {
	c.t.Helper()
	frames := []string{}
	for block := range strings.SplitSeq(c.raw(id, query, headers...), "\n\n") {
		if m := regexp.MustCompile(`(?m)^id: (.*)\nevent: (.*)$`).FindStringSubmatch(block); m != nil {
			frames = append(frames, m[1]+" "+m[2])
		}
	}
	return frames
}

// pieces is how often the stream of a run that has ended is flushed, which is how many chunks it has.
func (c *client) pieces(id string) int {
	c.t.Helper()
	flushes := &flushCounter{header: http.Header{}}
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, "/v1/runs/"+id+"/events?streamMode=debug", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	c.host.Handler().ServeHTTP(flushes, r)
	return flushes.n
}

type flushCounter struct {
	header http.Header
	n      int
}

func (f *flushCounter) Header() http.Header { return f.header }

func (f *flushCounter) WriteHeader(int) {}

func (f *flushCounter) Write(b []byte) (int, error) { return len(b), nil }

func (f *flushCounter) Flush() { f.n++ }

// waitsAs is the status of a run at an approval, as the snapshot and as the stream tell it.
func (c *client) waitsAs(workflow string) string {
	c.t.Helper()
	id := c.tell("POST", "/v1/runs", `{"workflowId":"`+workflow+`"}`).text("runId")
	var status string
	for deadline := time.Now().Add(patience); !strings.HasPrefix(status, "waiting-") &&
		time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		status = c.tell("GET", "/v1/runs/"+id, nil).text("status")
	}
	response := c.open(c.t.Context(), "GET", "/v1/runs/"+id+"/events?streamMode=values", nil)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var snapshot map[string]any
			if err := json.Unmarshal([]byte(data), &snapshot); err != nil {
				c.t.Fatal(err)
			}
			return fmt.Sprint(status, " ", snapshot["status"])
		}
	}
	return status
}

// answeredTwice is what the second answer is refused with.
func (c *client) answeredTwice() string {
	c.t.Helper()
	id := c.tell("POST", "/v1/runs", `{"workflowId":"conformance-approval"}`).text("runId")
	c.reaches(id, string(openwopv1.RunStatusWaitingApproval))
	path := "/v1/runs/" + id + "/interrupts/" + c.tell("GET", "/v1/runs/"+id, nil).text("currentNodeId")
	if first := c.tell("POST", path, accepts); first.status != http.StatusOK {
		c.t.Fatalf("the first answer: %v", first)
	}
	return c.tell("POST", path, accepts).refusal()
}

// replayHeaders is the header of a first answer and of the same given again.
func (c *client) replayHeaders() string {
	c.t.Helper()
	var all []string
	for range 2 {
		h := c.tell("POST", "/v1/runs", aRun, header{headerIdempotencyKey, "k"}).header.Values(headerReplay)
		all = append(all, strings.Replace(fmt.Sprintf("%q", h), `[""]`, "[] with a header", 1))
	}
	return strings.ReplaceAll(strings.Join(all, " "), `"`, "")
}

// bearers is what two spellings of the scheme come to.
func (c *client) bearers() string {
	c.t.Helper()
	id := c.ended()
	var all []string
	for _, scheme := range []string{"Bearer", "bearer"} {
		all = append(all, fmt.Sprint(c.tell("GET", "/v1/runs/"+id, nil, header{"Authorization", ""}, header{"Authorization",
			scheme + " " + c.key}).status))
	}
	return strings.Join(all, " ")
}

// pollMembers are the members of a poll, and where it tells of the run what it says; the last number is that of a poll
// behind 7, beyond the end.
func (c *client) pollMembers() string {
	c.t.Helper()
	id := c.ended()
	poll, beyond := c.tell("GET", "/v1/runs/"+id+"/events/poll", nil).doc, c.tell("GET", "/v1/runs/"+id+"/events/poll?lastSequence=7", nil).doc
	members := strings.Join(slices.Sorted(maps.Keys(poll)), " ")
	if poll["runStatus"] == nil {
		return members
	}
	return fmt.Sprint(members, "; ", poll["lastEventSeq"], " ", poll["runStatus"], " ", beyond["lastEventSeq"])
}
