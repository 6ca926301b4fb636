// Package openwop asks OpenWOP v1 hosts whether they keep their promises.
//
// One file a suite; the drives that suites share are in the drive_ files, what
// they do on the wire in host.go and runs.go, what a judge can read of a run in
// log.go. Facts about honest hosts' differences stand beside the code that
// tolerates them.
package openwop
