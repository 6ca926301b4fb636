// Package wire is the only way a certification talks to a target.
//
// A [Network] holds what all drives of a certification share: the base URL, the credentials, the limits, the redactor.
// Each drive has its own [Client], which records every exchange in a [Transcript]. Judges check [Value]s: what the
// target sent, with its exchange and JSON pointer. No other package can make one, so a check cannot be given a
// constant.
//
// A target is not trusted: this package limits sizes, depths, times and redirects, and replaces secrets before anything
// is kept.
package wire
