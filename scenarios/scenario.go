package scenarios

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// ScenarioID is protocol/suite/name, such as acme/iteration-monotonic/one-per-turn.
type ScenarioID string

// Scenario is one question to a target.
type Scenario struct {
	ID     ScenarioID
	Title  string // what a target that keeps its promise does
	Proves []RequirementID
	// Watches are further requirements that it may see violated. A pass proves none of them; of those that others prove it says how
	// strongly they were seen.
	Watches []RequirementID
	Claim   Claim
	Ask     Question
	Depth   Depth // the least at which it is asked
	// Reaches is the strongest evidence that it can end with; 0 is Observed.
	Reaches Evidence
}

// Reach returns the strongest evidence that s can end with.
func (s Scenario) Reach() Evidence {
	if s.Reaches == Unseen {
		return Observed
	}
	return s.Reaches
}

// Level returns the strongest level of the requirements it proves.
func (s Scenario) Level(l *Ledger) string {
	level := May
	for _, id := range s.Proves {
		r, _ := l.Find(id)
		if r.Level == Must || r.Level == Should && level == May {
			level = r.Level
		}
	}
	return level
}

// Labels are what reports show of a scenario beside its id. A filter expression
// can select by them, and by more: see [Selected.FilterLabels].
func (s Scenario) Labels(suite Suite) []string {
	labels := []string{"suite:" + suite.ID, "claim:" + s.Claim.ID, "level:" + s.Level(suite.Protocol.Ledger)}
	for _, id := range s.Proves {
		if r, ok := suite.Protocol.Ledger.Find(id); ok {
			if source := "source:" + r.Source; !slices.Contains(labels, source) {
				labels = append(labels, source)
			}
		}
	}
	return labels
}

// Name returns the last part of the id.
func (s Scenario) Name() string {
	return string(s.ID)[strings.LastIndexByte(string(s.ID), '/')+1:]
}

// Drive is the part of a scenario that acts. It runs once; many scenarios may judge its observation.
type Drive[O any] struct {
	ID       string        // names its transcript
	Title    string        // what it does
	Sends    []string      // its requests, for --plan
	Uses     []string      // what it needs of the target that others may need for themselves, as a noun: "workspace files"
	Excludes string        // what it needs for itself, of what others use: it runs beside none of them; [Everything]: beside none
	Waits    time.Duration // roughly how long it waits for time to pass; the longest starts first
	Replies  int           // roughly how many replies it waits for one after the other, where they are many: on a slow line it starts early
	Timeout  time.Duration // its deadline; 0 is [Options.DriveTimeout]
	Nameless string        // why it sends no name that comes of the run id, as a clause; "" if it does
	Kills    bool          // it kills the target at drawn moments, where that may be: then it runs after all others, and alone
	Once     string        // why it is driven once at every depth, as a clause; "": what asks little is driven several times
	// Dimensions are what it draws of [Dimension]s.
	Dimensions []*Dimension
	// Interactions are those whose values are drawn in pairs at depth standard: see [Conn.Program].
	Interactions [][2]*Dimension
	// Run acts on the target and fills in the observation: plain data with exported fields, wire values, nothing live.
	// An error ends it (see [End]) and decides how its scenarios end: see [Block]; [wire.ErrNoAnswer] makes them
	// inconclusive; any other error is a bug in Assay, so they are broken.
	Run func(context.Context, *Conn, *O)
	// Later goes on when a limit is over that Run set: see [Conn.Until]. That may be in another process, with what Run observed
	// and nothing else: it must find again what Run made, and register it for the clean-up.
	Later func(context.Context, *Conn, *O)
}

// Heavy is what drives use, or exclude, that hold many large documents: beside each other they take the processor from all others.
// Where replies are long on their way they do not, and run at once: see [wire.Limits] for what they may hold.
const Heavy = "many large documents"

// Everything is what a drive excludes that must run alone.
const Everything = "everything"

// beside reports whether two drives may run at the same time.
func (d DriveMeta) beside(e DriveMeta) bool { return !d.excludes(e) && !e.excludes(d) }

// Apart says beside which others the drive does not run, "" if beside all.
func (d DriveMeta) Apart() string {
	switch d.Excludes {
	case "":
		return ""
	case Everything:
		return "alone"
	}
	return "beside no drive that uses " + d.Excludes
}

func (d DriveMeta) excludes(e DriveMeta) bool {
	return d.Excludes == Everything || d.Excludes != "" && (d.Excludes == e.Excludes || slices.Contains(e.Uses, d.Excludes))
}

// Seer is an observation that knows how strong it is. Any other is Observed.
type Seer interface{ SeenAs() Evidence }

