// Package openintent lists the suites for OpenIntent servers. They ask how a server suspends an intent, what watches
// it, who is reminded and how the suspension ends: RFC-0026, and what it rests on in RFC-0025, 0002, 0007, 0012, 0013
// and 0024.
package openintent
