// Package arch holds the test that keeps the arrows between the packages: spec -> gen -> {scenarios, simhost} ->
// reports -> tools, and the heavy libraries where they belong.
package arch
