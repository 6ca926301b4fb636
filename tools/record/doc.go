// Package record stands between clients and a host, and writes down what passes: transcripts as a certification has them, without
// credentials.
package record