// Question is a drive with the judge of one scenario. See [Ask] and [Advertised].
type Question interface {
	// Drive returns the metadata of its drive; ok is false if it only looks at the discovery document.
	Drive() (d DriveMeta, ok bool)

	run(context.Context, *Conn) (any, error)
	resume(ctx context.Context, c *Conn, observation []byte) (any, error)
	revive(observation []byte, t *wire.Transcript) (any, error)
	read(observation []byte) (o any, err error) // a pointer to it, or [rounds], without its values
	judge(observation any, j *Judge)            // the observation, or a pointer to it
}

// DriveMeta is the metadata of a drive.
type DriveMeta struct {
	ID, Title string
	Sends     []string
	Uses      []string
	Excludes  string
	Waits     time.Duration
	Replies   int
	Timeout   time.Duration
	Nameless  string
	Kills     bool
	Once      string

	Dimensions   []*Dimension
	Interactions [][2]*Dimension
}

// Ask combines a drive and a judge.
func Ask[O any](d *Drive[O], judge func(O, *Judge)) Question { return question[O]{d, judge} }

type question[O any] struct {
	drive  *Drive[O]
	decide func(O, *Judge)
}

func (q question[O]) Drive() (DriveMeta, bool) {
	d := q.drive
	return DriveMeta{d.ID, d.Title, d.Sends, d.Uses, d.Excludes, d.Waits, d.Replies, d.Timeout, d.Nameless, d.Kills, d.Once,
		d.Dimensions, d.Interactions}, true
}

func (q question[O]) run(ctx context.Context, c *Conn) (any, error) {
	var o O
	err := Try(func() { q.drive.Run(ctx, c, &o) })
	if first, err := q.rest(ctx, c, &o, err); err != nil {
		return first, err
	}
	more, err := q.again(ctx, c)
	if err != nil || len(more) == 0 {
		return o, err
	}
	return append(rounds{&o}, more...), nil
}

func (q question[O]) revive(raw []byte, t *wire.Transcript) (any, error) {
	o, err := q.read(raw)
	if err != nil {
		return nil, err
	}
	return o, wire.Bind(o, t)
}

func (q question[O]) read(raw []byte) (any, error) {
	if !q.isRounds(raw) {
		o := new(O)
		return o, q.decode(raw, o)
	}
	var each []json.RawMessage
	if err := json.Unmarshal(raw, &each); err != nil || len(each) == 0 {
		return nil, fmt.Errorf("observation of %s: %w", q.drive.ID, cmp.Or(err, errNoRound))
	}
	all := make(rounds, len(each))
	for i, round := range each {
		o := new(O)
		if err := q.decode(round, o); err != nil {
			return nil, err
		}
		all[i] = o
	}
	return all, nil
}

var errNoRound = errors.New("it has no round")

func (q question[O]) decode(raw []byte, o *O) error {
	var plain bytes.Buffer // it is indented on disk, and so would be a json.RawMessage in it
	if err := json.Compact(&plain, raw); err != nil {
		return fmt.Errorf("observation of %s: %w", q.drive.ID, err)
	}
	d := json.NewDecoder(&plain)
	d.DisallowUnknownFields()
	if err := d.Decode(o); err != nil {
		return fmt.Errorf("observation of %s: %w", q.drive.ID, err)
	}
	return nil
}

func (q question[O]) judge(observation any, j *Judge) {
	o := observed[O](observation)
	if s, ok := any(o).(Seer); ok {
		j.evidence = s.SeenAs()
	}
	q.decide(o, j)
}

// Advertised returns a question about the discovery document alone.
func Advertised(judge func(Discovery, *Judge)) Question { return advertised(judge) }

type advertised func(Discovery, *Judge)

func (advertised) Drive() (DriveMeta, bool)                           { return DriveMeta{}, false }
func (advertised) run(context.Context, *Conn) (any, error)            { return nil, nil }
func (advertised) resume(context.Context, *Conn, []byte) (any, error) { return nil, nil }
func (advertised) revive([]byte, *wire.Transcript) (any, error)       { return nil, nil }
func (a advertised) judge(observation any, j *Judge)                  { a(observed[Discovery](observation), j) }
func (advertised) read(raw []byte) (any, error) {
	d := new(Discovery)
	return d, json.Unmarshal(raw, d)
}

// Advertised returns the scenarios of the suite that ask about the discovery document alone.
func (s Suite) Advertised() (all []Scenario) {
	for _, sc := range s.Scenarios {
		if _, is := sc.Ask.(advertised); is {
			all = append(all, sc)
		}
	}
	return all
}

// observed returns an observation that is given itself, or by a pointer.
func observed[O any](observation any) O {
	if p, ok := observation.(*O); ok {
		return *p
	}
	return observation.(O)
}
