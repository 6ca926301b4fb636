// Package scenarios finds out whether a target keeps the promises it makes.
//
// A [Scenario] is one question. Its metadata can be read without running anything. Its [Drive] acts on the target and
// returns an observation. Its judge, a pure function, decides from that observation alone. A [Certification] drives the
// selected scenarios, judges them and returns a [Report].
//
// To run suites in a Go test, see [Run]; in a Ginkgo tree, package ginkgosuite; from the command line, assay certify.
package scenarios
