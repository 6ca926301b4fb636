// Package openwop asks OpenWOP v1 hosts whether they keep their promises.
//
// It lists the suites. Each theme has a package that holds its suite, drives, observations and judges. Package host
// holds what several themes share, package claims what hosts can claim.
package openwop
