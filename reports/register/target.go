package register

import (
	"net"
	"net/url"
	"strings"
)

// SameTarget reports whether two plans name the same target: the same address, written the same way or another. All names and
// addresses of the machine itself (localhost, 127.0.0.1, ::1) are one.
func SameTarget(a, b string) bool { return plainTarget(a) == plainTarget(b) }

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// plainTarget is the address of a target without what may be written in several ways. What is no URL stays as it is.
func plainTarget(name string) string {
	u, err := url.Parse(name)
	if err != nil || u.Host == "" {
		return name
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	ip := net.ParseIP(host)
	switch {
	case host == "localhost", strings.HasSuffix(host, ".localhost"), ip.IsLoopback(), ip.IsUnspecified():
		host = "localhost"
	case ip != nil:
		host = ip.String()
	}
	if port == "" {
		port = defaultPorts[scheme]
	}
	return scheme + "://" + net.JoinHostPort(host, port) + strings.TrimSuffix(u.EscapedPath(), "/")
}
