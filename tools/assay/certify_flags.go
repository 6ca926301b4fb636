package main

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/ginkgosuite"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/assay/internal/expectations"
	"github.com/openassay/assay/tools/internal/protocols"
)

// keyVariable names the environment variable that holds the target's credential.
const keyVariable = "ASSAY_KEY"

// reportsDir is the folder for reports where no other is named.
const reportsDir = "out"

// certifyFlags holds the flags of certify, from the command line and the file of parameters.
type certifyFlags struct {
	protocol     string
	commands     map[string]*string // commands of programs, by the name of the flag
	key, keyFile string
	others       principals
	second       secondHost
	config       string
	headers      []string
	userAgent    string
	caCert       string
	suites       []string
	filter       string
	scenarios    []string
	requirements []string
	expectClaims []string
	seamPrefixes []string
	roles        []string
	nonce        string
	workers      int
	rate         float64
	most         mostFlags
	patience     time.Duration
	timeout      time.Duration
	seed         uint64
	depth        string
	salt         string
	runID        string
	plan         bool
	noChallenge  bool
	repeat       againFlags
	with         recordingFlag
	host         hostFlag
	faults       []string // of the simulated host
	realTime     bool
	out          string
	bundle       evidence
	ticket       ticketFlags
	listeners    listeners
	json         bool

	updateExpectations bool

	seedWasGiven     bool
	timeoutWasGiven  bool
	patienceWasGiven bool
	maxPatience      time.Duration
}

func (o *certifyFlags) register(f *pflag.FlagSet) {
	f.StringVar(&o.key, "key", "", "`KEY` to send as credential, in the header that the protocol has for it; or set "+keyVariable)
	f.StringVar(&o.keyFile, "key-file", "", "`FILE` that holds the credential")
	o.others.register(f)
	o.second.register(f)
	f.StringArrayVar(&o.headers, "header", nil, "`HEADER` for every request, \"Name: value\" or Name=value; may be repeated")
	f.StringVar(&o.userAgent, "user-agent", "", "`TEXT` that every request says as its User-Agent (default that of a plain Go client)")
	f.StringVar(&o.caCert, "cacert", "", "PEM `FILE` of certificate authorities to trust beside the system's")
	f.StringSliceVar(&o.suites, "suite", nil, "only these `SUITES`, separated by commas")
	f.StringVar(&o.filter, "filter", "", "only scenarios whose labels satisfy this `EXPR`, like 'level:MUST && !suite:version5-shape'")
	f.StringSliceVar(&o.scenarios, "scenario", nil, "only the scenario of this `ID`; may be repeated")
	f.StringSliceVar(&o.requirements, "requirement", nil, "only scenarios that prove the requirement of this `ID`; may be repeated")
	f.StringSliceVar(&o.expectClaims, "expect-claim", nil,
		"ask about this `CLAIM` although the target does not make it: an id, a glob like 'goals*', or all; may be repeated")
	f.StringSliceVar(&o.seamPrefixes, "seam-prefix", nil,
		"`PATH` below which the target's test seams live, like /v1/host/acme; may be repeated")
	f.StringSliceVar(&o.roles, "role", nil, "`ROLE=WORKFLOW`: a workflow of the target's own that drives use where no known one is on offer, "+
		"like long=my-flow; may be repeated. The answer to an unknown role lists all")
	f.StringVar(&o.nonce, "nonce", "", "`VALUE` that the operator published to show that the host is his: in the header "+wire.NonceHeader+
		" of its discovery document, or in a TXT record "+scenarios.NonceRecord+"HOST")
	f.IntVar(&o.workers, "workers", 0, "`N` drives at once (default 12, or 2 a core, and up to four times as many where replies are long on their way)")
	f.Float64Var(&o.rate, "rate", 0, "at most `N` requests a second (default unlimited)")
	o.most.register(f)
	f.DurationVar(&o.patience, "patience", 10*time.Second, "`TIME` that something may take that must happen")
	f.DurationVar(&o.maxPatience, "max-patience", 0,
		"most `TIME` to which --patience and deadlines grow for a slow target (default 10m0s, or --patience if longer)")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute,
		"`TIME` for the whole certification; where given, for each drive too, which has 90s otherwise")
	f.Uint64Var(&o.seed, "seed", 0, "`N` that all random values come of, to ask the same again (default random)")
	f.StringVar(&o.depth, "depth", scenarios.Standard.String(), "ranges to draw from: `DEPTH` is quick (small values), "+
		"standard, or deep (large ones, in minutes)")
	f.StringVar(&o.salt, "salt", "", "`TEXT` that the names of the fixtures on the host were drawn from: assay fixtures export --salt "+
		"(default the published names)")
	o.repeat.register(f)
	f.StringVar(&o.with.folder, "with", "", "`FOLDER` of a recording of the target's work for others, which is judged, too (see assay observe)")
	f.StringVar(&o.runID, "run-id", "", "`ID` that names come of, to call things on the target the same again (default drawn from the seed and the start)")
	f.StringSliceVar(&o.faults, "fault", nil,
		"violation that the TARGET simhost commits, by its `ID` (assay list faults), to see what comes of it; may be repeated")
	f.BoolVar(&o.realTime, "real-time", false, "let time go by itself, also where "+clockOwners()+" has a clock that can be advanced")
	f.BoolVar(&o.plan, "plan", false, "print what would be sent, and send nothing")
	f.BoolVar(&o.noChallenge, "no-challenge", false, "do not show, when it is over, which passes could have failed")
	f.StringVar(&o.out, "out", reportsDir, "`DIR` for the reports")
	o.bundle.register(f)
	o.ticket.register(f)
	o.host.register(f)
	o.listeners.register(f)
	f.BoolVar(&o.json, "json", false, "print results.json instead of text")
	f.BoolVar(&o.updateExpectations, "update-expectations", false, "write the failures that are seen now into the list "+
		expectations.Key+" of the file of --config, and take out those that are gone")
	f.StringVar(&o.config, "config", "", "`FILE` with parameters by the names of these flags, which win over it (default "+
		configName+", where there is one)")
	f.StringVar(&o.protocol, "protocol", "", protocolUsage())
	o.commands = map[string]*string{}
	for _, kind := range protocols.Programs() {
		o.commands[kind.Flag.Name] = f.String(kind.Flag.Name, "", kind.Flag.Usage)
	}
}

