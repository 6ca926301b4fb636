package protocols

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/snapshot"
	"github.com/openassay/assay/tools/internal/cli"
)

// DefaultKey is the default key of a simulated host.
const DefaultKey = "dev"

// Settings holds the options of the command simhost that all protocols share.
type Settings struct {
	Key                   string
	Voters                map[string]string // key of each further principal
	Without, Faults, Vary []string
	URL, Release, DataDir string
	Store                 *eventlog.Store // shared by all hosts; nil opens one by DataDir, SyncAlways and LogMax
	SyncAlways            bool
	LogMax                int64
	Seed                  uint64
	Clock                 clock.Clock
	LeastLimit            time.Duration // shorter deadlines, leases and timeouts are refused
	Logger                *slog.Logger
}

// Simhost runs the simulated host of a protocol for the command simhost, with flags of its own.
type Simhost interface {
	// Words returns texts for the help: the host, its use of a key, and its use of a voter.
	Words() SimhostWords
	// Flags adds the flags that follow a common flag in the help.
	Flags(behind string, f *pflag.FlagSet)
	// Read reports mistakes in its flags. spoken tells it whether its protocol is selected.
	Read(spoken bool) error
	// Check reports the errors that Open would return for its options, before anything is opened.
	Check(s Settings) error
	Open(ctx context.Context, s Settings) (Bannered, error)
	// Pages returns what the console shows of an open host.
	Pages(h Bannered) console.Part
	// Owns reports whether a path belongs to this protocol when several share an address. The first protocol of the
	// table gets all others.
	Owns(path string) bool
	// Credential returns the header in which clients send a key, and the scheme before it, "" for none.
	Credential() (header, scheme string)
	// Things returns the kinds of what has a clock of its own, such as run.
	Things() []string
	// Secrets returns what the logs hold that a snapshot leaves out, whatever the keys are.
	Secrets() snapshot.Secrets
	// Claims, Faults and Variations return the names that Settings accepts.
	Claims() []string
	Faults() []string
	Variations() []string
}

// SimhostWords holds parts of the help of the command simhost.
type SimhostWords struct{ Is, Key, Voter string }

// Bannered is a host that can describe itself to the person who started it.
type Bannered interface {
	Host
	Banner(baseURL string) string
	Serves(r *http.Request) bool
	Fail(w http.ResponseWriter, r *http.Request, err error)
}

// misused turns mistakes in the options into usage errors, and returns other errors unchanged.
func misused[E error](err error) error {
	var wrong E
	if errors.As(err, &wrong) {
		return cli.Usage("simhost: %w", wrong)
	}
	return err
}
