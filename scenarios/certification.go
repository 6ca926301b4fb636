package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/scenarios/mortal"
	"github.com/openassay/assay/scenarios/wire"
)

// Options configure a certification. The zero value of a field means its default.
type Options struct {
	Select       Selection
	Seed         uint64            // of all random values; 0 is a valid seed
	RunID        string            // all names are derived from it; "" draws it from Seed, Build, Binary and the start. See [IsRunID]
	Build        string            // the version of Assay, as reports will say it
	Binary       string            // the digest of its program, as a bundle will say it; "" where none will be made
	Announced    time.Time         // when its plan was registered, and its run id drawn; zero: it was not
	Depth        Depth             // selects the ranges of dimensions; default Quick
	Workers      int               // drives at once; default 12, or 2 a core if that is more, and more where replies are long on their way
	Rate         float64           // requests a second; 0 = unlimited
	Most         wire.Spent        // requests, runs and turns that the target may be asked for, clean-up apart; 0 = unlimited
	Patience     time.Duration     // the time in which something must happen; default 10 s
	MaxPatience  time.Duration     // to which patience and deadlines may grow where the target is slow; default 10 min
	DriveTimeout time.Duration     // the deadline of a drive without its own; default 90 s
	Timeout      time.Duration     // the whole certification; default 10 min
	SeamPrefixes []string          // of the target's seams
	Roles        map[string]string // the target's own workflows, by the role of the protocol that each plays
	Nonce        string            // that the operator has to have published, "" for none; see [ErrNoNonce]
	RealTime     bool              // wait for time to pass, even if the target has a clock seam
	Limits       *wire.Limits      // default wire.DefaultLimits
	Known        IDs               // sentences that the target is known to violate, past which drives that explore go on
	Mortal       *mortal.Host      // the target, where drives may kill it; nil if they may not
	// Launch leaves running what drives began, where a limit is too long to wait for: see [Report.Begun]. Without it such
	// drives are blocked, and what they began is cleaned up.
	Launch bool
	// Resume is a certification that was launched, to go on with: its pending drives are continued, its other drives are not
	// driven again. Seed and run id are its own.
	Resume *Begun
	// AllowUnproved is why a test may pass although scenarios are blocked or inconclusive; "": it may not. See [Run].
	AllowUnproved string
	// LookupTXT reads DNS for a nonce that is not published with the discovery document; nil asks the system.
	LookupTXT func(ctx context.Context, name string) ([]string, error)
	// Progress is called when a scenario has ended, by one goroutine at a time.
	Progress func(Outcome)
}

