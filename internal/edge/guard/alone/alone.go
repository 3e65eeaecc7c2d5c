// Package alone is the guard of a hook while no system is running (GD-20): it judges a tool call from Git's
// state with the same code, keeps a snapshot, and puts its decisions into a spool that the system takes
// over when it runs again.
//
// A hook is a new process for each call. What the next one needs is kept in a small file per session:
// hashes of the files that were changed before the session and of those that it wrote, no text (SW-7).
package alone

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/secured"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/once"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Guard answers the hooks of sessions while no system is running. Folder holds what the next hook needs and
// what the system takes over later; "" keeps nothing.
type Guard struct {
	Folder string
	// Patience limits how long Git and a snapshot may take; 0 means the default.
	Patience time.Duration
	// Now returns the time; nil means the system clock.
	Now func() time.Time
	// Record receives the decisions; nil puts them into the spool, which the system takes over later.
	Record func(events.Event) error
	// Checker judges calls; nil means that one is built from the embedded rules when a call needs it.
	Checker *preflight.Checker
}

// SpoolOf returns the spool in the hooks' folder.
func SpoolOf(folder string) Spool { return Spool{filepath.Join(folder, "decided")} }

func (g Guard) store() store { return store{filepath.Join(g.Folder, "sessions")} }

func (g Guard) now() time.Time {
	if g.Now != nil {
		return g.Now()
	}
	return time.Now()
}

func (g Guard) record(event events.Event) error {
	if g.Record != nil {
		return g.Record(event)
	}
	return SpoolOf(g.Folder).Put(event)
}

// Judge is Hook for a system that runs where it cannot see the workspace: recording the decisions is left
// to that system (GD-20).
func (g Guard) Judge(e *hook.Event, begins bool) (wire.Judged, error) {
	var judged wire.Judged
	g.Record = func(event events.Event) error {
		judged.Decided, _ = event.Data.(*sessionevents.GuardDecided)
		return nil
	}
	r, err := g.Hook(e, begins)
	judged.Deny, judged.Context, judged.Person = r.Deny, r.Context, r.Person
	return judged, err
}

// Hook answers one hook; begins means that the session begins with it. An empty reply permits the call. The
// error is about what could not be stored; the reply is valid all the same.
func (g Guard) Hook(e *hook.Event, begins bool) (hook.Reply, error) {
	m := g.store().read(e.Session)
	if m.Workspace == "" && e.Workspace != "" {
		return g.meet(m, e, begins)
	}
	if word := once.Word(e.Said()); word != "" && e.Speaker == e.Session {
		said := secured.Lifted(word, m.Denied.Allow(word, secured.AtThePrompt, g.now()))
		return hook.Reply{Context: said, Person: said}, g.store().write(m, g.now())
	}
	if e.Point == hook.PointBeforeTool && m.Denied.Says(string(e.Tool.Input), g.now()) {
		return g.judged(m, e)
	}
	if e.Point != hook.PointBeforeTool || !m.asks(e) {
		return hook.Reply{}, nil
	}
	return g.judged(m, e)
}

// asks reports whether a call has to be judged: it may destroy something, or runs a program that the
// session wrote.
func (m *memory) asks(e *hook.Event) bool {
	h := shippedHints(e.Workspace)
	h.wrote = func(name string) bool {
		if name = filepath.ToSlash(name); !filepath.IsAbs(name) {
			name = filepath.ToSlash(filepath.Join(e.Workspace, name))
		}
		return slices.Contains(m.Wrote, hash(filepath.Clean(name)))
	}
	return mayDestroy(h, e.Tool.Input)
}

// beginPatience is how long Git may take when a session begins, which nobody waits for as for a call: without
// its answer, everything uncommitted is of an unknown author for the whole session.
const beginPatience = 2 * time.Second

// meet inspects the worktree of a new session before the session writes anything.
func (g Guard) meet(m memory, e *hook.Event, begins bool) (hook.Reply, error) {
	m.Workspace = e.Workspace
	if begins && e.Point != hook.PointBeforeTool {
		ctx, cancel := context.WithTimeout(context.Background(), max(g.Patience, beginPatience))
		defer cancel()
		files, err := uncommitted.New().Changed(ctx, e.Workspace)
		m.Seen = err == nil && len(files) <= maxHashes
		for i := range files {
			m.Before = append(m.Before, hash(files[i].Path))
		}
	}
	if e.Point == hook.PointBeforeTool && m.asks(e) {
		return g.judged(m, e)
	}
	g.store().tidy(g.now())
	return hook.Reply{}, g.store().write(m, g.now())
}

