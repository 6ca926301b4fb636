package state

// KeyEdited is the member of an answer that holds the artifact as it was edited.
const KeyEdited = "editedArtifactData"

// What a gate may ask for at most.
const (
	MaxAnswers = 64 << 10 // bytes of what answers the questions
)
