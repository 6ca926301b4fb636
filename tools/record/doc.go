// Package record is a proxy that records what clients and a host say to one another, as transcripts without credentials.
package record
