package sessionreport

import (
	"maps"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Coverage says what was watched, so that silence means something (DP-33). Lag
// and readiness belong to the services, not to a session's events.
type Coverage struct {
	Received   int          `json:"turns_received"`
	Evaluated  int          `json:"turns_evaluated"`
	Failed     []FailedTurn `json:"turns_failed"`
	Skipped    int          `json:"turns_skipped"` // numbers that never came
	NotWatched int          `json:"turns_not_watched"`
	// RefusedTurns were refused at the door: received, and not watched.
	RefusedTurns  int            `json:"turns_refused,omitempty"`
	RefusedEvents int            `json:"events_refused,omitempty"` // turns and others
	Refused       []RefusedEvent `json:"refused,omitempty"`        // the first of them
	OutOfOrder    int            `json:"turns_out_of_order"`
	Forks         int            `json:"forks"`
	Compactions   int            `json:"compactions"`
	Resumptions   int            `json:"resumptions"`
	NoBaseline    int            `json:"turns_without_baseline"` // D1 and D2 were blind
	Unsupported   []Unsupported  `json:"unsupported"`            // languages and formats nothing watches
	// Unread are places that a detector did not look at, since the edit was too long.
	Unread  []sessionevents.Unread `json:"unread,omitempty"`
	Evicted map[string]int         `json:"evicted,omitempty"` // registry collection → entries dropped
	Bytes   int                    `json:"bytes"`
	// Rules are sentences about rules that the workspace changes, or may not change.
	Rules []string `json:"workspace_rules,omitempty"`
	// Delivery is what is known of the way to the agent: none, or the states seen.
	Delivery []sessionevents.DeliveryState `json:"delivery_states"`
}

// FailedTurn is a turn that could not be evaluated.
type FailedTurn struct {
	Turn int    `json:"turn"`
	Why  string `json:"why"`
}

// Unsupported names a language or format that was not read, with the number of turns in which it occurred.
type Unsupported struct {
	What  string `json:"what"`
	Turns int    `json:"turns"`
}

// coverage is the fold behind Coverage.
type coverage struct {
	Coverage
	lastTurn    int
	unsupported map[string]int
}

func newCoverage() coverage {
	return coverage{unsupported: map[string]int{}}
}

// turn folds the marker of a turn; one that came before counts once.
func (f *Fold) turn(d *sessionevents.TurnEvaluated) {
	if d.Turn <= f.coverage.lastTurn {
		return
	}
	f.coverage.lastTurn = d.Turn
	f.coverage.Received++
	f.session.Closed, f.session.Reason = false, ""
	if d.Run != "" {
		f.session.Run = d.Run
	}
	f.row(d.Turn).evaluated(d)
	if d.Failed != "" {
		f.coverage.Failed = append(f.coverage.Failed, FailedTurn{d.Turn, d.Failed})
		f.moment(d.Turn, "turn not evaluated", d.Failed)
	}
	f.done.apply(d.Ledger)
	f.finish.apply(f.settings.Finish, d, f.done.listed())
	if d.Observed != nil {
		f.observe(d.Turn, d.Observed)
	}
}

func (f *Fold) observe(turn int, o *sessionevents.Observations) {
	c := &f.coverage
	c.Bytes += o.Bytes
	c.continuity(o.Continuity)
	if o.NoBaseline {
		c.NoBaseline++
	}
	for _, what := range slices.Compact(slices.Sorted(slices.Values(o.Unsupported))) {
		c.unsupported[what]++
	}
	for _, u := range o.Unread {
		c.notRead(u)
	}
	for collection, dropped := range o.Evicted {
		if c.Evicted == nil {
			c.Evicted = map[string]int{}
		}
		c.Evicted[collection] = max(c.Evicted[collection], dropped)
	}
	if o.Agent != nil {
		f.session.Agent = o.Agent
	}
	if f.session.Task == "" {
		f.session.Task = o.Asked
	}
	f.tests += o.TestsEdited
	f.testsAdded += o.TestsAdded
	f.linesAdded += o.LinesAdded
	f.linesGone += o.LinesGone
	f.flag(turn, o.RedFlags)
	f.spend(o.Usage)
}

// notRead adds places to those of the same file and detector.
func (c *coverage) notRead(u sessionevents.Unread) {
	at := slices.IndexFunc(c.Unread, func(o sessionevents.Unread) bool { return o.Detector == u.Detector && o.Path == u.Path })
	if at < 0 {
		c.Unread = append(c.Unread, u)
	} else {
		c.Unread[at].Places += u.Places
	}
}

func (c *coverage) continuity(k *sessionevents.Continuity) {
	if k == nil {
		return
	}
	for _, count := range []struct {
		is bool
		of *int
	}{
		{k.OutOfOrder, &c.OutOfOrder}, {k.Fork, &c.Forks}, {k.Compacted, &c.Compactions}, {k.Resumed, &c.Resumptions},
	} {
		if count.is {
			*count.of++
		}
	}
}

func (f *Fold) flag(turn int, hits []sessionevents.RedFlagHit) {
	for _, hit := range hits {
		r := f.redFlags[hit.ID]
		if r == nil {
			r = &RedFlag{ID: hit.ID, Sentence: hit.Sentence, Turns: []int{}}
			f.redFlags[hit.ID] = r
		}
		r.Count++
		if len(r.Turns) < 10 && !slices.Contains(r.Turns, turn) {
			r.Turns = append(r.Turns, turn)
		}
	}
}

func (f *Fold) spend(u *sessionevents.Usage) {
	if u == nil {
		return
	}
	if f.usage == nil {
		f.usage = &Usage{}
	}
	f.usage.Turns++
	f.usage.InputTokens += u.InputTokens
	f.usage.OutputTokens += u.OutputTokens
	f.usage.CacheRead += u.CacheRead
	f.usage.CacheWrite += u.CacheWrite
	f.usage.CostUSD += u.CostUSD
}

// covered is the finished account.
func (f closing) covered() Coverage {
	c := f.coverage.Coverage
	c.Failed = append([]FailedTurn{}, c.Failed...)
	c.Evaluated = c.Received - len(c.Failed)
	c.Skipped = f.coverage.lastTurn - c.Received
	c.Received += c.RefusedTurns
	c.NotWatched = c.Skipped + len(c.Failed) + c.RefusedTurns
	c.Refused = slices.Clone(c.Refused)
	c.Evicted = maps.Clone(c.Evicted)
	c.Unread = slices.Clone(c.Unread)
	c.Unsupported = []Unsupported{}
	for _, what := range slices.Sorted(maps.Keys(f.coverage.unsupported)) {
		c.Unsupported = append(c.Unsupported, Unsupported{what, f.coverage.unsupported[what]})
	}
	c.Delivery = f.deliveryStates()
	return c
}

func (f closing) deliveryStates() []sessionevents.DeliveryState {
	states := []sessionevents.DeliveryState{}
	for _, i := range f.fired {
		for _, d := range i.Deliveries {
			states = append(states, d.State)
		}
	}
	slices.Sort(states)
	return slices.Compact(states)
}

// Finish is the data of how a primary signals that it is done (DP-30).
type Finish struct {
	// Claims are the kinds of claims that state that work is done.
	Claims []sessionevents.ClaimKind `yaml:"claims"`
	// Cut are stop reasons of a response that was cut off, in any case, - and space as _.
	Cut []string `yaml:"cut"`
}

// EndsResponse reports whether a turn ends the primary's response: it says something and awaits nothing, or it
// reports with a call that ends the session. Only such a turn can signal that the primary is done.
func EndsResponse(d *sessionevents.TurnEvaluated) bool {
	return d.Failed == "" && (d.Pause.Why == sessionevents.PauseEndOfResponse || slices.ContainsFunc(claimsOf(d), isFinal))
}

func isFinal(c sessionevents.Claim) bool { return c.Final }

func claimsOf(d *sessionevents.TurnEvaluated) []sessionevents.Claim {
	if d.Ledger == nil {
		return nil
	}
	return d.Ledger.Claims
}

// finishFold is whether the primary signals that it is done.
type finishFold struct {
	worked bool
	turn   int // of the latest signal; 0 once work went on
}

// apply follows a turn (DP-30): the primary signals that it is done when its response is complete, it changed or
// checked something since the last signal, and it says so of its work, or has completed its own list. Words alone
// are not a signal: an answer to a question after the work is none.
func (f *finishFold) apply(by Finish, d *sessionevents.TurnEvaluated, listed bool) {
	if l := d.Ledger; l != nil && (len(l.Mutations) > 0 || len(l.Checks) > 0) {
		f.worked, f.turn = true, 0
	}
	if !f.worked || !EndsResponse(d) || by.cut(d.Observed) {
		return
	}
	says := func(c sessionevents.Claim) bool { return c.Final && slices.Contains(by.Claims, c.Kind) }
	if listed || slices.ContainsFunc(claimsOf(d), says) {
		f.worked, f.turn = false, d.Turn
	}
}

// cut reports whether a response was cut off.
func (by Finish) cut(o *sessionevents.Observations) bool {
	if o == nil || o.StopReason == "" {
		return false
	}
	reason := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(o.StopReason)))
	return slices.Contains(by.Cut, reason)
}

// listed reports whether the primary has a list of its own and has completed it.
func (f *doneFold) listed() bool {
	completed := false
	for _, p := range f.promises {
		switch {
		case p.Source != sessionevents.PromiseTodo || p.Status == sessionevents.TodoCancelled:
		case p.Status != sessionevents.TodoCompleted:
			return false
		default:
			completed = true
		}
	}
	return completed
}
