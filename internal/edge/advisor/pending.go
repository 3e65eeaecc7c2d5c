package advisor

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Pending follows what the model is being asked and can still be heard about. Whoever plays recorded sessions
// faster than agents work waits for it between two turns of a session, or the answers come too late (AD-4).
type Pending struct {
	asks  bool
	limit time.Duration

	mu         sync.Mutex
	due        *opinion.Due
	sessions   map[string]*pendingSession
	changed    chan struct{} // closed by the next decision
	unanswered int           // waits in a row that reached the limit
}

type pendingSession struct {
	evaluated int // turns
	last      time.Time
	asked     []opinion.Wish
}

// mostUnanswered is after how many unanswered waits nothing is waited for any more.
const mostUnanswered = 3

// NewPending returns a Pending that has seen no decision.
func NewPending(rules *opinion.Config, settings config.Advisor) *Pending {
	return &Pending{
		asks: settings.Configured() && slices.Contains(settings.Asks, config.AdvisorConfirm), limit: settings.Timeout,
		due: opinion.NewDue(rules, keptSessions), sessions: map[string]*pendingSession{}, changed: make(chan struct{}),
	}
}

// Take takes the next decision.
func (p *Pending) Take(e events.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.session(e.Subject)
	s.last = time.Now()
	s.ask(p.due.Take(e))
	switch d := e.Data.(type) {
	case *sessionevents.TurnEvaluated:
		s.evaluated++
	case *sessionevents.OpinionRecorded:
		p.unanswered = 0
		s.asked = slices.DeleteFunc(s.asked, func(w opinion.Wish) bool { return w.Signal == d.Signal })
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// Wait waits until so many turns of a session were evaluated and the questions about its signals are answered
// or can no longer be heard, at most as long as one question may take.
func (p *Pending) Wait(ctx context.Context, session string, turns int) error {
	limit := time.NewTimer(p.limit)
	defer limit.Stop()
	for {
		quiet, over, changed := p.look(session, turns)
		if over {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-quiet:
		case <-limit.C:
			p.mu.Lock()
			p.unanswered++
			p.mu.Unlock()
			return nil
		}
	}
}

// look reports whether nothing is to be waited for, and if not, what to look again after.
func (p *Pending) look(session string, turns int) (quiet <-chan time.Time, over bool, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.session(session)
	switch rest := settled - time.Since(s.last); {
	case !p.asks || p.unanswered >= mostUnanswered:
		return nil, true, nil
	case s.evaluated < turns:
		return nil, false, p.changed
	case rest > 0:
		return time.After(rest), false, p.changed
	}
	s.ask(p.due.SettledIn(session))
	s.asked = slices.DeleteFunc(s.asked, func(w opinion.Wish) bool { return !p.due.Still(w) })
	return nil, len(s.asked) == 0, p.changed
}

func (p *Pending) session(id string) *pendingSession {
	if p.sessions[id] == nil {
		p.sessions[id] = &pendingSession{}
	}
	return p.sessions[id]
}

// ask adds the questions about signals; the answer to another comes in time whenever it comes.
func (s *pendingSession) ask(list []opinion.Wish) {
	for _, w := range list {
		if w.Signal != "" {
			s.asked = append(s.asked, w)
		}
	}
}
