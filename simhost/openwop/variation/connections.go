package variation

import "net/http"

// connections are the variations of how requests and replies travel.
var connections = []Variation{
	{
		ID: "http10", Title: "as of HTTP/1.0: no reply has a length or chunks, each ends with its connection, and of a request " +
			"that comes in chunks nothing is read",
		About: "how a reply ends, and whether chunks are understood",
		Vary: func(s *Set) {
			s.asks = append(s.asks, func(x *exchange) {
				if x.asked.ContentLength < 0 {
					x.r.Body, x.r.ContentLength = http.NoBody, 0
				}
			})
			s.replies = append(s.replies, func(x *exchange) {
				x.header.Del("Content-Length")
				x.header.Set("Transfer-Encoding", "identity") // which has net/http end the reply with the connection
				x.header.Set("Connection", "close")
			})
		},
	},
}
