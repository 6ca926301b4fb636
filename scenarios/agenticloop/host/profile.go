package host

import "encoding/json"

// ProfileName is the file in a plugin's folder that says how to certify it.
const ProfileName = "assay-plugin.yaml"

// Declared is what the operator says of a plugin: the document that stands for discovery.
type Declared struct {
	Profile  json.RawMessage `json:"profile"`
	Manifest json.RawMessage `json:"manifest,omitempty"`
}
