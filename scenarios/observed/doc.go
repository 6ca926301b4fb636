// Package observed judges what a host did for others: recordings that no drive asked for. It says of each requirement that can be
// judged so whether it was borne out, violated or never touched. It accuses nobody for what a recording lacks.
package observed
