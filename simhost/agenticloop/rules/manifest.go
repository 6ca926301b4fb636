package rules

// Manifest is what a plugin says of itself.
type Manifest struct {
	// Text is the manifest, given it as it should be.
	Text func(manifest []byte) []byte
}

func honestManifest() Manifest {
	return Manifest{
		Text: func(manifest []byte) []byte { return manifest },
	}
}
