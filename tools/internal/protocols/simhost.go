package protocols

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/tools/internal/cli"
)

// DefaultKey is the key of a simulated host that is told none.
const DefaultKey = "dev"

// Settings are what the command simhost is told for every protocol.
type Settings struct {
	Key                   string
	Voters                map[string]string // further principals and their keys
	Without, Faults, Vary []string
	URL, Release, DataDir string
	Store                 *eventlog.Store // shared by all hosts; nil opens one by DataDir, SyncAlways and LogMax
	SyncAlways            bool
	LogMax                int64
	Seed                  uint64
	Clock                 clock.Clock
	Logger                *slog.Logger
}

// Simhost is the simulated host of a protocol as the command simhost runs it, with flags of its own.
type Simhost interface {
	// Words says in the help what it is, how it takes a key, and what it makes of a voter.
	Words() SimhostWords
	// Flags adds the flags that stand behind a common one in the help.
	Flags(behind string, f *pflag.FlagSet)
	// Read finds mistakes in its flags. spoken reports whether it is asked for.
	Read(spoken bool) error
	// Check finds what Open will refuse, before anything is opened.
	Check(s Settings) error
	Open(ctx context.Context, s Settings) (Bannered, error)
	// Show gives an open host to the console.
	Show(h Bannered, o *console.Options)
	// Owns reports whether a path is the protocol's own, beside other protocols at one address. The first protocol of the table
	// has the rest.
	Owns(path string) bool
	// Claims, Faults and Variations are the names that Settings may have.
	Claims() []string
	Faults() []string
	Variations() []string
}

// SimhostWords are parts of the help of the command simhost.
type SimhostWords struct{ Is, Key, Voter string }

// Bannered is a host that can tell the person who started it what it is.
type Bannered interface {
	Host
	Banner(baseURL string) string
}

// misused tells mistakes in the options from what else can keep a host from starting.
func misused[E error](err error) error {
	var wrong E
	if errors.As(err, &wrong) {
		return cli.Usage("simhost: %w", wrong)
	}
	return err
}
