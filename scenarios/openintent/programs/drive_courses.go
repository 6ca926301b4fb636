package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
	"github.com/openassay/assay/scenarios/wire"
)

// CoursesObservation is some intents that were suspended again and again, and mostly left alone until their windows were over.
type CoursesObservation struct {
	Platform bool          `json:"platform"` // it has a retry policy of its own
	TaskID   string        `json:"taskId"`   // of the task that the plan lists
	Rounds   []CourseRound `json:"rounds"`   // as long as the longest of an intent
	Finish   []Finished    `json:"finish"`   // of each intent, in the end
	Ends     []CourseRun   `json:"ends"`     // of further intents, each with one suspension
	Unpaced  Unpaced       `json:"unpaced"`
	Chased   Chased        `json:"chased"`
	Lasting  []Lasting     `json:"lasting"`
	Left     Left          `json:"left"`
}

// CourseRound is a suspension of each intent that was still active.
type CourseRound struct {
	Courses []CourseRun `json:"courses"`
	Waiting Around      `json:"waiting"` // when all of them waited
	Over    Around      `json:"over"`    // when none of them was waited for any more
}

// CourseRun is a suspension from its beginning to what comes after its end.
type CourseRun struct {
	Intent     int             `json:"intent"`
	Plan       Plan            `json:"plan"`
	Course     model.Course    `json:"course"`
	Suspension host.Suspension `json:"suspension"`
	Fresh      Latecomer       `json:"fresh"`     // depends on the intent since shortly before
	Draft      Latecomer       `json:"draft"`     // depends on the intent, and is made active while that waits
	Meanwhile  []host.Reply    `json:"meanwhile"` // to what else was asked; those of nothing are empty
	Steps      []CourseStep    `json:"steps"`
	Answer     host.Reply      `json:"answer"` // while it waits, if it was answered
	Answered   host.Look       `json:"answered"`
	Before     host.Look       `json:"before"` // shortly before the end of its window, if it was not
	End        wire.Wait       `json:"end"`
	After      host.Look       `json:"after"` // when its window is over
	Late       host.Reply      `json:"late"`  // to the right answer then
	AfterLate  host.Look       `json:"afterLate"`
	// Slow: the drive itself took so long that what it saw before an attempt may have been after it.
	Slow bool `json:"slow,omitempty"`
}

// Latecomer is a further dependent of a suspended intent, before and after something; there need not be one.
type Latecomer struct {
	Before host.Reply `json:"before"`
	After  host.Reply `json:"after"`
}

// CourseStep is an attempt after the first.
type CourseStep struct {
	Attempt int       `json:"attempt"`
	Before  host.Look `json:"before"` // shortly before it is due
	Reached wire.Wait `json:"reached"`
	During  host.Look `json:"during"`
}

// Around is what shows the intents to others, and the intents, at one moment.
type Around struct {
	Intents    []host.Reply `json:"intents"`
	Dependents []host.Reply `json:"dependents"` // of each
	Graph      host.Reply   `json:"graph"`      // of their parent
	Parent     host.Reply   `json:"parent"`
	Portfolio  host.Reply   `json:"portfolio"` // of all of them; not sent where the server has none
	Task       host.Reply   `json:"task"`      // of the last one, which was running; likewise
	Plan       host.Reply   `json:"plan"`      // that lists it
	Progress   host.Reply   `json:"progress"`
}

// Finished is an intent that was active in the end, and its dependent when the intent was completed.
type Finished struct {
	Reply     host.Reply `json:"reply"`
	Dependent wire.Wait  `json:"dependent"`
	// Held and Again wait for the dependent, which then depends on another intent that is suspended, answered and completed.
	Held  wire.Wait `json:"held,omitzero"`
	Again wire.Wait `json:"again,omitzero"`
}

// SeenAs implements [scenarios.Seer]: a clock of the server's is moved.
func (o CoursesObservation) SeenAs() scenarios.Evidence { return scenarios.Attested }

