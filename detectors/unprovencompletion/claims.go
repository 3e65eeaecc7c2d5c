package unprovencompletion

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// order is the kind of claim that is named first among equally unproven ones.
var order = []sessionevents.ClaimKind{
	sessionevents.ClaimCommitted, sessionevents.ClaimPushed, sessionevents.ClaimPullRequest, sessionevents.ClaimTagged, sessionevents.ClaimApplied,
	sessionevents.ClaimInstalled, sessionevents.ClaimCreated, sessionevents.ClaimDeleted, sessionevents.ClaimMoved, sessionevents.ClaimVariable,
	sessionevents.ClaimEndpoint, sessionevents.ClaimTests, sessionevents.ClaimBuild, sessionevents.ClaimWorks, sessionevents.ClaimDeployed, sessionevents.ClaimTodo,
	sessionevents.ClaimExcuse, sessionevents.ClaimDone, sessionevents.ClaimLint, sessionevents.ClaimCause,
}

// worst returns the claim of the turn to report, nil for none.
func (d *instance) worst(p *detect.Pass, m *memory) *sessionevents.Claim {
	var best *sessionevents.Claim
	for i := range p.Ledger.Claims {
		c := &p.Ledger.Claims[i]
		if !d.counts(p, m, c) {
			continue
		}
		if best == nil || rank(d, p, c) > rank(d, p, best) {
			best = c
		}
	}
	return best
}

func rank(d *instance, p *detect.Pass, c *sessionevents.Claim) int {
	n := len(order) - slices.Index(order, c.Kind)
	if !d.logOnly(p, c) {
		n += 100
	}
	if c.Verdict == sessionevents.Contradicted {
		n += 50
	}
	return n
}

// counts reports whether a claim is reported at all: it is not proven, was not reported
// before, and neither the primary nor the person explains it.
func (d *instance) counts(p *detect.Pass, m *memory, c *sessionevents.Claim) bool {
	switch {
	case c.Verdict != sessionevents.Contradicted && c.Verdict != sessionevents.Unproven:
		return false
	case p.Ledger.Hedged || p.Ledger.After.NoChecks:
		return false
	case c.Kind == sessionevents.ClaimLint && c.Verdict != sessionevents.Contradicted && c.Gap != ledger.GapUnchanged:
		return false
	}
	return !m.said(c, p)
}

// logOnly reports whether a claim is only logged: it is about a step in the middle of the
// work, or nothing in the workspace could prove it.
func (d *instance) logOnly(p *detect.Pass, c *sessionevents.Claim) bool {
	switch {
	case c.Kind == sessionevents.ClaimTodo:
		return false
	case c.Kind == sessionevents.ClaimExcuse:
		return false
	case c.Kind == sessionevents.ClaimCause:
		return !d.config.Sure.MatchString(c.Text)
	case !c.Final:
		return true
	}
	l := p.Ledger.After
	if c.Gap == ledger.GapNever && len(l.Files) == 0 {
		return true // nothing changed here, so it is about earlier work
	}
	return c.Gap != ledger.GapUntried && len(l.Checks) == 0 && l.Runner == 0 && !l.Shell
}

// memory holds what was reported: a claim of a kind is reported again only after another
// change and another message of the person.
type memory struct {
	Said []said `json:"said,omitempty"`
	// Concealed is the sentence of a concealment that was reported when it was planned.
	Concealed string `json:"concealed,omitempty"`
	// Dropped are entries removed from the primary's list before they were done, not
	// reported yet.
	Dropped []string `json:"dropped,omitempty"`
}

type said struct {
	Kind    sessionevents.ClaimKind `json:"k"`
	Gap     string                  `json:"g,omitempty"`
	Turn    int                     `json:"t"`
	Text    string                  `json:"x,omitempty"`
	Verdict sessionevents.Verdict   `json:"v"`
	Logged  bool                    `json:"l,omitempty"`
}

func (m *memory) said(c *sessionevents.Claim, p *detect.Pass) bool {
	l := p.Ledger.After
	changed, _ := l.Changed(ledger.Place{}, sessionevents.MutationCode, sessionevents.MutationTests, sessionevents.MutationSettings)
	return slices.ContainsFunc(m.Said, func(s said) bool {
		if c.Kind == sessionevents.ClaimTodo || s.Kind == sessionevents.ClaimTodo {
			return s.Kind == c.Kind && s.Text == c.Text
		}
		if omits(c.Gap) || omits(s.Gap) {
			return s.Gap == c.Gap && s.Text == c.Why
		}
		if s.Logged && c.Final {
			return false
		}
		if c.Kind == sessionevents.ClaimCause && s.Kind == c.Kind && p.Turn.Turn-s.Turn > 8 {
			return false // another cause
		}
		fresh := changed.Turn > s.Turn && l.Asked.Turn > s.Turn
		return !fresh && (s.Kind == c.Kind || s.Gap == c.Gap) && (s.Verdict == c.Verdict || s.Verdict == sessionevents.Contradicted)
	})
}

// omits reports whether a gap is a single promise left out, each of which is reported
// once.
func omits(gap string) bool {
	return gap == ledger.GapUnwritten || gap == ledger.GapIgnored || gap == ledger.GapUnused
}

func (m *memory) note(c *sessionevents.Claim, p *detect.Pass, most int) {
	s := said{Kind: c.Kind, Gap: c.Gap, Turn: p.Turn.Turn, Verdict: c.Verdict, Logged: !c.Final}
	if c.Kind == sessionevents.ClaimTodo {
		s.Text, s.Logged = c.Text, false
	} else if omits(c.Gap) {
		s.Text = c.Why
	}
	m.Said = text.Newest(append(m.Said, s), most)
}
