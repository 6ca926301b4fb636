// Package lockstep takes models of histories through small worlds, as a whole: all states that a few steps lead to, and a target
// beside them. It knows no protocol.
package lockstep
