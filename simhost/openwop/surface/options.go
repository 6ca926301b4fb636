package surface

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/dialect"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/serving/contract"
)

// The defaults of Options.
const (
	DefaultVersion           = 5
	HighestVersion           = 6
	DefaultKey               = "dev"
	DefaultHostID            = defaultName
	defaultMaxLoopIterations = 100
	defaultMaxNodeExecutions = 250
	defaultMaxRunDuration    = time.Hour
	defaultKeepAlive         = 15 * time.Second
	defaultName              = "assay-simhost"
	defaultRelease           = "dev"
	defaultConfidenceFloor   = 0.5
)

// What the bounds on files may be at most.
const (
	// A character of a file takes six bytes of a JSON body where it takes the most (\u0001), so that every file of this
	// size can be sent.
	highestMaxFileBytes = contract.MaxBody / 8
	highestMaxFiles     = 1000
	highestMaxVersions  = 100
)

// Options of a host. The zero value is an honest host at version 5 of the execution model, in memory, with the key "dev".
type Options struct {
	// Version of the execution model, 1 to 6; 0 means DefaultVersion. Without "executionModel" there is none.
	Version int
	// Without names claims to leave off (see ClaimNames). What is not claimed is refused, not quietly done.
	Without []string
	// Key is the bearer key that all but the public endpoints ask for; "" means DefaultKey.
	Key string
	// Tenants are the keys of further tenants, by their names. What is made with a key is its tenant's own, and nobody
	// else's business; Key is that of DefaultTenant.
	Tenants map[string]string
	// Voters are the keys of further principals of DefaultTenant, by their names: who has one has a vote of their own.
	Voters map[string]string
	// TrustVoters has who answers an approval say who they are: by resumeValue.voter, or by a token that was read with the key of
	// one of Voters. A client with a single key can fill a quorum then.
	TrustVoters bool
	// Vault holds what the host keeps as secrets beside all keys: none of it is ever kept as content.
	Vault []string
	// LowScopeKey is one more key of DefaultTenant, without the scope approvals:respond: who has it answers no interrupt. ""
	// for none.
	LowScopeKey string
	// Peers are other hosts to which workers with ids of the form NAME/WORKFLOW are handed, by name. It takes version 3.
	Peers map[string]Peer
	// URL is the base URL by which others reach this host, which peers are told; "" tells them none.
	URL string
	// Workflows is a folder with further workflow definitions, *.json; "" for none.
	Workflows string
	// CORS is the origin whose pages may call the host, or "*"; "" for none.
	CORS string

	// Store is the store of logs to share with another host; nil opens one by the next three.
	Store *eventlog.Store
	// DataDir keeps the logs in files there; "" keeps them in memory.
	DataDir string
	// SyncAlways makes every append to files wait for the disk.
	SyncAlways bool
	// LogMax bounds the stored bytes of all logs; 0 takes the event log's own bound.
	LogMax int64

	// Seed makes the ids of runs, and the tokens of their interrupts, repeatable; 0 makes them unguessable.
	Seed uint64
	// Clock is the time runs go by: timestamps, delays, timeouts. nil is the real one.
	Clock clock.Clock
	// Wire is the time connections go by: how long a poll waits, when a quiet stream gets a keepalive. nil is the real
	// one. It is apart from Clock, because a client's patience runs on also when the time of runs is moved by hand.
	Wire clock.Clock
	// TurnTime is how long a supervisor takes for each decision; 0 takes none.
	TurnTime time.Duration
	// KeepAlive is how long a stream may be quiet before it gets a comment; 0 means 15 s.
	KeepAlive time.Duration

	// Dialect is in which words of OpenWOP the host speaks; nil are those of v1.
	Dialect *dialect.Dialect
	// Rules are what the host goes by; nil are the honest ones.
	Rules *rules.Set
	// Changes change what comes in, goes out and is appended, from outside of the host.
	Changes mutate.Changes
	// Vary names the ways in which the host differs from the usual one without being wrong (see package variation).
	Vary []string

	// MaxLoopIterations, MaxNodeExecutions and MaxRunDuration are advertised and enforced, each unless its claim is left
	// off. 0 means the default: 100, 250, 1 h. A duration is at least 1 s, as the protocol has it.
	MaxLoopIterations int
	MaxNodeExecutions int
	MaxRunDuration    time.Duration
	// MaxFileBytes, MaxFiles and MaxVersions bound the files that runs share: the bytes of one, how many there are, and
	// the versions that are kept of each. They are advertised with the workspace. 0 means the default: 65536, 64, 10.
	MaxFileBytes int
	MaxFiles     int
	MaxVersions  int
	// LeastLimit is the shortest deadline of a goal, and timeout of an approval, that the host takes; 0 takes any.
	LeastLimit time.Duration
	// MemoryHistory is how many entries may be written to a memory before a run that remembers less of it can no longer be
	// forked; 0 keeps everything.
	MemoryHistory int
	// ConfidenceFloor is the confidence below which a decision waits for a person, 0.5 to 1; 0 means 0.5.
	ConfidenceFloor float64
	// EscalationInterrupt is the interrupt that a decision below the floor raises: clarification, the default for "", or
	// approval.
	EscalationInterrupt string

	// GoalJudge judges the runs of goals: host, the default for "", or verifier.
	GoalJudge string

	// ExperimentalUntil advertises the execution model as experimental until that day, YYYY-MM-DD; "" advertises it as
	// stable. The day must lie ahead, by twelve months at most.
	ExperimentalUntil string

	// Name and Release are what discovery calls this implementation; HostID is its name in causation between hosts.
	Name, Release, HostID string
	// Logger gets faults and, at debug level, every refusal; nil discards.
	Logger *slog.Logger
}

