package golang

import (
	"go/format"
	"testing"
)

// The support code is not formatted when it is written, since it is as it stands here.
func TestSupportCodeIsFormatted(t *testing.T) {
	for _, files := range [][]string{{"json", "values", "scan"}, {"json", "values", "scan", "union", "params", "server",
		"router", "client", "stream", "streamclient"}} {
		got := supportCode("api", files)
		want, err := format.Source(got)
		if err != nil || string(want) != string(got) {
			t.Errorf("%v: not formatted, %v:\n%s", files, err, got[:min(len(got), 800)])
		}
	}
}