// judged answers a call that may destroy something.
func (g Guard) judged(m memory, e *hook.Event) (hook.Reply, error) {
	now := g.now()
	desk := uncommitted.New()
	desk.Patience, desk.Once = max(g.Patience, desk.Patience), true
	checker := g.Checker
	var failed error
	var both sync.WaitGroup
	if checker == nil {
		both.Go(func() { checker, failed = NewChecker(rules.Default()) })
	}
	both.Go(func() { g.recall(desk, &m, now) })
	both.Wait()
	if failed != nil {
		return hook.Reply{}, failed
	}
	facts := desk.Facts(e.Session, e.Workspace, checker.Precious)
	defer facts.Close()
	call := preflight.Call{
		Session: e.Speaker, Name: e.Tool.Name, Input: e.Tool.Input, Directory: e.Workspace, Workspace: desk.Workspace(e.Session, e.Workspace),
		At: now, Facts: facts,
	}
	keeper := secured.Keeper{Session: e.Speaker, Turn: m.Calls, Began: now, Patience: g.Patience}
	answer, ref := secured.Check(checker, &call, e.Session, func(do func(*once.Pending)) { do(&m.Denied) }, &keeper)
	decided := checker.Decided(&call, &answer)
	if answer.Decision != preflight.Deny {
		m.remember(e.Workspace, answer.Writes)
	}
	m.Calls++
	err := g.store().write(m, now)
	if decided != nil {
		decided.Call, decided.Agent, decided.RescueRef, decided.Alone = e.Tool.ID, e.Dialect.Agent, ref, true
		event := wire.GuardEvent(decided, e.Session, now.Format(time.RFC3339Nano))
		event.Time = now.UTC()
		if failure := g.record(event); err == nil {
			err = failure
		}
	}
	return reply(&answer), err
}

// remember records files that the session writes.
func (m *memory) remember(folder string, files []string) {
	for _, f := range files {
		if f = filepath.ToSlash(f); !filepath.IsAbs(f) {
			f = filepath.ToSlash(filepath.Join(folder, f))
		}
		if one := hash(filepath.Clean(f)); !slices.Contains(m.Wrote, one) {
			m.Wrote = append(m.Wrote, one)
		}
	}
}

// recall passes to the desk what the memories hold about the files that are changed now.
func (g Guard) recall(desk *uncommitted.Desk, m *memory, now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), desk.Patience)
	defer cancel()
	files, err := desk.Changed(ctx, m.Workspace)
	if err != nil {
		files = nil // the facts give the reason
	}
	known := []uncommitted.Known{m.known()}
	for _, other := range g.store().others(m.Session, m.Workspace, now) {
		known = append(known, other.known())
	}
	desk.Recall(files, known...)
}

func (m *memory) known() uncommitted.Known {
	set := func(list []string) func(string) bool {
		all := make(map[string]bool, len(list))
		for _, h := range list {
			all[h] = true
		}
		return func(path string) bool { return all[hash(path)] }
	}
	return uncommitted.Known{Session: m.Session, Workspace: m.Workspace, Seen: m.Seen, Before: set(m.Before), Wrote: set(m.Wrote)}
}

// reply returns an answer in the form that the agent receives.
func reply(answer *preflight.Answer) (r hook.Reply) {
	switch answer.Decision {
	case preflight.Deny:
		r.Deny = answer.Text
		r.Person = answer.Text
	case preflight.Warn:
		r.Context = answer.Text
		if answer.Class == preflight.ClassDestructive {
			r.Person = answer.Text
		}
	}
	return r
}

// NewChecker returns the judge without the detectors: only a running system judges what is about to be
// written.
func NewChecker(set *rules.Set) (*preflight.Checker, error) {
	var segmenter *segment.Segmenter
	var redactor *redact.Redactor
	var judge *guard.Judge
	var first, second, third error
	var both sync.WaitGroup
	both.Go(func() { judge, third = guard.New(set) })
	both.Go(func() { segmenter, first = segment.New(set, nil) })
	both.Go(func() {
		config, err := secrets.LoadConfig(set)
		if err != nil {
			second = err
			return
		}
		scanner, err := secrets.New(config, []byte(fingerprint.ScanKey))
		if second = err; err == nil {
			redactor = redact.New(scanner, config.PathKeys)
		}
	})
	both.Wait()
	if err := errors.Join(first, second, third); err != nil {
		return nil, fmt.Errorf("load the guard: %w", err)
	}
	return preflight.New(preflight.Options{Rules: set, Redactor: redactor, Segmenter: segmenter, Judge: judge})
}

// Lift lets a denied call run once after a person named its word in a command. It returns the session of
// the call, "" if no hook that decided alone recently denied one with this word. Meant is called before
// anything is lifted; its error is returned.
func (g Guard) Lift(word, by string, meant func() error) (session string, err error) {
	now := g.now()
	for _, file := range g.store().recent(now, once.Holds) {
		data, err := os.ReadFile(file) //nolint:gosec // in our own folder
		var m memory
		if err != nil || json.Unmarshal(data, &m) != nil || !m.Denied.Allow(word, sessionevents.GuardPermission{How: sessionevents.GuardCommand, By: by}, now) {
			continue
		}
		if err := meant(); err != nil {
			return "", err
		}
		return m.Session, g.store().write(m, now)
	}
	return "", nil
}
