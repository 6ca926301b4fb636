// Package agenticloop asks agentic-loop plugins (RFC-103) whether they keep their promises: executables that take one turn
// a process, a request on standard input, a response on standard output.
//
// What a plugin claims stands in the profile it is certified with, assay-plugin.yaml: it has no discovery of its own.
package agenticloop
