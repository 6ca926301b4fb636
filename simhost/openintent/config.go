package openintent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/openassay/assay/simhost/openintent/suspension"
)

// Config is what an operator sets in openintent.yaml (RFC-0026 section 5). Callers can read it, and not write it.
type Config struct {
	Suspension SuspensionConfig
}

// SuspensionConfig is what holds for suspensions.
type SuspensionConfig struct {
	// DefaultRetryPolicy is the platform level of the cascade; nil: there is none.
	DefaultRetryPolicy *suspension.Policy
	// Notifier is who tells of suspensions and reminds of them: this server, or the agents that wait.
	Notifier string
	// NotifyTo is the allowlist: whom a ladder may name in notify_to. An entry matches as path.Match has it.
	NotifyTo []string
}

// defaultNotifyTo lets reminders go to people by their addresses at example.com, and to loopback.
var defaultNotifyTo = []string{"*@example.com", "http://127.0.0.1:*", "http://localhost:*", "http://[[]::1]:*"}

// The values of suspension.notifier.
const (
	notifierServer = "server"
	notifierAgent  = "agent"
)

// largestConfig is how much of a file is read.
const largestConfig = 1 << 20

func readConfig(file string) (Config, error) {
	c := Config{Suspension: SuspensionConfig{Notifier: notifierServer, NotifyTo: defaultNotifyTo}}
	if file == "" {
		return c, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return c, fmt.Errorf("config: %w", err)
	}
	defer f.Close()
	var doc struct {
		Suspension struct {
			Default  yaml.Node `yaml:"default_retry_policy"`
			Notifier string    `yaml:"notifier"`
			Allow    *[]string `yaml:"notify_to_allowlist"`
		} `yaml:"suspension"`
	}
	d := yaml.NewDecoder(io.LimitReader(f, largestConfig))
	d.KnownFields(true)
	if err := d.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("config %s: %w", file, err)
	}
	switch doc.Suspension.Notifier {
	case "":
	case notifierServer, notifierAgent:
		c.Suspension.Notifier = doc.Suspension.Notifier
	default:
		return c, fmt.Errorf("config %s: suspension.notifier is %q: give %s or %s", file, doc.Suspension.Notifier, notifierServer,
			notifierAgent)
	}
	if doc.Suspension.Allow != nil {
		c.Suspension.NotifyTo = *doc.Suspension.Allow
	}
	for _, pattern := range c.Suspension.NotifyTo {
		if _, err := path.Match(pattern, ""); err != nil {
			return c, fmt.Errorf("config %s: suspension.notify_to_allowlist: %q: %w", file, pattern, err)
		}
	}
	if c.Suspension.DefaultRetryPolicy, err = readPolicy(&doc.Suspension.Default); err != nil {
		return c, fmt.Errorf("config %s: suspension.default_retry_policy: %w", file, err)
	}
	if p := c.Suspension.DefaultRetryPolicy; p != nil && p.EscalationLadder != nil {
		for _, step := range *p.EscalationLadder {
			if step.NotifyTo != nil && *step.NotifyTo != "" && !c.mayNotify(*step.NotifyTo) {
				return c, fmt.Errorf("config %s: suspension.default_retry_policy.escalation_ladder names %q, who is not on "+
					"suspension.notify_to_allowlist", file, *step.NotifyTo)
			}
		}
	}
	return c, nil
}

func readPolicy(node *yaml.Node) (*suspension.Policy, error) {
	if node.IsZero() {
		return nil, nil
	}
	var v any
	if err := node.Decode(&v); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return suspension.ReadPolicy(raw)
}

// mayNotify tells whether reminders may go to somebody: who is on the allowlist, and of URLs those of loopback alone.
func (c Config) mayNotify(to string) bool {
	if strings.Contains(to, "://") && !isLoopback(to) {
		return false
	}
	for _, pattern := range c.Suspension.NotifyTo {
		if matches(pattern, to) {
			return true
		}
	}
	return false
}

// matches is path.Match, but that what follows a * at the end of a pattern may hold slashes.
func matches(pattern, to string) bool {
	if open, ok := strings.CutSuffix(pattern, "*"); ok && strings.Contains(to, "://") {
		for end := range len(to) + 1 {
			if ok, err := path.Match(open, to[:end]); err == nil && ok {
				return true
			}
		}
		return false
	}
	ok, err := path.Match(pattern, to)
	return err == nil && ok
}

// isLoopback tells the http URLs of this machine.
func isLoopback(to string) bool {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" || u.User != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
