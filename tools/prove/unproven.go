package prove

// Unbroken says of requirements that hosts MUST keep, and that are asked about, why no fault breaks them.
var Unbroken = map[string]string{
	"OWP-0037-A1":  "a loop that stalls does so under every scenario that runs one, and each of them says which of its own steps never came",
	"OWP-INT-1":    "a suspended run that goes on by itself does so under every scenario that suspends one, and which of them sees it first is chance",
	"OWP-0061-H1":  "a heartbeat that moves suspended loops moves those of other scenarios under way as well, and which of them sees it first is chance",
	"OIP-0026-T1":  "a server on which an intent cannot be suspended stops every scenario before it asks anything",
	"OIP-0026-T3":  "the phase is blocked from its activation on, since what it depends on is not completed: a server that has it run at T+0 had it run before",
	"OIP-0026-T10": "an intent that does not go on once it is answered does so under every scenario that answers one",
	"OWP-CTL-8":    "the simulated host's snapshots are typed: what they show has the shape of its schema, or is not there",
}