var drawnCourses = &scenarios.Drive[CoursesObservation]{
	ID: "openintent/drawn-courses",
	Title: "suspends intents again and again with drawn policies, ladders and fallbacks, and lets time pass until they are reminded of, " +
		"answered or over",
	Sends: []string{
		"POST /intents and /intents/{id}/children", "POST /intents/{id}/dependencies", "POST /portfolios and /portfolios/{id}/intents",
		"POST /tasks and /plans", "POST /intents/{id}/state and /status", "the clock that the server advertises, many times",
		"GET /intents/{id} and its events, before and after each attempt", "POST /intents/{id}/suspend/respond",
		"GET /portfolios/{id}, /plans/{id} and the graph of a parent", "GET /server/config",
	},
	Excludes:   scenarios.Heavy,
	Dimensions: courseDimensions,
	Run: func(ctx context.Context, c *scenarios.Conn, o *CoursesObservation) {
		s := host.Open(ctx, c)
		if s.Seam() == "" {
			scenarios.End(scenarios.NotOffered("a clock that a drive can move; other scenarios wait for short intervals"))
		}
		p := &planner{Server: s, responses: taken(ctx, s)}
		p.platform, _ = s.DefaultPolicy().Actual().(map[string]any)
		o.Platform = len(p.platform) > 0
		plans := p.plans(c.Depth)
		g := newGroup(ctx, s, len(plans))
		if g.plan != nil {
			o.TaskID = g.task.ID
		}
		for r := range plans[0] {
			if !g.round(ctx, o, plans, r) {
				break
			}
		}
		g.finish(ctx, o)
		g.ends(ctx, o, p.ends())
		o.Unpaced = unpaced(ctx, g.Server)
		o.Chased = chased(ctx, g.Server)
		o.Left = left(ctx, g.Server)
		o.Lasting = lasting(ctx, g.Server)
		if c.Depth > scenarios.Quick { // records must not have changed the policy that it shows
			s.Get(ctx, "the configuration in the end", "/server/config")
		}
	},
}

// group is the intents of the drive and what is around them.
type group struct {
	*host.Server
	parent     *host.Intent
	waits      map[string]any // beyond quick, one title for all dependents: only their ids differ
	intents    []*host.Intent // each by a clock of its own
	dependents []*host.Intent
	portfolio  *host.Portfolio // nil where the server has none
	plan       *host.Plan      // likewise, of one task
	task       *host.Task
}

func newGroup(ctx context.Context, s *host.Server, n int) *group {
	g := &group{Server: s, parent: s.NewIntent(ctx, "parent", host.Active, nil)}
	if s.Depth > scenarios.Quick {
		g.waits = map[string]any{"title": s.Name("waits")}
	}
	for range n {
		i := g.parent.Child(ctx, "asked")
		g.intents = append(g.intents, i.Apart())
		g.dependents = append(g.dependents, g.dependent(ctx, i, host.Active))
	}
	has := func(make func()) bool {
		err := scenarios.Try(make)
		if !host.Lacking(err) && !host.IsBlocked(err) { // others ask for what is missing
			scenarios.End(err)
		}
		return err == nil
	}
	if !has(func() { g.portfolio = s.Portfolio(ctx, nil, g.intents...) }) {
		g.portfolio = nil
	}
	last := g.intents[n-1]
	if !has(func() {
		t := s.Task(ctx, last, nil)
		g.plan, g.task = s.Plan(ctx, last, t), t
		t.Run(ctx)
	}) {
		g.plan = nil
	}
	return g
}

// round suspends all that are active, and goes on until their windows are over. It reports whether to go on.
func (g *group) round(ctx context.Context, o *CoursesObservation, plans [][]Plan, r int) (more bool) {
	o.Rounds = append(o.Rounds, CourseRound{})
	round := &o.Rounds[r]
	for n, i := range g.intents {
		// The write has the server tell the time that it is there by now.
		if r > 0 && (!i.Patch(ctx, host.Note, fmt.Sprintf("round %d", r+1), "write a note between two suspensions").Ok() ||
			i.Read(ctx, "the intent between two suspensions").Body.Key("status").String() != host.Active) {
			continue
		}
		plan := plans[n][r]
		var fresh, draft *host.Intent
		if r > 0 {
			fresh = g.dependent(ctx, i, host.Active)
		} else if n == 1 {
			draft = g.dependent(ctx, i, host.Draft)
		}
		round.Courses = append(round.Courses, started(ctx, i, n, plan))
		round.Courses[len(round.Courses)-1].latecomers(ctx, fresh, draft)
	}
	g.settle(ctx, round.Courses)
	round.Waiting = g.look(ctx, fmt.Sprintf("while they wait, in round %d", r+1))
	var runs []func(context.Context)
	for k := range round.Courses {
		run := &round.Courses[k]
		runs = append(runs, func(ctx context.Context) { run.take(ctx, g.intents[run.Intent]) })
	}
	g.AtOnce(ctx, runs...)
	round.Over = g.look(ctx, fmt.Sprintf("when none is waited for, in round %d", r+1))
	for _, run := range round.Courses {
		if !run.through() {
			return false
		}
	}
	return true
}