// OptionError is a mistake in the options: the caller can mend it.
type OptionError struct{ Err error }

func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap is what was wrong.
func (e *OptionError) Unwrap() error { return e.Err }

// withDefaults fills in what was left open and refuses what cannot be.
func (o Options) withDefaults() (Options, error) {
	set(&o.Version, DefaultVersion)
	set(&o.Key, DefaultKey)
	set(&o.Clock, clock.Real())
	set(&o.Wire, clock.Real())
	set(&o.KeepAlive, defaultKeepAlive)
	set(&o.MaxLoopIterations, defaultMaxLoopIterations)
	set(&o.MaxNodeExecutions, defaultMaxNodeExecutions)
	set(&o.MaxRunDuration, defaultMaxRunDuration)
	set(&o.ConfidenceFloor, defaultConfidenceFloor)
	set(&o.EscalationInterrupt, EscalationInterrupts()[0])
	set(&o.GoalJudge, GoalJudges()[0])
	set(&o.MaxFileBytes, workspace.DefaultMaxFileBytes)
	set(&o.MaxFiles, workspace.DefaultMaxFiles)
	set(&o.MaxVersions, workspace.DefaultMaxVersions)
	set(&o.Name, defaultName)
	set(&o.Release, defaultRelease)
	set(&o.HostID, o.Name)
	set(&o.Logger, slog.New(slog.DiscardHandler))
	return o, errors.Join(
		within("version of the execution model", o.Version, 1, HighestVersion),
		atLeast("loop iterations", o.MaxLoopIterations, 1),
		atLeast("node executions", o.MaxNodeExecutions, 1),
		atLeast("run duration", o.MaxRunDuration, time.Second),
		within("bytes of a file", o.MaxFileBytes, 1, highestMaxFileBytes),
		within("files", o.MaxFiles, 1, highestMaxFiles),
		within("versions of a file", o.MaxVersions, 1, highestMaxVersions),
		atLeast("entries of a memory's history (--memory-history)", o.MemoryHistory, 0),
		atLeast("keepalive interval", o.KeepAlive, time.Millisecond),
		within("confidence floor", o.ConfidenceFloor, 0.5, 1),
		checkEscalation(o.EscalationInterrupt),
		checkGoalJudge(o.GoalJudge),
		atLeast("log bound (--log-max)", o.LogMax, 0),
		corsOf(o.CORS).Check(),
		checkKey(o.Key),
		o.checkCallers(),
		o.checkPeers(),
		checkExperimental(o.ExperimentalUntil, o.Clock.Now()),
	)
}

// EscalationInterrupts lists what Options.EscalationInterrupt takes, the default first.
func EscalationInterrupts() []string {
	return []string{string(openwopv1.InterruptKindClarification), string(openwopv1.InterruptKindApproval)}
}

func checkEscalation(kind string) error {
	if !slices.Contains(EscalationInterrupts(), kind) {
		return fmt.Errorf("escalation interrupt (--escalation-interrupt) %q: give %s", kind, strings.Join(EscalationInterrupts(), " or "))
	}
	return nil
}

// GoalJudges lists what Options.GoalJudge takes, the default first.
func GoalJudges() []string {
	return []string{string(openwopv1.GoalCheckHost), string(openwopv1.GoalCheckVerifier)}
}

func checkGoalJudge(judge string) error {
	if !slices.Contains(GoalJudges(), judge) {
		return fmt.Errorf("judge of goals (--goal-judge) %q: give %s", judge, strings.Join(GoalJudges(), " or "))
	}
	return nil
}

// checkKey refuses a key that no header can carry as it is.
func checkKey(key string) error {
	if strings.TrimSpace(key) != key || strings.ContainsAny(key, "\r\n") {
		return fmt.Errorf("key (--key) %q: a client cannot send it: leave the white space out", key)
	}
	return nil
}

func checkExperimental(until string, now time.Time) error {
	if until == "" {
		return nil
	}
	today, latest := now.UTC().Format(time.DateOnly), now.UTC().AddDate(1, 0, 0).Format(time.DateOnly)
	if _, err := time.Parse(time.DateOnly, until); err != nil || until < today || until > latest {
		return fmt.Errorf("experimental until (--experimental-until) %q: give a day YYYY-MM-DD from %s to %s", until, today, latest)
	}
	return nil
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func within[T int | float64](what string, got, low, high T) error {
	if got < low || got > high {
		return fmt.Errorf("%s %v: give one from %v to %v", what, got, low, high)
	}
	return nil
}

func atLeast[T int | int64 | time.Duration](what string, got, low T) error {
	if got < low {
		return fmt.Errorf("%s %v: give at least %v", what, got, low)
	}
	return nil
}

// corsOf is what a page of this origin may send and read.
func corsOf(origin string) serving.CORS {
	return serving.CORS{
		Origin:  origin,
		Methods: "GET, POST, PUT, PATCH, DELETE, OPTIONS",
		Headers: "Authorization, Content-Type, Accept, Idempotency-Key, If-Match, Last-Event-ID, X-Dedup",
		Exposed: "openwop-Idempotent-Replay, Capabilities-Etag, Retry-After, Location",
	}
}
