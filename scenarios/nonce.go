package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/wire"
)

// ErrNoNonce means that the nonce which the operator was to publish is in neither of its places.
var ErrNoNonce = errors.New("the nonce is not published")

// Nonce is what an operator published to show that the host is his.
type Nonce struct {
	Value string
	In    string // [NonceInDiscovery] or [NonceInDNS]
}

// Where a nonce is published: the header [wire.NonceHeader] of the discovery document, or a TXT record of DNS with a name that
// begins with [NonceRecord].
const (
	NonceInDiscovery = "discovery"
	NonceInDNS       = "dns"
	NonceRecord      = "_assay."
)

// nonceTime bounds the question to DNS.
const nonceTime = 5 * time.Second

// NonceForm says which nonces are accepted.
const NonceForm = "8 to 128 letters, digits and signs, without spaces"

var nonce = lazyregexp.New(`^[!-~]{8,128}$`)

// IsNonce reports whether a text can be published as a nonce: 8 to 128 visible characters of ASCII.
func IsNonce(text string) bool { return nonce.MatchString(text) }

// published takes note of where the nonce is published. header is that of the discovery document.
func (c *Certification) published(ctx context.Context, header wire.Value) error {
	want := c.Options.Nonce
	if want == "" {
		return nil
	}
	if header.String() == want {
		c.Discovery.Nonce = &header
		return nil
	}
	with := "without the header " + wire.NonceHeader
	if header.Present() {
		with = "with another " + wire.NonceHeader + ", " + header.JSON()
	}
	told := fmt.Sprintf("GET %s%s answered %s", c.network.Address(), c.Protocol.DiscoveryPath, with)
	if name := nonceRecord(c.network.Address()); name != "" {
		lookup := c.Options.LookupTXT
		if lookup == nil {
			lookup = net.DefaultResolver.LookupTXT
		}
		ctx, cancel := context.WithTimeout(ctx, nonceTime)
		defer cancel()
		records, err := lookup(ctx, name)
		switch {
		case slices.Contains(records, want):
			c.Discovery.NonceInDNS = want
			return nil
		case err != nil:
			told += fmt.Sprintf(", and DNS gave no TXT record %s (%v)", name, err)
		default:
			told += fmt.Sprintf(", and no TXT record %s holds it", name)
		}
	}
	return fmt.Errorf("%w: %s", ErrNoNonce, cleaned(told, c.network.Redactor().Clean))
}

// nonceRecord returns the name of the TXT record for a host, "" for an address that DNS has no records of.
func nonceRecord(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.Contains(u.Hostname(), ".") || net.ParseIP(u.Hostname()) != nil {
		return ""
	}
	return NonceRecord + u.Hostname()
}

// nonce returns the nonce that was found, nil if none was looked for.
func (d Discovery) nonce() *Nonce {
	switch {
	case d.Nonce != nil && d.Nonce.Present():
		return &Nonce{d.Nonce.String(), NonceInDiscovery}
	case d.NonceInDNS != "":
		return &Nonce{d.NonceInDNS, NonceInDNS}
	}
	return nil
}