// dependent makes an intent with a status that depends on another.
func (g *group) dependent(ctx context.Context, on *host.Intent, status string) *host.Intent {
	d := g.NewIntent(ctx, "waits", status, g.waits)
	if reply := d.DependOn(ctx, on); !reply.Ok() {
		d.SetUp("let an intent wait for another", reply)
	}
	return d
}

// latecomers looks at further dependents of the intent that was just suspended.
func (r *CourseRun) latecomers(ctx context.Context, fresh, draft *host.Intent) {
	if fresh != nil {
		r.Fresh.Before = fresh.Made
		fresh.Becomes(ctx, "its latest dependent is blocked", host.Blocked)
		r.Fresh.After = fresh.Read(ctx, "its latest dependent")
	}
	if draft != nil {
		r.Draft.Before = draft.Set(ctx, host.Active, "make a draft active that depends on a suspended intent")
		r.Draft.After = draft.Read(ctx, "that draft")
	}
}

// started suspends the n-th intent as planned. A server may refuse a window that is longer than its interval (OIP-R18).
func started(ctx context.Context, i *host.Intent, n int, plan Plan) CourseRun {
	record, course := planned(i.Server, plan), scenarios.Get(model.CourseOf(plan.Record))
	if _, said := record["expires_at"]; !said {
		record["expires_at"] = host.Stamp(i.ServerNow().Add(time.Duration(course.Attempts*course.Interval) * time.Second))
	}
	sus, refused := i.SuspendSince(ctx, record, plan.Order)
	if host.IsBlocked(refused) {
		if policy, has := record["retry_policy"].(map[string]any); has {
			record["timeout_seconds"] = policy["interval_seconds"]
		}
		sus, refused = i.SuspendBy(ctx, record, host.RecordFirst), nil
	}
	scenarios.End(refused)
	return CourseRun{Intent: n, Plan: plan, Course: scenarios.Get(model.CourseOf(sus.Sent.RawMessage)), Suspension: sus}
}

// ends has further suspensions take their courses.
func (g *group) ends(ctx context.Context, o *CoursesObservation, plans []Plan) {
	o.Ends = make([]CourseRun, len(plans))
	var runs []func(context.Context)
	for k, plan := range plans {
		i := g.NewIntent(ctx, "left", host.Active, nil)
		i.Apart()
		o.Ends[k] = started(ctx, i, k, plan)
		runs = append(runs, func(ctx context.Context) { o.Ends[k].take(ctx, i) })
	}
	g.AtOnce(ctx, runs...)
}

// settle waits until dependents and the portfolio show the suspensions: a server may be late. It does not wait for each of what never
// comes.
func (g *group) settle(ctx context.Context, courses []CourseRun) {
	for _, run := range courses {
		if !g.dependents[run.Intent].Becomes(ctx, "its dependent is blocked", host.Blocked).Reached {
			break
		}
	}
	if g.portfolio != nil {
		g.portfolio.Counts(ctx, int64(len(courses)))
	}
}

// planned is the record of a plan, with an id of its own.
func planned(s *host.Server, plan Plan) host.Record {
	var members map[string]json.RawMessage
	scenarios.End(json.Unmarshal(plan.Record, &members))
	r := asked(s, members)
	for _, of := range []string{"fallback_policy", "retry_policy"} {
		if _, said := members[of]; !said {
			delete(r, of)
		}
	}
	return r
}

// through reports whether the suspension went on to the end of its window.
func (r *CourseRun) through() bool {
	return r.AfterLate.Intent.Asked != "" && (r.Plan.During > 0 || r.End.Reached)
}

