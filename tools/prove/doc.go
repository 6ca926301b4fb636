// Package prove holds Assay to its own measure: the suites against the
// simulated host, honest and not, over real sockets. Neither knows the other;
// they meet here.
package prove
