package fault

import (
	"bytes"

	al "github.com/openassay/assay/gen/agenticloop"
)

// declaring has another text in the place of the first of this one in the manifest.
func declaring(text, instead string) func([]byte) []byte {
	return func(manifest []byte) []byte { return bytes.Replace(manifest, []byte(text), []byte(instead), 1) }
}

var manifestFaults = []Fault{
	{
		ID:       "agent.manifest-without-handle",
		Title:    "the manifest names the command that does turns otherwise",
		Looks:    "run stands in the place of handle among the commands of the manifest",
		Breaks:   []string{al.RFC103L1},
		Manifest: declaring("name: handle", "name: run"),
	},
	{
		ID:       "agent.manifest-of-protocol-1",
		Title:    "the manifest names the first version of the protocol",
		Looks:    "protocol is 1 in the manifest",
		Breaks:   []string{al.RFC103L1},
		Twin:     "there the command is another one, here it is the version",
		Manifest: declaring("protocol: 2", "protocol: 1"),
	},
	{
		ID:       "agent.manifest-without-version",
		Title:    "the manifest does not say which version of the plugin it is of",
		Looks:    "version is missing in the manifest",
		Breaks:   []string{al.RFC103WIRE16},
		Manifest: declaring("\nversion: 1.0.0", ""),
	},
}
