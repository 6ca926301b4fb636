// Package agenticloop asks plugins of the agentic loop (RFC-103) whether they keep their promises. A plugin is an
// executable that runs once for each turn: it reads a request from standard input and writes a response to standard
// output. The gateway carries its state from turn to turn.
//
// A plugin has no discovery document. It claims what stands in the profile it is certified with, assay-plugin.yaml, and
// in its manifest: see [Folder] and [Exec].
//
// The suites stand in rooms by theme, each with its drives, observations and judges. All of them see a plugin as package
// host has it.
package agenticloop
