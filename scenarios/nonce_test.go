package scenarios_test

import (
	"context"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

const operators = "n0nce-of-the-operator"

// toyBehind is a host of the toy protocol that sends a header with its discovery document.
func toyBehind(nonce string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if nonce != "" {
			w.Header().Set(wire.NonceHeader, nonce)
		}
		fmt.Fprint(w, `{"counts":true,"n":3}`)
	})
}

// certifiedAgain certifies a host, and derives what was found again.
func certifiedAgain(t *testing.T, target wire.Target, o scenarios.Options) (*scenarios.Report, error) {
	t.Helper()
	s := suite(one("a", counts, scenarios.Ask(countDrive("toy/a"), is(3, "TOY-1")), "TOY-1"))
	c, err := scenarios.Certify(t.Context(), target, o, s)
	if err != nil {
		return nil, err
	}
	r := c.Finish(context.Background())
	again, err := scenarios.Derive(transcripts(t, r), given(r), s)
	if err != nil {
		t.Fatal(err)
	}
	if again.Certificate != r.Certificate || fmt.Sprint(again.Nonce) != fmt.Sprint(r.Nonce) {
		t.Errorf("certified %q %v, derived %q %v", r.Certificate, r.Nonce, again.Certificate, again.Nonce)
	}
	return r, nil
}

// A nonce is found where it is published, and nowhere else.
func TestNonce(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		found  bool
		says   string
	}{
		"in the header": {operators, true, ""},
		"another":       {"n0nce-of-another", false, `with another Assay-Nonce, "n0nce-of-another"`},
		"none":          {"", false, "answered without the header Assay-Nonce"},
		"a part of it":  {operators + "-more", false, "with another Assay-Nonce"},
	} {
		t.Run(name, func(t *testing.T) {
			host := httptest.NewServer(toyBehind(c.header))
			defer host.Close()
			r, err := certifiedAgain(t, wire.Target{URL: host.URL}, scenarios.Options{Nonce: operators})
			switch {
			case c.found && (err != nil || r.Nonce == nil || *r.Nonce != scenarios.Nonce{Value: operators, In: scenarios.NonceInDiscovery}):
				t.Errorf("%v", err)
			case !c.found && (!errors.Is(err, scenarios.ErrNoNonce) || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%v", err)
			}
		})
	}
}

// DNS is asked under the name of the host where the header does not have the nonce.
func TestNonceInDNS(t *testing.T) {
	host := httptest.NewServer(toyBehind(""))
	defer host.Close()
	url := strings.Replace(host.URL, "127.0.0.1", "toy.localhost", 1)
	var name string
	r, err := certifiedAgain(t, wire.Target{URL: url}, scenarios.Options{Nonce: operators,
		LookupTXT: func(_ context.Context, of string) ([]string, error) {
			name = of
			return []string{"v=spf1", operators}, nil
		}})
	if err != nil {
		t.Skipf("names below localhost lead nowhere here: %v", err)
	}
	if name != "_assay.toy.localhost" || r.Nonce == nil || r.Nonce.In != scenarios.NonceInDNS {
		t.Errorf("%s was asked: %+v", name, r.Nonce)
	}
}

// The certificate of a host is that of the server which sent its discovery document.
func TestCertificate(t *testing.T) {
	host := httptest.NewTLSServer(toyBehind(""))
	defer host.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: host.Certificate().Raw}
	if err := os.WriteFile(ca, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := certifiedAgain(t, wire.Target{URL: host.URL, CAFile: ca}, scenarios.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(host.Certificate().Raw)); r.Certificate != want {
		t.Errorf("%q, want %q", r.Certificate, want)
	}
}
