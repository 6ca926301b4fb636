// Package playback answers requests as the host of a recording did, and says where a client leaves the recording.
package playback
