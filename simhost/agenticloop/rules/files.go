package rules

import "slices"

// Files is how an agent keeps its workspace.
type Files struct {
	// Writes tells whether a file of this name is written.
	Writes func(name string) bool

	// InPlace tells whether a file is written over, which changes every other name that it has, instead of being replaced.
	InPlace func(name string) bool

	// Extended is a file to which something is added, given what it held.
	Extended func(name string, before, added []byte) []byte
}

func honestFiles() Files {
	return Files{
		Writes:  func(string) bool { return true },
		InPlace: func(string) bool { return false },
		Extended: func(_ string, before, added []byte) []byte {
			return append(slices.Clip(before), added...)
		},
	}
}
