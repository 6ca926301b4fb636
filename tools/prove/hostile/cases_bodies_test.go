package hostile

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios/wire"
)

// plausible is a reply as an honest host could have sent it, whatever was asked.
func plausible(r *http.Request) string {
	const event = `{"eventId":"e-0","runId":"r-1","sequence":0,"type":"run.started","timestamp":"2026-11-01T00:00:00Z","payload":{}}`
	switch {
	case strings.HasSuffix(r.URL.Path, "/poll"):
		return `{"events":[` + event + `],"isComplete":true}`
	case r.Method == http.MethodPost:
		return `{"runId":"r-1","status":"pending"}`
	}
	return `{"runId":"r-1","workflowId":"conformance-noop","status":"completed","variables":{}}`
}

const jsonHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// Bodies that are too long, or take too long.
var bodyCases = []hostileCase{
	{
		id: "body-without-end", sent: "Sends a JSON body without end.",
		exit: unproved, telling: "the body is larger than",
		raw: func(x *exchange) bool {
			io.WriteString(x, jsonHead+"\r\n{\"events\":[") // the next write tells
			x.repeats(`"xxxxxxxxxxxxxxxxxxxxxxxx",`, 0)
			return false
		},
	},
	{
		id: "body-byte-by-byte", sent: "Sends a body one byte at a time.",
		exit: unproved, telling: "the deadline struck",
		raw: func(x *exchange) bool {
			x.trickles(jsonHead + "\r\n{" + strings.Repeat(" ", 10_000))
			return false
		},
	},
	{
		id: "gzip-bomb", sent: "Sends 1 GB of one character, compressed to 1 MB.",
		exit: unproved, telling: "the body is larger than",
		raw: sendsBomb,
	},
	{
		id: "gzip-bomb-as-discovery", sent: "Sends the same for discovery.",
		exit: unreachable, everywhere: true, telling: "the body is larger than",
		raw: sendsBomb,
	},
	{
		id: "discovery-of-1-gb", sent: "Sends a discovery document of 1 GB.",
		exit: unreachable, everywhere: true, telling: "the body is larger than",
		raw: func(x *exchange) bool {
			const size = 1 << 30
			fmt.Fprintf(x, jsonHead+"Content-Length: %d\r\n\r\n{\"protocolVersion\":\"1.0\",\"fixtures\":[", size) // the next write tells
			x.repeats(`"conformance-noop-and-so-on",`, size)
			return false
		},
	},
	{
		id: "discovery-of-lists", sent: "Sends a discovery document of 4 MB that is a list of empty objects.",
		exit: unreachable, everywhere: true, telling: "once it is decoded",
		raw: func(x *exchange) bool {
			return x.answers(http.StatusOK, "", `{"protocolVersion":"1.0","fixtures":[`+strings.Repeat("{},", 1_300_000)+`{}]}`) == nil
		},
	},
	{
		id: "discovery-with-long-claims", sent: "Claims everything, each claim with 2 MB of text beside it.",
		exit: notProved, everywhere: true, touched: func(e wire.Entry, _ results.Check) bool { return e.Label != "discovery" },
		raw: func(x *exchange) bool {
			long := strings.Repeat("A long claim. ", 150_000)
			body := bytes.Replace(x.discovery, []byte(`"multiAgent":{"executionModel":{`),
				[]byte(`"multiAgent":{"executionModel":{"note":"`+long+`",`), 1)
			return x.answers(http.StatusOK, "", string(body)) == nil
		},
	},
	{
		id: "huge-lists", sent: "Makes runs, and answers every reading with a list of 1 MB: of events, of empty objects, of zeros.",
		exit: notProved, touched: inBodies,
		raw: func(x *exchange) bool {
			if x.request.Method == http.MethodPost {
				return x.answers(http.StatusCreated, "", plausible(x.request)) == nil
			}
			return x.answers(http.StatusOK, "", hugeLists[len(x.request.URL.Path)%len(hugeLists)]()) == nil
		},
	},
	{
		id: "log-without-end", sent: "Makes runs that do not end, whose log has 1,000 new events whenever it is read.",
		exit: notProved, touched: inBodies,
		raw: func(x *exchange) bool { return x.answers(http.StatusOK, "", logWithoutEnd(x.request)) == nil },
	},
	{
		id: "tokens-without-end", sent: "Makes runs that wait, with another token of 1,000 characters whenever one is read.",
		exit: notProved, touched: where("<secret:"),
		raw: func(x *exchange) bool { return x.answers(http.StatusOK, "", tokensWithoutEnd(x.request)) == nil },
	},
	{
		id: "long-strings", sent: "Answers everything with ids and states of 200 KB.",
		exit: notProved, touched: inBodies,
		raw: func(x *exchange) bool {
			long := strings.Repeat("<long>", 35_000)
			return x.answers(http.StatusOK, "", strings.NewReplacer("r-1", long, "completed", long, "run.started",
				long).Replace(plausible(x.request))) == nil
		},
	},
}

// bomb is 1 GB of one character, compressed: the same megabyte over and over, which the format allows.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(bytes.Repeat([]byte(" "), 1<<20)) // a buffer takes everything
	w.Close()
	return bytes.Repeat(b.Bytes(), 1<<10)
})

func sendsBomb(x *exchange) bool {
	_, err := fmt.Fprintf(x, jsonHead+"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(bomb()), bomb())
	return err == nil
}

const hugeSize = 1000 << 10

// listOf fills a list of events with as many elements as there is room for.
func listOf(element string) func() string {
	return sync.OnceValue(func() string {
		return `{"runId":"r-1","status":"completed","isComplete":true,"events":[` + strings.Repeat(element+",",
			hugeSize/(len(element)+1)-1) + element + `]}`
	})
}

var hugeLists = []func() string{
	listOf(`{"eventId":"e-0","runId":"r-1","sequence":0,"type":"run.started","payload":{}}`),
	listOf(`{}`), listOf(`0`), listOf(`{"":0}`),
	listOf(`"the same long string, over and over, so that nothing decoded takes much more than it"`),
}

func logWithoutEnd(r *http.Request) string {
	if !strings.HasSuffix(r.URL.Path, "/poll") {
		return strings.ReplaceAll(plausible(r), "completed", "running")
	}
	after := 0
	if _, err := fmt.Sscan(r.URL.Query().Get("lastSequence"), &after); err != nil {
		after = -1
	}
	var events []string
	for i := range 1000 {
		events = append(events,
			fmt.Sprintf(`{"eventId":"e-%d","runId":"r-1","sequence":%d,"type":"runOrchestrator.decided","timestamp":"2026-11-01T00:00:00Z","payload":{"iteration":%d,"decision":{"kind":"next-worker"}}}`, after+i, after+i+1, i))
	}
	return `{"events":[` + strings.Join(events, ",") + `],"isComplete":false}`
}

// tokensWithoutEnd is a run that waits, with another token whenever it is asked.
func tokensWithoutEnd(r *http.Request) string {
	return strings.Replace(plausible(r), `"status":"completed"`, `"status":"waiting-input","interrupt":{"interruptToken":"`+
		strings.Repeat(rand.Text(), 40)+`"}`, 1)
}