func protocolUsage() string {
	of := []string{"the one whose discovery document a URL serves", protocols.Hosts()[0].Name() + " of simhost"}
	for _, row := range protocols.Hostless() {
		of = append(of, row.Name()+" of a "+row.Targets[0].Name)
	}
	names := protocols.OrList(protocols.Names(protocols.All()))
	return fmt.Sprintf("`NAME` of the protocol that the target speaks: %s (default %s)", names, strings.Join(of, ", "))
}

// clockOwners lists the targets whose clocks can be advanced, for the help.
func clockOwners() string {
	var who []string
	for _, row := range protocols.Table {
		if row.Clocked != "" {
			who = append(who, row.Clocked)
		}
	}
	return protocols.OrList(who)
}

// read validates the flags and the file of parameters, and returns the run that they describe. It sends nothing.
func (o *certifyFlags) read(cmd *cobra.Command, targets []string) (*certify, error) {
	o.noteGiven(cmd.Flags())
	o.ticket.typed = typed(cmd.Flags())
	typed := *o // again names the file instead of repeating what it sets
	known, err := readConfig(cmd, o.config)
	if err != nil {
		return nil, err
	}
	known.update = o.updateExpectations
	o.noteGiven(cmd.Flags())
	if targets, err = o.takeUp(cmd, targets); err != nil {
		return nil, err
	}
	t, err := o.targetOf(cmd, targets)
	if err != nil {
		return nil, err
	}
	if err := o.ticket.fits(t); err != nil {
		return nil, err
	}
	rows, err := o.candidates(t)
	if err != nil {
		return nil, err
	}
	if rows, err = o.saltedRows(rows); err != nil {
		return nil, err
	}
	t.row, t.salt = rows[0], o.salt
	if t.specimen, err = o.specimen(t); err != nil {
		return nil, err
	}
	options, err := o.options()
	if err != nil {
		return nil, err
	}
	if options.Most, err = o.most.of(t); err != nil {
		return nil, err
	}
	if o.plan && o.json {
		return nil, usage("certify: --plan prints text: leave out --json")
	}
	if o.plan && o.updateExpectations {
		return nil, usage("certify: --plan sends nothing, so there are no failures to record: leave out --update-expectations")
	}
	if o.nonce != "" && t.kind.Target != nil {
		return nil, usage("certify --nonce: a program has no place to publish it in: leave it out")
	}
	if o.userAgent != "" && t.kind.Target != nil {
		return nil, usage("certify --user-agent: a program is sent no requests: leave it out")
	}
	if o.out == "" {
		return nil, usage("certify --out: name a folder")
	}
	if o.realTime && !slices.ContainsFunc(rows, func(r *protocols.Row) bool { return r.Clocked != "" }) {
		return nil, usage("certify --real-time: it is for targets with a clock that can be advanced, and %s has none: leave it out",
			t.row.Name())
	}
	if err := o.bundle.check(cmd.Flags().Changed, o.plan); err != nil {
		return nil, err
	}
	if err := o.ticket.checkFlags(cmd.Flags().Changed, t, o, &options); err != nil {
		return nil, err
	}
	if err := o.host.check(cmd.Flags().Changed, t, o.plan); err != nil {
		return nil, err
	}
	if err := o.repeat.check(cmd.Flags().Changed, o, rows); err != nil {
		return nil, err
	}
	if err := o.with.read(rows, o.plan); err != nil {
		return nil, err
	}
	t.again = o.repeat.salts
	if t.specimen != nil && t.row.Protocol.Salted != nil {
		t.again = o.repeat.drawn(options.Seed)
	}
	if err := o.listeners.check(cmd.Flags().Changed, o.plan, o.json); err != nil {
		return nil, err
	}
	c := &certify{
		target: t, options: options, plan: o.plan, challenge: !o.noChallenge, json: o.json, out: o.out,
		bundle: o.bundle, ticket: o.ticket, host: o.host, listeners: o.listeners, repeat: o.repeat, with: o.with,
		again: typed.again(t, options.Seed), waysOut: typed.waysOut(t), expected: known,
		stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), text: cmd.OutOrStdout(),
	}
	if o.json || o.listeners.events == onStdout {
		c.text = c.stderr
	}
	return c, c.choose(rows, o.salt)
}

