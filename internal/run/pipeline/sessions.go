package pipeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// silenceTimer is the prefix of the timer that expires when a session may have been
// silent beyond its TTL (PL-10); the session's id follows it.
const silenceTimer = "pipeline.silence."

// activity is the detail of a timer: the activity it was set at.
type activity struct {
	Count int `json:"count"`
}

func (c *Context) session(id string) *Session {
	id = short(id)
	if i := slices.IndexFunc(c.run.Sessions, func(s Session) bool { return s.ID == id }); i >= 0 {
		return &c.run.Sessions[i]
	}
	c.run.Sessions = text.Newest(append(c.run.Sessions, Session{ID: id}), c.config.Kept.Sessions)
	return &c.run.Sessions[len(c.run.Sessions)-1]
}

// sessionOpened folds a session that begins to work (PL-10).
var sessionOpened = Rule{ID: "PL-10", Folds: true, On: run.Types(sessionevents.TypeSessionOpened), Run: run.With(func(c *Context, d *sessionevents.SessionOpened) {
	if !c.run.On {
		return
	}
	s := c.session(d.Session)
	if d.Agent != nil {
		s.Agent = short(d.Agent.ID)
	}
	worker{c, s}.active()
})}

// sessionActive folds a turn, a sign of life (PL-10).
var sessionActive = Rule{ID: "PL-10", Folds: true, On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context, d *sessionevents.TurnEvaluated) {
	s := c.session(d.Session)
	if o := d.Observed; o != nil {
		if len(o.FilesEdited) > 0 || o.LinesAdded+o.LinesGone > 0 {
			s.Progress = "it changed files"
		}
		if o.Agent != nil && o.Agent.ID != "" {
			s.Agent = short(o.Agent.ID)
		}
	}
	worker{c, s}.active()
})}

// worker is a session of the run whose silence is watched (PL-10).
type worker struct {
	*Context
	session *Session
}

// active folds a sign of life. Other sessions that finished a phase give way.
func (w worker) active() {
	for i := range w.run.Sessions {
		if other := &w.run.Sessions[i]; other != w.session && other.Finished {
			other.Resting = true
		}
	}
	w.session.Finished = false
	w.sign()
}

// sign restarts the clock of the session. Each session has one timer; if it expires
// after later activity it is set again.
func (w worker) sign() {
	s := w.session
	s.Resting, s.Event, s.LastSeen = false, w.Event.ID, w.Now()
	s.Activity++
	if !s.Timed && !w.run.Over {
		w.watchSilence()
	}
}

func (r *Recovery) ttl() time.Duration {
	return time.Duration(r.SessionTTLMinutes) * time.Minute
}

// watchSilence sets the timer just beyond the TTL: silence of exactly the TTL does
// not count.
func (w worker) watchSilence() {
	s := w.session
	s.Timed = true
	w.SetTimer(silenceTimer+s.ID, s.LastSeen.Add(w.config.Recovery.ttl()+time.Nanosecond), activity{s.Activity})
}

// sessionSilent is PL-10: a session without a turn since its timer was set is
// orphaned.
var sessionSilent = Rule{ID: "PL-10", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, d *events.TimerExpired) {
	id, ours := strings.CutPrefix(d.Name, silenceTimer)
	if !ours || c.run == nil {
		return
	}
	i := slices.IndexFunc(c.run.Sessions, func(s Session) bool { return s.ID == id })
	var at activity
	if i < 0 || !c.run.Sessions[i].Timed || json.Unmarshal(d.Details, &at) != nil {
		return
	}
	s := &c.run.Sessions[i]
	s.Timed = false
	switch {
	case s.Resting || c.run.Over || c.waits():
	case at.Count != s.Activity:
		worker{c, s}.watchSilence()
	default:
		s.Resting = true
		worker{c, s}.orphaned()
	}
})}

func (w worker) orphaned() {
	s := w.session
	recommend := "discard it and begin again, since it made no progress yet"
	if s.Progress != "" {
		recommend = "resume it, since " + s.Progress
	}
	w.ConcludeAbout(s.ID, runevents.TypeWarningIssued, &runevents.WarningIssued{
		Code: "SESSION-ORPHANED", Rule: "PL-10", AgentID: s.Agent,
		What:     fmt.Sprintf("Session %s is orphaned: silent for more than %d minutes. Recommendation: %s.", s.ID, w.config.Recovery.SessionTTLMinutes, recommend),
		Evidence: []runevents.Reference{{Event: s.Event, What: "the last that was heard of it"}},
	})
}

// sessionClosed folds the end of a session (PL-10). A session that was closed for
// its silence is silent.
var sessionClosed = Rule{ID: "PL-10", Folds: true, On: run.Types(sessionevents.TypeSessionClosed), Run: run.With(func(c *Context, d *sessionevents.SessionClosed) {
	if d.Reason == "idle_timeout" {
		return
	}
	c.run.atRest(func(s *Session) bool { return s.ID == short(d.Session) })
})}

func (r *Run) atRest(which func(*Session) bool) {
	for i := range r.Sessions {
		if which(&r.Sessions[i]) {
			r.Sessions[i].Resting = true
		}
	}
}

// sessionsAdvanced folds the end of a phase (PL-10): the sessions that worked on it
// made progress and may be silent once another session takes over.
var sessionsAdvanced = Rule{ID: "PL-10", Folds: true, On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, d *runevents.PhaseCompleted) {
	progress := "it finished phase " + short(d.Phase)
	if len(d.Artifacts) > 0 {
		progress = "it handed over an artifact"
	}
	any := !slices.ContainsFunc(c.run.Sessions, func(s Session) bool { return s.by(d.Actor) })
	for i := range c.run.Sessions {
		if s := &c.run.Sessions[i]; !s.Resting && (any || s.by(d.Actor)) {
			s.Progress, s.Finished = progress, true
			worker{c, s}.sign()
		}
	}
})}

func (s Session) by(actor runevents.Actor) bool { return s.Agent != "" && s.Agent == short(actor.ID) }

// Wait folds, after the layer of intent, whether the run has an open question to a
// person (PL-36). A session that waits for the answer is not orphaned; the answer
// restarts its clock.
func (c *Config) Wait(s *State, event *run.Context) {
	if s.Run == nil || s.Run.Asking == event.Asking {
		return
	}
	s.Run.Asking = event.Asking
	if event.Asking || s.Run.Over {
		return
	}
	in := &Context{report: report{event}, config: c, state: s, run: s.Run}
	for i := range s.Run.Sessions {
		one := &s.Run.Sessions[i]
		if one.Resting {
			continue
		}
		one.Activity++
		if one.LastSeen = event.Now(); !one.Timed {
			worker{in, one}.watchSilence()
		}
	}
}

// waits reports whether a gate or a question holds the run, so that silence is
// expected.
func (c *Context) waits() bool {
	if c.run.Asking {
		return true
	}
	last := c.run.Last
	return c.run.Unsaved != nil || last != nil && last.Waived == "" && c.blocks(last)
}
