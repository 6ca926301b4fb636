// Package openintent asks OpenIntent servers how they suspend intents: who waits, what watches it, who is reminded, and how it
// ends (RFC-0026 and the sentences of RFC-0025, 0002, 0007, 0012, 0013 and 0024 that it rests on).
package openintent