func (o Options) withDefaults() Options {
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.MaxPatience <= 0 {
		o.MaxPatience = max(10*time.Minute, o.Patience)
	}
	if o.DriveTimeout <= 0 {
		o.DriveTimeout = 90 * time.Second
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Limits == nil {
		o.Limits = new(o.Depth.limits())
	}
	return o
}

// ErrUnreachable means that the target could not be asked what it claims.
var ErrUnreachable = errors.New("the target cannot be reached")

// ErrNoDiscovery means that the target answered, but not with a discovery document.
var ErrNoDiscovery = errors.New("the target has no discovery document")

// Certification is one target being driven and judged. [Certification.Outcome] waits for one scenario,
// [Certification.Finish] for all.
type Certification struct {
	Options   Options
	Protocol  *Protocol
	Discovery Discovery
	Started   time.Time
	RunID     RunID
	// DiscoveryFindings say where the discovery document does not match its schema.
	DiscoveryFindings []Finding

	network   *wire.Network
	discovery *drive // the discovery document as a drive, already over
	selected  []Selected
	scenarios int    // of all suites, at this depth
	digest    string // of what is selected, at whatever depth it is asked
	drives    map[string]*drive
	order     []string // drive ids in the order of their first scenario
	rounds    Rounds   // of each drive
	outcomes  []*outcome
	pace      Pace
	patience  time.Duration // that was given
	learned   Learned
	cleanup   cleanup
	hurried   bool            // the operator said how long it may take
	ahead     time.Duration   // of the target's clock, before ours
	stretch   time.Duration   // by which deadlines have grown since the target is slow
	running   context.Context // ends with the certification
	cancel    context.CancelFunc
	over      chan struct{} // closed when every drive is over and judged
	progress  sync.Mutex    // held while Options.Progress runs
}

// outcome is the future of a scenario.
type outcome struct {
	sel      Selected
	expected bool   // the operator expects the claim
	firm     bool   // expected, or the target makes the claim
	drive    *drive // nil for a scenario that is not asked
	fixed    *Outcome
	once     sync.Once
	value    Outcome
}

// Certify fetches the target's discovery document, selects scenarios and starts to drive them. It drives nothing if it
// returns an error, which is a [UsageError], [ErrNothingSelected], [ErrUnreachable], [ErrNoDiscovery], [ErrNoNonce],
// [wire.ErrMisfit], or with [Options.Resume] [ErrOtherRecords] or a [NotDueError]. All suites must be of one protocol.
func Certify(ctx context.Context, target wire.Target, o Options, suites ...Suite) (*Certification, error) {
	hurried := o.Timeout > 0
	o = o.withDefaults()
	depth := o.Depth
	if o.Resume != nil {
		depth = o.Resume.Depth
	}
	picked, err := o.Select.PickAt(depth, suites...)
	if err != nil {
		return nil, err
	}
	digest, err := o.Select.Digest(suites...)
	if err != nil {
		return nil, err
	}
	if target.KeyHeader == "" {
		target.KeyHeader = suites[0].Protocol.KeyHeader
	}
	protocol := suites[0].Protocol
	network, err := wire.NewNetwork(target, wire.Options{Limits: *o.Limits, Rate: o.Rate, Speech: protocol.Speech,
		Contract: protocol.contract(), Most: o.Most, Cost: protocol.Cost})
	if err != nil {
		return nil, err
	}
	c := &Certification{
		Options: o, Protocol: suites[0].Protocol, Started: time.Now().UTC(), network: network, selected: picked,
		drives: map[string]*drive{}, over: make(chan struct{}), scenarios: len(scenariosAt(suites, depth)), digest: digest,
		patience: o.Patience, hurried: hurried,
	}
	c.RunID = o.Run(c.Started)
	if b := o.Resume; b != nil {
		c.Started, c.RunID, c.Options.Seed, c.Options.Depth = b.Started, b.RunID, b.Seed, b.Depth
		network.Redactor().After(b.Secrets)
		c.pace.SawTurn(b.Turn)
		c.pace.SawBehind(b.Behind)
	}
	whole := ctx
	ctx, c.cancel = context.WithTimeout(whole, o.Timeout)
	client := c.network.Client(discoveryDrive)
	defer client.Close()
	if err := c.discover(ctx, client); err != nil {
		c.cancel()
		return nil, err
	}
	if err := c.due(); err != nil {
		c.cancel()
		return nil, err
	}
	if err := c.plan(); err != nil {
		c.cancel()
		return nil, err
	}
	c.rounds = protocol.roundsAt(c.Options.Depth).forPart(len(c.order), countDrives(scenariosAt(suites, c.Options.Depth)))
	if c.Protocol.Paces != nil && len(c.order) > 0 {
		c.findPace(ctx, client)
		if err := client.Misfit(); err != nil {
			c.cancel()
			return nil, err
		}
		c.network.AtMost(c.pace.Beside())
		if slow := c.slow(); slow > 0 {
			c.network.Allow(slow) // a seam may answer when its loop is over
			c.stretch = slow
			if !hurried { // what the operator gives is the most that all of it may take
				c.cancel()
				c.Options.Timeout += slow
				ctx, c.cancel = context.WithTimeout(whole, c.Options.Timeout)
			}
		}
	}
	// What the target holds back is not counted, up to twice the greatest patience: one that takes 5 requests a second needs it.
	if !hurried {
		c.cancel()
		bounded, cancel := context.WithTimeout(whole, c.Options.Timeout+2*c.Options.MaxPatience)
		held, done := within(bounded, c.Options.Timeout, c.network.Held)
		ctx, c.cancel = held, func() { done(); cancel() }
	}
	if c.Options.Workers <= 0 {
		soonest, _ := client.Transcript().ReplyTimes()
		c.Options.Workers = workers(soonest)
	}
	c.running = ctx
	go c.drive(ctx)
	return c, nil
}

const discoveryDrive = "discovery"

func (c *Certification) discover(ctx context.Context, client *wire.Client) error {
	start := time.Now()
	declared, err := client.Discover(ctx, c.Protocol.DiscoveryPath)
	if err != nil {
		return c.discoveryError(err)
	}
	c.Discovery = Discovery{Document: declared.Document, Status: declared.Status, At: time.Now().UTC(),
		Certificate: declared.Certificate}
	if _, isObject := c.Discovery.Document.Actual().(map[string]any); !declared.Found || !isObject {
		return fmt.Errorf("%w: GET %s%s answered HTTP %s without a JSON object: is this the base URL of a host?",
			ErrNoDiscovery, c.network.Address(), c.Protocol.DiscoveryPath, declared.Status.JSON())
	}
	if lacks := c.Protocol.lacks(c.Discovery.Document); lacks != "" {
		return fmt.Errorf("%w: GET %s%s answered JSON that has no %s: that is no host of %s",
			ErrNoDiscovery, c.network.Address(), c.Protocol.DiscoveryPath, lacks, c.Protocol.ID)
	}
	if err := c.published(ctx, declared.Nonce); err != nil {
		return err
	}
	if c.Protocol.CheckDiscovery != nil {
		clean := c.network.Redactor().Clean
		c.DiscoveryFindings = boundFindings(c.Protocol.CheckDiscovery([]byte(clean(string(declared.Raw)))), clean)
	}
	c.DiscoveryFindings = append(c.DiscoveryFindings, clock(declared.Date, c.Discovery.At)...)
	c.ahead = aheadOfUs(declared.Date, c.Discovery.At)
	c.discovery = &drive{
		meta: DriveMeta{ID: discoveryDrive}, transcript: client.Transcript(), observation: c.Discovery,
		seconds: time.Since(start).Seconds(), done: make(chan struct{}),
	}
	close(c.discovery.done)
	return nil
}

// discoveryError returns [ErrNoDiscovery] if the target sent something that cannot be read, else [ErrUnreachable]. The
// text of err may quote the target, so it is cleaned.
func (c *Certification) discoveryError(err error) error {
	if errors.Is(err, wire.ErrMisfit) {
		return err
	}
	kind := ErrUnreachable
	if errors.Is(err, wire.ErrOverLimit) || errors.Is(err, wire.ErrUnreadable) {
		kind = ErrNoDiscovery
	}
	return fmt.Errorf("%w: %s: %s", kind, c.network.Address(), cleaned(err.Error(), c.network.Redactor().Clean))
}

// plan decides which scenarios are asked, and which drives that takes.
func (c *Certification) plan() error {
	for _, sel := range c.selected {
		out := newOutcome(sel, c.Options.Select, c.Discovery)
		c.outcomes = append(c.outcomes, out)
		if reason := notClaimed(sel.Scenario.Claim, c.Discovery, c.Options.Select); reason != "" {
			out.fixed = &Outcome{Scenario: sel.Scenario, Verdict: Inapplicable, Reason: reason}
			continue
		}
		meta, driven := sel.Scenario.Ask.Drive()
		if !driven {
			out.drive = c.discovery
			continue
		}
		d := c.drives[meta.ID]
		if d == nil {
			d = &drive{meta: meta, ask: sel.Scenario.Ask, done: make(chan struct{})}
			c.drives[meta.ID] = d
			c.order = append(c.order, meta.ID)
			if err := c.takeUp(d, sel.Suite.Protocol); err != nil {
				return err
			}
		}
		out.drive = d
	}
	return nil
}

func newOutcome(sel Selected, by Selection, d Discovery) *outcome {
	expected := by.expects(sel.Scenario.Claim)
	_, claimed := sel.Scenario.Claim.Look(d)
	return &outcome{sel: sel, expected: expected, firm: expected || claimed}
}

// notClaimed returns the reason for a soft skip, with the pointer that was looked at; "" if the scenario is asked.
func notClaimed(claim Claim, d Discovery, by Selection) string {
	value, claimed := claim.asked(d)
	if claimed || by.expects(claim) {
		return ""
	}
	at := value.Ref().Pointer
	if !strings.Contains(claim.Pointer, strings.TrimPrefix(at, "/capabilities")) { // another claim, which this one rests on
		return fmt.Sprintf("not claimed: %s, since %s is %s", claim.Pointer, at, value.JSON())
	}
	return fmt.Sprintf("not claimed: %s is %s", claim.Pointer, value.JSON())
}

// clean is text of ours as a record may hold it: without secrets, and with the operations as the target's version has them.
func (c *Certification) clean(text string) string {
	return c.Protocol.spell(c.network.Redactor().Clean(text))
}

// Selected returns the scenarios of the certification, in order.
func (c *Certification) Selected() []Selected { return slices.Clone(c.selected) }

// Outcome waits until the scenario's drive is over and judges it, once.
func (c *Certification) Outcome(id ScenarioID) Outcome {
	for _, o := range c.outcomes {
		if o.sel.Scenario.ID == id {
			return c.settle(o)
		}
	}
	return Outcome{Scenario: Scenario{ID: id}, Verdict: Broken, Reason: "this scenario was not selected"}
}

// settle waits for an outcome. The first call judges it.
func (c *Certification) settle(o *outcome) Outcome {
	o.once.Do(func() {
		o.value = o.decide(c.Protocol.Ledger, c.clean)
		if c.Options.Progress != nil {
			c.progress.Lock()
			defer c.progress.Unlock()
			c.Options.Progress(o.value)
		}
	})
	return o.value
}

// decide waits for the drive and judges what it saw.
func (o *outcome) decide(ledger *Ledger, clean func(string) string) Outcome {
	s := o.sel.Scenario
	var v Outcome
	switch {
	case o.fixed != nil:
		v = *o.fixed
	default:
		<-o.drive.done
		switch stop := o.drive.stop; {
		case stop != nil && stop.Missing != "":
			v = lacks(s, ledger, stop, o.firm)
		case stop != nil:
			v = stop.ends(s, o.expected)
		default:
			v = conclude(s, ledger, o.drive.observation, o.firm)
		}
		v.Seconds = o.drive.seconds
		v.Drive = o.drive.meta.ID
	}
	v.Suite, v.Labels, v.Level = o.sel.Suite.ID, o.sel.Labels, s.Level(ledger)
	v.bound(clean)
	return v
}

// Interrupt ends the drives that are still running. Their scenarios become inconclusive.
func (c *Certification) Interrupt() { c.cancel() }

// Finish waits for every scenario, cleans up on the target and returns the report. ctx bounds the clean-up only, so it
// must not be a context that was cancelled to interrupt the certification.
func (c *Certification) Finish(ctx context.Context) *Report {
	var waiting sync.WaitGroup
	for _, o := range c.outcomes {
		waiting.Go(func() { c.settle(o) })
	}
	waiting.Wait()
	<-c.over
	seen, drives := c.see(c.records())
	client := c.network.Client("clean-up")
	client.Free()
	defer client.Close()
	leftovers := c.cleanup.run(ctx, client, c.Options)
	c.cancel()
	fault := ""
	if misfit := client.Misfit(); misfit != nil {
		fault = cleaned(misfit.Error(), c.clean)
	}
	return c.report(drives, seen, leftovers, fault)
}

// Transcript returns the transcript of the scenario's drive, nil if there is none or the drive is still running.
func (c *Certification) Transcript(id ScenarioID) *wire.Transcript {
	for _, o := range c.outcomes {
		if o.sel.Scenario.ID != id || o.drive == nil {
			continue
		}
		select {
		case <-o.drive.done:
			return o.drive.transcript
		default:
		}
	}
	return nil
}