func (o *certifyFlags) noteGiven(f *pflag.FlagSet) {
	o.seedWasGiven, o.timeoutWasGiven, o.patienceWasGiven = f.Changed("seed"), f.Changed("timeout"), f.Changed("patience")
}

func (o *certifyFlags) options() (scenarios.Options, error) {
	depth, err := scenarios.ParseDepth(o.depth)
	if err != nil {
		return scenarios.Options{}, usage("certify --depth: %w", err)
	}
	out := scenarios.Options{
		Depth: depth, Seed: o.seed, RunID: o.runID, Build: version(),
		Workers: o.workers, Rate: o.rate, Patience: o.patience, MaxPatience: o.maxPatience, RealTime: o.realTime, Nonce: o.nonce,
		Select: scenarios.Selection{
			Suites: o.suites, Scenarios: o.scenarios, Requirements: o.requirements, ExpectClaims: o.expectClaims, Filter: o.filter,
		},
	}
	switch {
	case o.nonce != "" && !scenarios.IsNonce(o.nonce):
		return out, usage("certify --nonce: give %s", scenarios.NonceForm)
	case o.runID != "" && !scenarios.IsRunID(o.runID):
		return out, usage("certify --run-id %q: give %s", o.runID, scenarios.RunIDForm)
	case o.workers < 0:
		return out, usage("certify --workers %d: give at least 1", o.workers)
	case o.rate < 0:
		return out, usage("certify --rate %v: give requests a second, like 50", o.rate)
	case o.patience <= 0:
		return out, usage("certify --patience %s: give a duration like 10s", o.patience)
	case o.maxPatience != 0 && o.maxPatience < o.patience:
		return out, usage("certify --max-patience %s: give at least --patience, which is %s", o.maxPatience, o.patience)
	case o.timeout <= 0:
		return out, usage("certify --timeout %s: give a duration like 10m", o.timeout)
	}
	for _, p := range o.seamPrefixes {
		if !strings.HasPrefix(p, "/") {
			return out, usage("certify --seam-prefix %q: give a path, like /v1/host/acme", p)
		}
		out.SeamPrefixes = append(out.SeamPrefixes, strings.TrimSuffix(p, "/"))
	}
	roles, err := rolesOf(o.roles)
	if err != nil {
		return out, err
	}
	out.Roles = roles
	if o.timeoutWasGiven {
		out.Timeout, out.DriveTimeout = o.timeout, o.timeout // a longer timeout is meant for the slow drive
	}
	if !o.seedWasGiven {
		seed, err := randomSeed()
		if err != nil {
			return out, err
		}
		out.Seed = seed
	}
	if o.filter != "" {
		match, err := ginkgosuite.ParseFilter(o.filter)
		if err != nil {
			return out, usage("certify: %w", err)
		}
		out.Select.Match = match
	}
	return out, nil
}

// randomSeed returns a seed of 32 bits: enough to differ, short enough to type.
func randomSeed() (uint64, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, fmt.Errorf("draw a seed: %w: give one with --seed", err)
	}
	return uint64(binary.BigEndian.Uint32(b[:])), nil
}

// credential returns the target's key, from the flag, the file or the environment.
func (o *certifyFlags) credential() (string, error) {
	switch {
	case o.key != "" && o.keyFile != "":
		return "", usage("certify: give --key or --key-file, not both")
	case o.key != "":
		return checkKey("--key", o.key)
	case o.keyFile != "":
		content, err := os.ReadFile(o.keyFile)
		if err != nil {
			return "", usage("certify --key-file: %w", err)
		}
		key := strings.TrimSpace(string(content))
		if key == "" {
			return "", usage("certify --key-file %s: the file is empty: write the credential into it", o.keyFile)
		}
		return checkKey("--key-file "+o.keyFile, key)
	}
	return checkKey(keyVariable, os.Getenv(keyVariable))
}

// checkKey returns an error if no header can carry the key. The error must not repeat the key.
func checkKey(from, key string) (string, error) {
	if !isHeaderValue(key) {
		return "", usage("certify %s: the credential holds a line break or another character that a header cannot carry", from)
	}
	return key, nil
}

// again returns a function that builds the command to repeat one scenario with the settings of this run. The command
// holds no secrets.
func (o *certifyFlags) again(t target, seed uint64) func(scenarios.ScenarioID) string {
	prefix := "assay certify " + strings.Join(o.words(t, false), " ")
	return func(id scenarios.ScenarioID) string {
		return fmt.Sprintf("%s --scenario %s --seed %d", prefix, id, seed)
	}
}
