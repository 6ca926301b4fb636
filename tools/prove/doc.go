// Package prove tests Assay itself: it runs the suites against simulated hosts and reference agents over real sockets.
// The suites must not accuse an honest host, and must catch a host with a fault, for a requirement that the fault
// breaks. Suites and hosts do not know each other; they meet here.
package prove
