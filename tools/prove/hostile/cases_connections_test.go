package hostile

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// What happens to connections, whatever is asked.
var connectionCases = []hostileCase{
	{
		id: "silent", sent: "Accepts every connection and never answers, discovery included.",
		exit: unreachable, everywhere: true, telling: "the target did not answer",
		raw: func(x *exchange) bool { x.waits(); return false },
	},
	{
		id: "silent-after-discovery", sent: "Answers discovery, and then nothing.",
		exit: unproved, telling: "the deadline struck",
		raw: func(x *exchange) bool { x.waits(); return false },
	},
	{
		id: "reset-after-accept", sent: "Resets every connection as soon as it is there.",
		exit: unproved, onAccept: true, telling: "the target did not answer",
		raw: func(x *exchange) bool { x.resets(); return false },
	},
	{
		id: "reset-after-request", sent: "Resets the connection when the request was read.",
		exit: unproved, telling: "the target did not answer",
		raw: func(x *exchange) bool { x.resets(); return false },
	},
	{
		id: "reset-in-header", sent: "Resets the connection in the middle of the headers.",
		exit: unproved, telling: "the target did not answer",
		raw: func(x *exchange) bool {
			io.WriteString(x, "HTTP/1.1 200 OK\r\nContent-Type: applic") // it is reset in any case
			x.resets()
			return false
		},
	},
	{
		id: "reset-in-body", sent: "Resets the connection in the middle of a body.",
		exit: unproved, telling: "the target did not answer",
		raw: func(x *exchange) bool {
			// it is reset in any case
			io.WriteString(x, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"runId\":\"r")
			x.resets()
			return false
		},
	},
	{
		id: "no-http", sent: "Answers with the banner of another protocol, and the key in it.",
		exit: unproved, telling: "the target did not answer",
		raw: func(x *exchange) bool {
			io.WriteString(x, "SSH-2.0-"+x.request.Header.Get("Authorization")+"\r\n\x1b[2J\r\n") // it ends in any case
			return false
		},
	},
}

// What is wrong before the body begins.
var headCases = []hostileCase{
	{
		id: "headers-byte-by-byte", sent: "Sends its headers one byte at a time.",
		exit: unproved, telling: "the deadline struck",
		raw: func(x *exchange) bool {
			x.trickles("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Slow: " + strings.Repeat("s", 10_000))
			return false
		},
	},
	{
		id: "headers-without-end", sent: "Sends headers without end.",
		exit: unproved, telling: "the target did not answer",
		raw: func(x *exchange) bool {
			io.WriteString(x, "HTTP/1.1 200 OK\r\n") // the next write tells
			x.repeats("X-More: "+strings.Repeat("m", 100)+"\r\n", 0)
			return false
		},
	},
	{
		id: "informational-flood", sent: "Sends 1xx replies without end and never a final one.",
		exit: unproved, telling: "the target did not answer",
		raw: func(x *exchange) bool {
			x.repeats("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", 0)
			return false
		},
	},
	{
		id: "content-length-too-long", sent: "Names a Content-Length larger than the body, and closes.",
		exit: unproved, telling: "the target did not answer",
		raw: func(x *exchange) bool {
			body := plausible(x.request)
			// it ends in any case
			fmt.Fprintf(x, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body)+1000, body)
			return false
		},
	},
	{
		id: "content-length-too-short", sent: "Names a Content-Length smaller than the body, and hides a second reply and the key in the rest.",
		exit: notProved, touched: inBodies,
		raw: func(x *exchange) bool {
			body := plausible(x.request)
			rest := x.request.Header.Get("Authorization") + "\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
			_, err := fmt.Fprintf(x, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s%s", len(body)-1, body, rest)
			return err == nil
		},
	},
	{
		id: "retry-after-absurd", sent: "Answers 429 with a Retry-After of 99999999999999999999 seconds.",
		exit: unproved, telling: "the target is busy",
		raw: func(x *exchange) bool {
			return x.answers(http.StatusTooManyRequests, "Retry-After: 99999999999999999999\r\n", `{"error":"rate_limited"}`) == nil
		},
	},
}

// trickles writes one byte at a time, until nobody reads any more.
func (x *exchange) trickles(text string) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := range len(text) {
		if _, err := io.WriteString(x, text[i:i+1]); err != nil {
			return
		}
		<-tick.C
	}
}

// Redirects to where the credential must not go.
var redirectCases = []hostileCase{
	redirectCase("redirect-to-another-origin", "Redirects to another port of the same machine, with 307.", http.StatusTemporaryRedirect,
		func(x *exchange) string { return x.elsewhere + x.request.URL.Path }),
	redirectCase("redirect-without-scheme", "Redirects to another origin by an address without a scheme, with 302.", http.StatusFound,
		func(x *exchange) string { return strings.TrimPrefix(x.elsewhere, "http:") + "/" }),
	redirectCase("redirect-to-a-private-address", "Redirects to the machine itself by another name, with 308.", http.StatusPermanentRedirect,
		func(x *exchange) string { return x.private + "/latest/meta-data/" }),
	redirectCase("redirect-to-another-scheme", "Redirects to a file of the machine, with 301.", http.StatusMovedPermanently,
		func(*exchange) string { return "file:///etc/passwd" }),
	{
		id: "redirect-loop", sent: "Redirects every request to itself, without end.",
		exit: unproved, telling: "too many redirects",
		raw: func(x *exchange) bool {
			return x.answers(http.StatusTemporaryRedirect, "Location: "+x.request.URL.RequestURI()+"\r\n", "") == nil
		},
	},
}

func redirectCase(id, sent string, status int, to func(*exchange) string) hostileCase {
	return hostileCase{id: id, sent: sent, exit: notProved, raw: func(x *exchange) bool {
		return x.answers(status, "Location: "+to(x)+"\r\n", "") == nil
	}}
}
