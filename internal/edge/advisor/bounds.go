package advisor

import (
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// refusal is the reason for not asking a question (AD-5).
type refusal string

// Reasons for not asking a question.
const (
	overSession refusal = "per_session"
	overHour    refusal = "per_hour"
	overDay     refusal = "per_day"
	overTokens  refusal = "tokens_per_day"
	overCost    refusal = "cost_per_day"
	broken      refusal = "circuit_open"
	queueFull   refusal = "queue_full"
	tooLate     refusal = "late"
	notFound    refusal = "not_found"
)

var refusals = []refusal{overSession, overHour, overDay, overTokens, overCost, broken, queueFull, tooLate, notFound}

// spent is a question that was asked, with its cost.
type spent struct {
	at     time.Time
	tokens int
	cost   sessionevents.Money
}

// bounds counts what is asked and decides when that is enough. A question counts, at its estimated cost,
// from the moment it is allowed, so that concurrent questions share the bounds.
type bounds struct {
	mu       sync.Mutex
	settings config.Advisor
	now      func() time.Time

	sessions map[string]int
	asked    []*spent // those of the last day, oldest first
	failures int      // consecutive
	open     time.Time
}

func newBounds(settings config.Advisor, now func() time.Time) *bounds {
	return &bounds{settings: settings, now: now, sessions: map[string]int{}}
}

// mostSessions limits the sessions that are counted; beyond it, counting starts over.
const mostSessions = 10_000

// recorded counts a question that an earlier process asked, from its event.
func (b *bounds) recorded(o *sessionevents.OpinionRecorded, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sessions[o.Session]++
	if b.now().Sub(at) < day {
		b.asked = append(b.asked, &spent{at: at, tokens: o.Tokens.In + o.Tokens.Out, cost: o.Cost})
	}
}

const day = 24 * time.Hour

// allow counts a question, or returns why it must not be asked.
func (b *bounds) allow(session string, tokens int, cost sessionevents.Money) (*spent, refusal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if refused := b.refuses(now, session, tokens, cost); refused != "" {
		return nil, refused
	}
	if len(b.sessions) >= mostSessions {
		b.sessions = map[string]int{}
	}
	b.sessions[session]++
	s := &spent{at: now, tokens: tokens, cost: cost}
	b.asked = append(b.asked, s)
	return s, ""
}

// reached returns why no question about a session would be asked now, however short it is. Callers ask
// before reading the record of a session, which costs more than everything else the advisor does.
func (b *bounds) reached(session string) refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refuses(b.now(), session, 0, 0)
}

func (b *bounds) refuses(now time.Time, session string, tokens int, cost sessionevents.Money) refusal {
	for len(b.asked) > 0 && now.Sub(b.asked[0].at) >= day {
		b.asked = b.asked[1:]
	}
	hour, used, paid := 0, tokens, cost
	for _, s := range b.asked {
		if now.Sub(s.at) < time.Hour {
			hour++
		}
		used, paid = used+s.tokens, paid+s.cost
	}
	c := b.settings
	switch {
	case now.Before(b.open):
		return broken
	case b.sessions[session] >= c.PerSession:
		return overSession
	case hour >= c.PerHour:
		return overHour
	case len(b.asked) >= c.PerDay:
		return overDay
	case used > c.TokensPerDay:
		return overTokens
	case c.CostPerDay > 0 && paid > sessionevents.MoneyOf(c.CostPerDay):
		return overCost
	}
	return ""
}

// settle replaces the estimate by the actual cost of a question. After an error the estimate stays: a
// provider may charge for an answer that did not arrive.
func (b *bounds) settle(s *spent, tokens int, cost sessionevents.Money, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		s.tokens, s.cost, b.failures = tokens, cost, 0
		return
	}
	if b.failures++; b.failures >= b.settings.BreakAfter {
		b.open, b.failures = b.now().Add(b.settings.BreakFor), 0
	}
}

// paused reports whether questions are suspended after too many consecutive failures.
func (b *bounds) paused() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now().Before(b.open)
}
