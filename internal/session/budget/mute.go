package budget

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// silences reports whether the mute covers the signal.
func (m Mute) silences(s *sessionevents.Signal, escalates bool) bool {
	switch m.Scope {
	case runevents.MuteDetector:
		return s.Detector == m.Detector && (m.Subject == "" || s.Subject == m.Subject)
	case runevents.MuteSubject:
		return s.Subject == m.Subject && (m.Detector == "" || s.Detector == m.Detector)
	default:
		return !escalates && (m.Detector == "" || s.Detector == m.Detector)
	}
}

// over reports whether the mute has expired; time is taken from the events.
func (m Mute) over(turn int, now time.Time) bool {
	return m.UntilTurn > 0 && turn > m.UntilTurn || !m.Until.IsZero() && !now.Before(m.Until)
}

func (m Mute) reason() string {
	text := "muted by " + cmp.Or(quote.Line(m.By), "unknown") + ", scope " + string(m.Scope)
	if m.Reason != "" {
		text += ": " + quote.Line(m.Reason)
	}
	return text
}

// MutesIn returns the mutes of the rules that apply only in some workspaces, and apply in this one.
func (c *Config) MutesIn(workspace string) (list []Mute) {
	for _, m := range c.Mutes {
		if m.Workspace == "" {
			continue
		}
		below, in := strings.CutPrefix(workspace, strings.TrimRight(m.Workspace, `/\`))
		if in && (below == "" || strings.ContainsAny(below[:1], `/\`)) {
			list = append(list, m)
		}
	}
	return list
}

// Muted returns the author and reason of the mute that covers a signal in a turn and at a
// time: the session's, with those of its workspace, before the ones that apply everywhere.
func (c *Config) Muted(s *sessionevents.Signal, turn int, at time.Time, session []Mute) (reason string, ok bool) {
	escalates := c.Escalates(s)
	for i, mutes := range [][]Mute{session, c.Mutes} {
		for _, m := range mutes {
			elsewhere := i > 0 && m.Workspace != "" // those that apply here are among the session's
			if !elsewhere && !m.over(turn, at) && m.silences(s, escalates) {
				return m.reason(), true
			}
		}
	}
	return "", false
}

func (w *work) muted(s *sessionevents.Signal) (reason string, ok bool) {
	return w.config.Muted(s, w.turn(), w.cause.Time, w.session.Mutes)
}

// Without returns the mutes except those of the same object, as an unmute leaves them.
func (m Mute) Without(mutes []Mute) []Mute {
	return slices.DeleteFunc(slices.Clone(mutes), func(one Mute) bool {
		return one.Scope == m.Scope && one.Detector == m.Detector && one.Subject == m.Subject
	})
}

// unmuted removes mutes.
type unmuted struct {
	silent
	mute Mute
}

func (d unmuted) evolve(s *Session) { s.Mutes = d.mute.Without(s.Mutes) }

// mutedFrom puts a mute into effect.
type mutedFrom struct {
	silent
	mute Mute
	keep int
}

func (d mutedFrom) evolve(s *Session) { s.Mutes = text.Newest(append(s.Mutes, d.mute), d.keep) }
