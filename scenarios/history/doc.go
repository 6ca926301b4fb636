// Package history says whether a model explains what clients saw of an object: as a set of states in which it may be, which forks
// where a text leaves two ways, a reply was lost or things happened at once, and narrows with what is seen. A set that is empty is
// a violation. It is pure: it knows no network, no clock and no protocol.
package history
