// Package hostile certifies hosts that mean harm. Each of them listens on a
// real socket, and the built command is run against it in a process of its own.
// Whatever such a host sends, the command ends within its deadline, stays small,
// keeps its credentials to itself, passes nothing that the host has touched, and
// writes reports that can be read. docs/hostile-hosts.md is made of what is
// measured here.
package hostile
