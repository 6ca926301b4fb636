package verify

import (
	"crypto/x509"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/timestamp"
)

// Clock holds the timestamp of a bundle, and whom to believe about time.
type Clock struct {
	Timestamp *timestamp.Timestamp // of the bundle; nil without one
	Roots     *x509.CertPool       // certificates that timestamps have to lead to; nil checks no chain
	RootsFile string
}

// Timestamp is what an authority says of a bundle or of the line of a register.
type Timestamp struct {
	Time      string `json:"time"`      // RFC 3339
	Authority string `json:"authority"` // name in the certificate that signed
	Trusted   bool   `json:"trusted"`   // a chain leads to a certificate of --tsa-cert
}

const rfc3339Seconds = "2006-01-02T15:04:05Z07:00"

// stamped holds the bundle to its timestamp.
func (v *run) stamped() {
	t := v.by.Clock.Timestamp
	if t == nil {
		return
	}
	if t.Digest != v.bundle.Digest {
		v.tell("timestamp", "its timestamp is of another bundle, or the bundle was changed since: it is of the SHA-256 %s, and this one has %s",
			short(t.Digest), short(v.bundle.Digest))
		return
	}
	v.Timestamp = v.believed("its timestamp", t)
	ended := v.bundle.Manifest.StartedAt.Add(time.Duration(v.given.Seconds * float64(time.Second)))
	if t.Time.Before(ended.Add(-drift)) {
		v.Timestamp.Trusted = false
		v.tell("timestamp", "it was time-stamped at %s, and the certification ended at %s only", t.Time.Format(time.RFC3339Nano),
			ended.UTC().Format(time.RFC3339Nano))
	}
}

// planStamped holds the line of the plan to its timestamp, if the register has one. It returns words on it.
func (v *run) planStamped(at results.Registered) string {
	given := v.by.Register.Timestamp(at.Number)
	if given == nil {
		return ""
	}
	t, err := timestamp.Read(given.Reply)
	if err != nil {
		v.tell("timestamp", "the timestamp of line %d of %s cannot be read: %s", at.Number, v.by.RegisterFile, err)
		return ""
	}
	if t.Digest != at.Digest {
		v.tell("timestamp", "the timestamp that %s has of line %d is of another line", v.by.RegisterFile, at.Number)
		return ""
	}
	v.PlanTimestamp = v.believed(fmt.Sprintf("the timestamp of line %d", at.Number), t)
	if began := v.bundle.Manifest.StartedAt; t.Time.After(began.Add(drift)) {
		v.PlanTimestamp.Trusted = false
		v.tell("timestamp", "its plan was time-stamped at %s, and it began at %s already", t.Time.Format(time.RFC3339Nano),
			began.UTC().Format(time.RFC3339Nano))
	}
	return ", " + v.PlanTimestamp.words()
}

// believed reports what a timestamp says, and tells if its authority is none to believe.
func (v *run) believed(which string, t *timestamp.Timestamp) *Timestamp {
	out := &Timestamp{Time: t.Time.Format(rfc3339Seconds), Authority: t.Authority()}
	if v.by.Clock.Roots == nil {
		return out
	}
	if err := t.Trusted(v.by.Clock.Roots); err != nil {
		v.tell("timestamp", "%s is by %s, which leads to no certificate of %s: %s", which, t.Authority(), v.by.Clock.RootsFile, err)
		return out
	}
	out.Trusted = true
	return out
}

// words says for people who says which time.
func (t *Timestamp) words() string {
	if t.Trusted {
		return fmt.Sprintf("time-stamped at %s by %s", t.Time, textsafe.Line(t.Authority))
	}
	return fmt.Sprintf("time-stamped at %s by %s, whose chain was not checked (--tsa-cert FILE does)", t.Time, textsafe.Line(t.Authority))
}

// when says what is not known of the time.
func (v *run) when() string {
	today := ", and that the host is the same today"
	if v.answersAlike() {
		today = ""
	}
	after := v.Timestamp != nil && v.Timestamp.Trusted
	before := v.PlanTimestamp != nil && v.PlanTimestamp.Trusted
	switch {
	case after && before:
		return fmt.Sprintf("when exactly it was, between the timestamps of %s and %s%s", v.PlanTimestamp.Time, v.Timestamp.Time, today)
	case after:
		return fmt.Sprintf("how long before %s it was, when it was time-stamped%s: "+
			"the start is what a clock said on the machine that ran Assay", v.Timestamp.Time, today)
	case before:
		return fmt.Sprintf("how long after %s it was, when its plan was time-stamped%s", v.PlanTimestamp.Time, today)
	case v.Timestamp != nil || v.PlanTimestamp != nil:
		return "that it is recent" + today + ": who signed its timestamp was not checked, for --tsa-cert was not given, or does not fit"
	}
	return "that it is recent" + today + ": the start is what a clock said on the machine that ran Assay"
}
