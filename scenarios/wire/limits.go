package wire

import "time"

// Limits bound what a target can make Assay hold, read and wait for.
type Limits struct {
	HeaderBytes    int64         // one reply's header block
	BodyBytes      int64         // one reply's body, after decompression
	DiscoveryBytes int64         // the discovery document's body
	InFlightBytes  int64         // bodies being read at one moment, over all drives
	DriveBytes     int64         // the transcript of one drive, as written
	KeptBytes      int64         // the transcripts of all drives together
	DocumentBytes  int64         // one decoded JSON document, as estimated before decoding
	LiveBytes      int64         // all decoded documents of running drives; when they are there, one drive may hold as many again
	OwnBytes       int64         // those of one drive that it may hold whatever the others hold
	EventBytes     int64         // one server-sent event
	StreamEvents   int           // events of one stream
	PathBytes      int           // a path that we request, which may hold an id of the target's
	InputKept      int           // of one process's input, in the transcript
	OutputBytes    int64         // one process's standard output
	OutputKept     int           // of that, in the transcript; longer output cannot be judged
	ErrorsKept     int           // of one process's standard error
	FileKept       int           // of one file that a process wrote, in the transcript
	Files          int           // files that a process wrote
	Depth          int           // nesting of a JSON document
	NumberChars    int           // length of a JSON number
	Redirects      int           // redirects followed, within the target's origin
	Request        time.Duration // one exchange, from dial to the last body byte
}

// DefaultLimits are the limits of a certification unless an option says otherwise.
func DefaultLimits() Limits {
	return Limits{
		HeaderBytes:    64 << 10,
		BodyBytes:      1 << 20,
		DiscoveryBytes: 4 << 20,
		InFlightBytes:  8 << 20,
		DriveBytes:     24 << 20,
		KeptBytes:      48 << 20,
		DocumentBytes:  16 << 20,
		LiveBytes:      40 << 20,
		OwnBytes:       1 << 20,
		EventBytes:     1 << 20,
		StreamEvents:   10_000,
		PathBytes:      16 << 10,
		InputKept:      64 << 10,
		OutputBytes:    10 << 20,
		OutputKept:     10 << 20,
		ErrorsKept:     64 << 10,
		FileKept:       64 << 10,
		Files:          200,
		Depth:          64,
		NumberChars:    64,
		Redirects:      5,
		Request:        20 * time.Second,
	}
}
