// Package wire is the only way a certification talks to a target.
//
// A [Network] holds what all drives of one certification share: the base URL,
// the credentials, the limits, the redactor. Each drive gets its own [Client],
// whose every exchange lands in a [Transcript]. What a judge later checks are
// [Value]s: raw bytes that the target sent, with the exchange and the JSON
// pointer where they stood. No other package can make one, so a check cannot
// be fed a constant.
//
// A target is hostile until proven otherwise: sizes, depths, times and
// redirects are bounded here, and secrets are replaced before anything is kept.
package wire
