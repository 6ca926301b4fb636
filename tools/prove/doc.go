// Package prove holds Assay to its own measure: the suites against the simulated host, over real sockets. An honest host
// must not be accused of anything, and a host with a fault must be caught, for what the fault breaks. Neither the suites
// nor the host know each other; they meet here.
package prove
