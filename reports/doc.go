// Package reports makes what is handed out of a finished certification: results.json, the data that everything else
// is made of; matrix.md and junit.xml for people and machines that read those; the transcripts; and the text that a
// person sees at the end of a run.
//
// A target's own words (its name, its values, its errors) reach every format, so each escapes them with
// [internal/textsafe] for the program that will read it.
package reports
