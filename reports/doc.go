// Package reports writes the outputs of a finished certification: results.json, the data behind everything else;
// matrix.md and junit.xml for people and machines that read those formats; the transcripts; and the text shown at the
// end of a run.
//
// A target's own words (its name, its values, its errors) reach every format, so each format escapes them with
// [internal/textsafe] for the program that will read it.
package reports
