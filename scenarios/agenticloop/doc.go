// Package agenticloop asks agentic-loop plugins (RFC-103) whether they keep their promises: executables that take one turn
// a process, a request on standard input, a response on standard output, with their state carried by the gateway.
//
// What a plugin claims stands in the profile it is certified with, assay-plugin.yaml, and in its manifest: it has no
// discovery of its own. See [Folder] and [Exec].
package agenticloop