// clock moves the clock of an intent.
type clock struct {
	*host.Intent
	course model.Course
	began  time.Time
	passed time.Duration
}

// to lets time pass until n intervals and some more after the suspension.
func (c *clock) to(ctx context.Context, n float64, more time.Duration) {
	at := time.Duration(n*float64(c.course.Interval)*float64(time.Second)) + more
	if d := at - c.passed; d > 0 {
		c.Lapse(ctx, d.Round(time.Millisecond))
		c.passed = at
	}
}

// before lets time pass until shortly before an attempt is due, by more than a server may be early (OIP-R106).
func (c *clock) before(ctx context.Context, n int) {
	whole := time.Duration(n*c.course.Interval) * time.Second
	each := time.Duration(c.course.Interval) * time.Second
	c.to(ctx, float64(n), -min(whole/16+time.Second, each*7/10))
}

// grace is what a server may be late when its clock is moved.
const grace = 300 * time.Millisecond

// take lets the suspension take its course.
func (r *CourseRun) take(ctx context.Context, i *host.Intent) {
	c := &clock{Intent: i, course: r.Course, began: i.Now()}
	r.chase(ctx, c)
	if len(r.Steps) == 0 || r.Steps[len(r.Steps)-1].Reached.Reached {
		r.end(ctx, c)
	}
	r.Slow = i.Now().Sub(c.began) > time.Duration(c.course.Interval)*time.Second/32 && r.through()
}

// chase goes through the attempts, up to the one at which it is answered.
func (r *CourseRun) chase(ctx context.Context, c *clock) {
	last := c.course.Attempts
	if r.Plan.During > 0 {
		last = r.Plan.During
	}
	for n := 2; n <= last; n++ {
		step := CourseStep{Attempt: n}
		r.meanwhile(ctx, c, n-1)
		c.before(ctx, n-1)
		step.Before = c.Look(ctx, fmt.Sprintf("before attempt %d", n))
		c.to(ctx, float64(n-1), grace)
		step.Reached = c.Await(ctx, fmt.Sprintf("the reminder of attempt %d", n), func(ctx context.Context) (wire.Value, bool) {
			step.During.Log = c.Log(ctx, fmt.Sprintf("the log during attempt %d", n))
			sent := step.During.Log.Of(host.EventRenotified, r.Suspension.ID)
			if len(sent.Values) < n-1 {
				return step.During.Log.Read, false
			}
			return sent.Last(), true
		})
		step.During.Intent = c.Read(ctx, fmt.Sprintf("the intent during attempt %d", n))
		if r.Steps = append(r.Steps, step); !step.Reached.Reached {
			return
		}
	}
}

// meanwhile asks, in the middle of an attempt, for what must not move the suspension.
func (r *CourseRun) meanwhile(ctx context.Context, c *clock, attempt int) {
	what := r.Plan.Meanwhile[attempt-1]
	wrong := misfits(r.Plan.Response, decoded(r.Plan.Answer))
	if what == Misfit && len(wrong) == 0 {
		what = Stranger
	}
	if _, guarded := claims.Lifecycle.Look(c.Discovery); what == Finish && !guarded {
		what = Nothing
	}
	if what != Nothing {
		c.to(ctx, float64(attempt)-0.5, 0)
	}
	var reply host.Reply
	switch id := r.Suspension.ID; what {
	case Misfit:
		reply = c.Answer(ctx, string(what), id, wrong[0].value)
	case Stranger:
		reply = c.Answer(ctx, string(what), next(id[:1])+id[1:], decoded(r.Plan.Answer))
	case Writing:
		reply = c.Patch(ctx, host.Note, attempt, string(what))
	case Touching:
		reply = c.Patch(ctx, "_suspension/context/"+host.Note, attempt, string(what))
	case Finish:
		reply = c.Set(ctx, host.Completed, string(what))
	case Nothing:
	}
	r.Meanwhile = append(r.Meanwhile, reply)
}

