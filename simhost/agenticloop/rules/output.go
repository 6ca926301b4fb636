package rules

import "github.com/openassay/assay/gen/agenticloopv2"

// Output is what a process leaves behind.
type Output struct {
	// Exit is the exit code, given the right one and the answer.
	Exit func(code int, r agenticloopv2.Response) int

	// Logs are the lines of the answer's log, given what was handed in.
	Logs func(lines []agenticloopv2.LogEntry, h Handed) []agenticloopv2.LogEntry

	// Answer is the answer, given it as it should be.
	Answer func(r agenticloopv2.Response) agenticloopv2.Response

	// Body is what stands on the standard output, given the answer as JSON, and whether the request could be read.
	Body func(answer []byte, readable bool) []byte
}

func honestOutput() Output {
	return Output{
		Exit:   func(code int, _ agenticloopv2.Response) int { return code },
		Logs:   func(lines []agenticloopv2.LogEntry, _ Handed) []agenticloopv2.LogEntry { return lines },
		Answer: func(r agenticloopv2.Response) agenticloopv2.Response { return r },
		Body:   func(answer []byte, _ bool) []byte { return answer },
	}
}
