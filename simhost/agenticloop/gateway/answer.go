package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/process"
)

// exitConfig is the exit code of a plugin that is not configured right: trying again is of no use.
const exitConfig = 78

// failure is why an attempt came to nothing.
type failure struct {
	status    Status // Failed or TimedOut
	why       string
	permanent bool // trying again is of no use
	logs      []agenticloopv2.LogEntry
}

// read decides what an answer means. err is why the plugin could not be run.
func (o *Options) read(a Answer, err error) (agenticloopv2.Response, *failure) {
	var none agenticloopv2.Response
	fail := func(permanent bool, format string, args ...any) (agenticloopv2.Response, *failure) {
		return none, &failure{status: Failed, why: fmt.Sprintf(format, args...), permanent: permanent}
	}
	switch {
	case err != nil:
		return fail(process.NotStarted(err), "%v", err)
	case a.TimedOut:
		_, f := fail(false, "it did not answer in time and was stopped")
		f.status = TimedOut
		return none, f
	case a.TooLong:
		return fail(false, "it wrote more than %d bytes to stdout and was stopped", MaxStdout)
	case a.Signal != "":
		return fail(false, "it was ended by a signal: %s", a.Signal)
	case a.ExitCode != 0 && o.ExitCode == ExitFails:
		return fail(a.ExitCode == exitConfig, "it exited with code %d%s", a.ExitCode, firstLine(a))
	}
	response, problem := o.decode(a.Stdout)
	if problem != nil {
		if a.ExitCode != 0 {
			return fail(a.ExitCode == exitConfig, "it exited with code %d%s", a.ExitCode, firstLine(a))
		}
		return fail(false, "it did not keep to the protocol: %v%s", problem, said(a))
	}
	if response.Status == agenticloopv2.ResponseStatusError {
		_, f := fail(response.Retry != nil && !*response.Retry, "%s", response.Error)
		f.logs = response.Logs
		return none, f
	}
	return response, nil
}

// said is the beginning of what a plugin wrote that cannot be read.
func said(a Answer) (words string) {
	const most = 100
	for _, other := range []struct {
		name string
		text []byte
	}{{"it printed", a.Stdout}, {"stderr says", a.Stderr}} {
		line, _, _ := strings.Cut(strings.TrimSpace(string(other.text)), "\n")
		if line != "" {
			words += fmt.Sprintf("; %s: %s", other.name, strings.ToValidUTF8(line[:min(len(line), most)], "\uFFFD"))
		}
	}
	return words
}

// firstLine is what stderr says first.
func firstLine(a Answer) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(a.Stderr)), "\n")
	if line == "" {
		return ""
	}
	return ": " + line
}

// decode takes what a plugin wrote: one JSON object, and white space at most.
func (o *Options) decode(stdout []byte) (r agenticloopv2.Response, err error) {
	if len(strings.TrimSpace(string(stdout))) == 0 {
		return r, errors.New("it wrote nothing to stdout")
	}
	name := "Response202602"
	if o.Revision == agenticloopv2.ProtocolRevisionN202606 {
		name = "Response202606"
	}
	schema, err := component(name)
	if err != nil {
		return r, err
	}
	if problems := schema.Validate(stdout); len(problems) > 0 {
		return r, errors.New(problems[0].String())
	}
	err = json.Unmarshal(stdout, &r)
	return r, err
}
