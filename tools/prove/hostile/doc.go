// Package hostile certifies malicious hosts. Each of them listens on a real socket, and the built command runs against
// it in a process of its own. Whatever such a host sends, the command ends within its deadline, stays small, keeps its
// credentials to itself, passes nothing that the host has touched, and writes readable reports. docs/hostile-hosts.md
// holds the measured results.
package hostile
