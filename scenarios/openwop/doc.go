// Package openwop asks OpenWOP v1 hosts whether they keep their promises.
//
// It lists the suites. Each theme has a package: a suite, the drives that act for it, what they observe and the judges of that
// are neighbours there. What several themes need of a host is in package host, what hosts can claim in package claims.
package openwop
