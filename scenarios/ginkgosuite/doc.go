// Package ginkgosuite puts Assay's suites into a Ginkgo tree.
//
// [Describe] adds them to the caller's own tree, so that a host's maintainer
// certifies it inside the suite that is already there. [Show] runs a tree of
// Assay's own over a certification that is under way, as assay certify does.
// Either way each scenario is one It: it waits for its drive, judges, attaches
// checks and transcript, then passes, skips with the reason, or fails. The
// drives run on Assay's own pool; Ginkgo only reports.
package ginkgosuite
