package verify_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/bundle"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openwop/faulty"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/verify"
)

// secure is a bundle of a host with TLS, whose operator published no nonce.
var secure = sync.OnceValues(func() ([]byte, error) {
	host, err := faulty.New(context.Background(), faulty.Options{Options: surface.Options{Key: secret}})
	if err != nil {
		return nil, err
	}
	defer host.Close(context.Background())
	server := httptest.NewTLSServer(host.Handler())
	defer server.Close()
	dir, err := os.MkdirTemp("", "assay-secure-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		return nil, err
	}
	c, err := scenarios.Certify(context.Background(), wire.Target{URL: server.URL, Key: secret, CAFile: ca}, scenarios.Options{Seed: 7,
		Build: "dev", Binary: bundle.Digest([]byte("the program")),
		Select: scenarios.Selection{Scenarios: []string{"discovery/served-to-anybody"}}}, suites.Suites()...)
	if err != nil {
		return nil, err
	}
	return packed(c.Finish(context.Background()))
})

var notedCertificate = regexp.MustCompile(`,\s*"certificate": "[0-9a-f]{64}"`)

// What a bundle shows of the certificate of its host is held together; one of before certificates were noted shows none, and
// that is no fault.
func TestCertificate(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(*forgery)
		says  string // a problem, "" for none
		shows bool
		not   string // what is not known
	}{
		"as it is": {func(*forgery) {}, "", true, "who holds the certificate"},
		"an earlier version's": {func(f *forgery) {
			f.results.Target.Certificate = nil
			f.swap("discovery", notedCertificate, "")
		}, "", false, "that the host at https"},
		"left out of the results": {func(f *forgery) { f.results.Target.Certificate = nil },
			"results.json gives another certificate of the target than the transcripts", true, ""},
		"left out of the transcript": {func(f *forgery) { f.swap("discovery", notedCertificate, "") },
			"results.json gives another certificate of the target than the transcripts", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := forge(t, secure)
			f.encoded = nil
			c.do(f)
			f.remake()
			b, err := bundle.Read(bytes.NewReader(f.pack()))
			if err != nil {
				t.Fatal(err)
			}
			r := verify.Bundle(b, verify.Options{Version: "dev"})
			said := ""
			if len(r.Problems) > 0 {
				said = r.Problems[0].Text
			}
			if said != c.says || (r.Certificate != "") != c.shows {
				t.Errorf("it says %q, and has the certificate %q", said, r.Certificate)
			}
			if !slices.ContainsFunc(r.NotProved, func(s string) bool { return strings.HasPrefix(s, c.not) }) {
				t.Errorf("it does not say %q:\n%s", c.not, strings.Join(r.NotProved, "\n"))
			}
		})
	}
}

// inDNS says that the nonce stood in DNS, and not with the discovery document.
func inDNS(f *forgery) {
	f.results.Target.Nonce = &results.Nonce{Value: published, In: results.NonceInDNS}
	f.encoded = nil
	f.swap("discovery", regexp.MustCompile(`(?s)"nonce": \{.*?\}`), fmt.Sprintf(`"nonceInDNS": %q`, published))
}

// A nonce that only DNS had is what certify saw, and said to be no more.
func TestNonceInDNS(t *testing.T) {
	f := forge(t, fetched)
	inDNS(f)
	f.remake()
	b, err := bundle.Read(bytes.NewReader(f.pack()))
	if err != nil {
		t.Fatal(err)
	}
	r := verify.Bundle(b, verify.Options{Version: "dev"})
	if !r.Honest || r.Nonce == nil || r.Nonce.In != results.NonceInDNS {
		t.Errorf("%+v\n%s", r.Problems, strings.Join(r.NotProved, "\n"))
	}
}
