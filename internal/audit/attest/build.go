package attest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// ErrNothing is returned for a request that matches no recorded event.
var ErrNothing = errors.New("nothing is recorded about it")

// builder assembles one verdict.
type builder struct {
	source  record.Source
	request Request
	options Options
	verdict *Verdict
	rules   map[Rules]int
}

// Build returns the verdict on the requested commits, sessions and runs.
func Build(ctx context.Context, from record.Source, request Request, o Options) (*Verdict, error) {
	if o.Clean == nil {
		o.Clean = func(text string) string { return text }
	}
	b := &builder{source: from, request: request, options: o, rules: map[Rules]int{}, verdict: &Verdict{
		SchemaVersion: SchemaVersion, Made: o.Now.UTC(), Build: o.Build, Partitions: from.Partitions(),
		Rules: []Rules{}, Commits: []Commit{}, Sessions: []Session{}, Runs: []Run{}, Deciders: []Decider{}, Unknown: []string{},
	}}
	if err := b.commits(ctx); err != nil {
		return nil, err
	}
	if err := b.groups(ctx); err != nil {
		return nil, err
	}
	b.applied()
	b.verdict.Heads = b.relevant(o.Heads)
	return b.verdict, nil
}

func (b *builder) unknown(format string, args ...any) {
	b.verdict.Unknown = append(b.verdict.Unknown, fmt.Sprintf(format, args...))
}