// end answers the suspension, or waits for its end, and answers it when its window is over.
func (r *CourseRun) end(ctx context.Context, c *clock) {
	right, all := decoded(r.Plan.Answer), c.course.Attempts
	if r.Plan.During > 0 {
		c.to(ctx, float64(r.Plan.During)-0.6, 0)
		r.Answer = c.Answer(ctx, fmt.Sprintf("the answer during attempt %d", r.Plan.During), r.Suspension.ID, right)
		if host.MissingRoute(r.Answer) {
			host.NoAnswers(c.Server, r.Answer)
		}
		r.Answered = c.Answered(ctx, "after the answer")
	} else {
		r.meanwhile(ctx, c, all)
		c.before(ctx, all)
		r.Before = c.Look(ctx, "before the end of the window")
		c.to(ctx, float64(all), grace)
		r.End = c.Await(ctx, "the suspension expires", func(ctx context.Context) (wire.Value, bool) {
			now := c.Read(ctx, "the intent at the end of the window")
			over := now.Body.At("/state/_suspension/resolution").String() == "expired"
			return now.Body.Key("status"), over || now.Body.Key("status").String() != host.Suspended
		})
	}
	c.to(ctx, float64(all)+0.6, 0)
	r.After = c.Look(ctx, "when the window is over")
	r.Late = c.Answer(ctx, "the right answer when the window is over", r.Suspension.ID, right)
	r.AfterLate = c.Look(ctx, "after that answer")
}

// look reads all that shows the intents.
func (g *group) look(ctx context.Context, when string) (a Around) {
	g.CatchUp(ctx)
	a.Intents, a.Dependents = make([]host.Reply, len(g.intents)), make([]host.Reply, len(g.intents))
	var reads []func(context.Context)
	for n, i := range g.intents {
		reads = append(reads, func(ctx context.Context) { a.Intents[n] = i.Read(ctx, fmt.Sprintf("intent %d %s", n+1, when)) },
			func(ctx context.Context) {
				a.Dependents[n] = g.dependents[n].Read(ctx, fmt.Sprintf("the dependent of intent %d %s", n+1, when))
			})
	}
	reads = append(reads, func(ctx context.Context) {
		a.Graph = g.Get(ctx, "the graph of their parent "+when, host.At("/intents/%s/graph", g.parent.ID))
	}, func(ctx context.Context) { a.Parent = g.parent.Read(ctx, "their parent "+when) })
	if g.portfolio != nil {
		reads = append(reads, func(ctx context.Context) { a.Portfolio = g.portfolio.Read(ctx, "their portfolio "+when) })
	}
	if g.plan != nil {
		reads = append(reads, func(ctx context.Context) {
			a.Task = g.task.Read(ctx, "the task of the last one "+when)
			a.Plan = g.plan.Read(ctx, "the plan of the last one "+when)
			a.Progress = g.plan.Progress(ctx, "the progress of the plan of the last one "+when)
		})
	}
	g.AtOnce(ctx, reads...)
	return a
}

// finish completes the intents that are active.
func (g *group) finish(ctx context.Context, o *CoursesObservation) {
	over := o.Rounds[len(o.Rounds)-1].Over
	o.Finish = make([]Finished, len(g.intents))
	again := false
	for n, i := range g.intents {
		if over.Intents[n].Body.Key("status").String() != host.Active {
			continue
		}
		o.Finish[n].Reply = i.Set(ctx, host.Completed, "complete an intent that goes on")
		if f := &o.Finish[n]; f.Reply.Ok() {
			f.Dependent = g.dependents[n].Becomes(ctx, "its dependent goes on", host.Active)
			if f.Dependent.Reached && !again && g.Depth > scenarios.Quick {
				again = true
				f.again(ctx, g.dependents[n])
			}
		}
	}
}

// again makes a dependent that has resumed depend on another intent, which is suspended, answered and completed.
func (f *Finished) again(ctx context.Context, d *host.Intent) {
	up := d.NewIntent(ctx, "later", host.Active, nil)
	if !d.DependOn(ctx, up).Ok() {
		return
	}
	sus := up.Suspend(ctx, d.Question(asText))
	if f.Held = d.Becomes(ctx, "the dependent waits once more", host.Blocked); f.Held.Reached {
		up.MustAnswer(ctx, sus.ID, "go on")
		up.Finish(ctx)
		f.Again = d.Becomes(ctx, "the dependent goes on once more", host.Active)
	}
}
