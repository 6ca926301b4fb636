// Package scenarios finds out whether a target keeps the promises it makes.
//
// A [Scenario] is one question. Its metadata can be read without running
// anything; its [Drive] acts on the target and returns an observation; its
// judge, a pure function, decides from that observation alone. A
// [Certification] drives what was selected, judges it and yields a [Report].
//
// To run suites inside an own test, see [Run]; inside an own Ginkgo tree, see
// package ginkgosuite; from the command line, see assay certify.
package scenarios
