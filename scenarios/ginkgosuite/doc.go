// Package ginkgosuite puts Assay's suites into a Ginkgo tree.
//
// [Describe] adds them to the caller's own tree, so that a host's maintainer
// certifies it inside the suite that is already there. [Show] runs a tree of
// Assay's own over a certification that is under way, as assay certify does.
// Either way each scenario is one It, named by its id and title: it waits for
// its drive, judges, attaches the report entries [EntryVerdict], [EntryChecks],
// [EntryExchanges] and [EntryFindings], then passes, skips with the reason, or
// fails. The drives run on Assay's own pool; Ginkgo only reports.
//
// An It has the labels of [scenarios.Selected.FilterLabels], so ginkgo
// --label-filter selects by protocol, suite, scenario, requirement, claim, level
// and source. What Ginkgo leaves out is not driven.
package ginkgosuite
