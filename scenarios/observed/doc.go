// Package observed judges what a host did for its own clients, from recordings. It says which requirements were kept and which were
// violated. It accuses nobody for what a recording lacks.
package observed