// groups adds the requested runs and sessions, and those that the commits lead to.
func (b *builder) groups(ctx context.Context) error {
	runs, sessions := slices.Clone(b.request.Runs), slices.Clone(b.request.Sessions)
	for _, c := range b.verdict.Commits {
		if c.Run != "" {
			runs = append(runs, c.Run)
		}
		for _, f := range c.Files {
			for _, e := range f.Edits {
				sessions = append(sessions, e.Session)
			}
		}
	}
	whole := map[string]bool{}
	for _, id := range b.request.Runs {
		whole[id] = true
	}
	slices.Sort(runs)
	for _, id := range slices.Compact(runs) {
		members, err := b.run(ctx, id)
		if err != nil {
			return err
		}
		if whole[id] {
			sessions = append(sessions, members...)
		}
	}
	slices.Sort(sessions)
	for _, id := range slices.Compact(sessions) {
		if err := b.session(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// run adds a run and returns its sessions.
func (b *builder) run(ctx context.Context, id string) (sessions []string, err error) {
	list, err := decided(ctx, b.source, record.Selection{Run: id})
	if err != nil {
		return nil, fmt.Errorf("read the run %s: %w", id, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("run %s: %w", id, ErrNothing)
	}
	fold := runreport.New(id, b.options.Runs)
	members := map[string]bool{}
	for _, e := range list {
		fold.Apply(e)
		if d, is := e.Data.(*sessionevents.TurnEvaluated); is {
			members[d.Session] = true
			continue
		}
		if e.Subject == id {
			b.decided(e)
		}
	}
	if fold.Reportable() {
		b.verdict.Runs = append(b.verdict.Runs, runOf(fold.Result(), list))
	}
	return slices.Sorted(maps.Keys(members)), nil
}

// session adds a session.
func (b *builder) session(ctx context.Context, id string) error {
	list, err := decided(ctx, b.source, record.Selection{Session: id})
	if err != nil {
		return fmt.Errorf("read the session %s: %w", id, err)
	}
	fold := sessionreport.New(id, b.options.Sessions)
	lone := runreport.New(id, b.options.Runs)
	models := map[string]bool{}
	for _, e := range list {
		fold.Apply(e)
		if e.Group() == id {
			lone.Apply(e)
		}
		b.decided(e)
		if d, is := e.Data.(*sessionevents.TurnEvaluated); is && d.Observed != nil && d.Observed.Agent != nil && d.Observed.Agent.Model != "" {
			models[d.Observed.Agent.Model] = true
		}
	}
	m := fold.Result()
	if len(list) == 0 || m.Coverage.Received+m.Coverage.NotWatched == 0 && m.Session.Agent == nil {
		return fmt.Errorf("session %s: %w", id, ErrNothing)
	}
	s := sessionOf(m, models)
	if s.Transcript, err = transcript(ctx, b.source, id); err != nil {
		return err
	}
	b.verdict.Sessions = append(b.verdict.Sessions, s)
	if r := runOf(lone.Result(), list); lone.Reportable() && len(r.Breaks) > 0 {
		b.verdict.Runs = append(b.verdict.Runs, r)
	}
	b.unwatched(s)
	return nil
}

// unwatched notes what was not watched of a session.
func (b *builder) unwatched(s Session) {
	if s.Turns.NotWatched > 0 {
		b.unknown("session %s: %d turns were not watched", s.ID, s.Turns.NotWatched)
	}
	if s.Turns.NoBaseline > 0 {
		b.unknown("session %s: without an index of the codebase in %d turns, D1 and D2 could not judge", s.ID, s.Turns.NoBaseline)
	}
	if !s.Closed {
		b.unknown("session %s: it is still open; later turns are not included", s.ID)
	}
	if len(s.Agent.Models) == 0 {
		b.unknown("session %s: its model is not known", s.ID)
	}
}

// decided counts a decision under its rules and keeps what people did.
func (b *builder) decided(e events.Event) {
	if e.RulesVersion != "" {
		b.rules[Rules{Version: e.RulesVersion, Config: e.ConfigHash}]++
	}
	d, is := e.Data.(*runevents.OperatorAct)
	if !is || slices.ContainsFunc(b.verdict.Deciders, func(known Decider) bool { return known.Event == e.ID }) {
		return
	}
	b.verdict.Deciders = append(b.verdict.Deciders, Decider{Event: e.ID, Time: e.Time.UTC(), By: d.By, Act: string(d.Act), Target: d.Target})
}

// applied lists the rules, the most used first.
func (b *builder) applied() {
	for r, n := range b.rules {
		r.Decisions = n
		b.verdict.Rules = append(b.verdict.Rules, r)
	}
	slices.SortFunc(b.verdict.Rules, func(x, y Rules) int {
		return cmp.Or(cmp.Compare(y.Decisions, x.Decisions), cmp.Compare(x.Version+x.Config, y.Version+y.Config))
	})
	slices.SortFunc(b.verdict.Deciders, func(x, y Decider) int { return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Event, y.Event)) })
}

// relevant returns the heads of the partitions that hold the verdict's subjects.
func (b *builder) relevant(heads []chain.Head) []chain.Head {
	in := map[int]bool{}
	for _, r := range b.verdict.Runs {
		in[subjects.Partition(r.ID, b.verdict.Partitions)] = true
	}
	for _, s := range b.verdict.Sessions {
		in[subjects.Partition(cmp.Or(s.Run, s.ID), b.verdict.Partitions)] = true
	}
	kept := []chain.Head{}
	for _, h := range heads {
		if in[h.Partition] {
			kept = append(kept, h)
		}
	}
	return kept
}

// transcript returns the digest of a session's turns, "" if it has none.
func transcript(ctx context.Context, from record.Source, session string) (string, error) {
	all, turns := sha256.New(), 0
	of := record.Selection{Stream: events.StreamSegments, Type: sessionevents.TypeTurnSegmented, Session: session}
	err := from.Events(ctx, of, func(e record.Entry) error {
		fmt.Fprintf(all, "%x\n", sha256.Sum256(e.Raw))
		turns++
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("read the turns of %s: %w", session, err)
	}
	if turns == 0 {
		return "", nil
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// Each calls take with each event of a type in DECISIONS.
func Each(ctx context.Context, from record.Source, typ events.Type, take func(events.Event)) error {
	return from.Events(ctx, record.Selection{Stream: events.StreamDecisions, Type: typ}, func(e record.Entry) error {
		take(e.Event)
		return nil
	})
}

// decided returns the selected events of DECISIONS.
func decided(ctx context.Context, from record.Source, of record.Selection) (all []events.Event, err error) {
	of.Stream = events.StreamDecisions
	err = from.Events(ctx, of, func(e record.Entry) error {
		all = append(all, e.Event)
		return nil
	})
	return all, err
}

// Request selects what to attest.
type Request struct {
	Commits  []GitCommit
	Sessions []string
	Runs     []string
}

// GitCommit is a requested commit, with what Git knows about it if there is a repository.
type GitCommit struct {
	SHA   string
	Time  time.Time
	Files []string
	// Candidate marks a commit that was not requested by name: it counts only if one of the requested
	// sessions edited its files.
	Candidate bool
}

// Options configure how the record is read and what else is stated.
type Options struct {
	Now      time.Time
	Build    string
	Sessions *sessionreport.Settings
	Runs     *runreport.Settings
	// Heads are the checkpoints of the source that were verified.
	Heads []chain.Head
	// Excerpt means that the source holds only a part of the streams, which may end before an attested
	// head.
	Excerpt bool
	// Clean redacts text that does not come from a stream (SW-7).
	Clean func(string) string
}
