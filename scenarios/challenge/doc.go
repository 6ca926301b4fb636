// Package challenge shows of passes that they could have failed. It changes what a target sent, as it stands in the
// transcripts of a certification, has the observations follow, and judges again: the target is not asked. A pass that
// no change of the kinds which break its requirement can turn has shown nothing.
package challenge
