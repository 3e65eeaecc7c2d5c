package pipeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// silenceTimer, with a session's id behind it, goes off when the session may
// have been silent beyond its TTL (PL-10).
const silenceTimer = "pipeline.silence."

// activity is what a session's timer was set at.
type activity struct {
	Count int `json:"count"`
}

func (w *watch) session(id string) *Session {
	id = short(id)
	if i := slices.IndexFunc(w.run.Sessions, func(s Session) bool { return s.ID == id }); i >= 0 {
		return &w.run.Sessions[i]
	}
	w.run.Sessions = keep(w.run.Sessions, Session{ID: id}, w.Kept.Sessions)
	return &w.run.Sessions[len(w.run.Sessions)-1]
}

// opened notes a session that begins to work.
func (w *watch) opened(d *sessionevents.SessionOpened) {
	if !w.run.On {
		return
	}
	s := w.session(d.Session)
	if d.Agent != nil {
		s.Agent = short(d.Agent.ID)
	}
	w.active(s)
}

// heard notes a turn.
func (w *watch) heard(d *sessionevents.TurnEvaluated) {
	s := w.session(d.Session)
	if o := d.Observed; o != nil {
		if len(o.FilesEdited) > 0 || o.LinesAdded+o.LinesGone > 0 {
			s.Progress = "it changed files"
		}
		if o.Agent != nil && o.Agent.ID != "" {
			s.Agent = short(o.Agent.ID)
		}
	}
	w.active(s)
}

// active is a sign of life; who finished a phase before it has given way.
func (w *watch) active(s *Session) {
	for i := range w.run.Sessions {
		if other := &w.run.Sessions[i]; other != s && other.Finished {
			other.Resting = true
		}
	}
	s.Finished = false
	w.sign(s)
}

// sign starts the clock anew. One timer a session is under way; when it goes
// off and there was activity meanwhile, it is set again.
func (w *watch) sign(s *Session) {
	s.Resting, s.Event, s.Heard = false, w.in.Event.ID, verdict.Now(w.in)
	s.Activity++
	if !s.Timed && !w.run.Over {
		w.watchSilence(s)
	}
}

func (w *watch) ttl() time.Duration { return time.Duration(w.Recovery.SessionTTLMinutes) * time.Minute }

// watchSilence sets the timer just beyond the TTL: silence of exactly the TTL is
// none.
func (w *watch) watchSilence(s *Session) {
	s.Timed = true
	w.v.Timer(silenceTimer+s.ID, verdict.At(s.Heard.Add(w.ttl()+time.Nanosecond)), activity{s.Activity})
}

// silence judges a timer: no turn since it was set is an orphan.
func (w *watch) silence(d *events.TimerExpired) {
	id, ours := strings.CutPrefix(d.Name, silenceTimer)
	if !ours || w.run == nil {
		return
	}
	i := slices.IndexFunc(w.run.Sessions, func(s Session) bool { return s.ID == id })
	var at activity
	if i < 0 || !w.run.Sessions[i].Timed || json.Unmarshal(d.Details, &at) != nil {
		return
	}
	s := &w.run.Sessions[i]
	s.Timed = false
	switch {
	case s.Resting || w.run.Over || w.waits():
	case at.Count != s.Activity:
		w.watchSilence(s)
	default:
		s.Resting = true
		w.orphaned(s)
	}
}

func (w *watch) orphaned(s *Session) {
	recommend := "discard it and begin again, since it made no progress yet"
	if s.Progress != "" {
		recommend = "resume it, since " + s.Progress
	}
	w.v.TellAbout(s.ID, runevents.TypeWarningIssued, &runevents.WarningIssued{
		Code: "SESSION-ORPHANED", Rule: "PL-10", AgentID: s.Agent,
		What:     fmt.Sprintf("Session %s is orphaned: silent for more than %d minutes. Recommendation: %s.", s.ID, w.Recovery.SessionTTLMinutes, recommend),
		Evidence: []runevents.Reference{{Event: s.Event, What: "the last that was heard of it"}},
	})
}

// closed notes a session that ended. One that was closed for its silence is silent.
func (w *watch) closed(d *sessionevents.SessionClosed) {
	if d.Reason == "idle_timeout" {
		return
	}
	w.atRest(func(s *Session) bool { return s.ID == short(d.Session) })
}

func (w *watch) atRest(which func(*Session) bool) {
	for i := range w.run.Sessions {
		if which(&w.run.Sessions[i]) {
			w.run.Sessions[i].Resting = true
		}
	}
}

// advanced notes that a phase is done: whoever worked on it has got on, and may
// be silent once another session takes over.
func (w *watch) advanced(d *runevents.PhaseCompleted) {
	progress := "it finished phase " + short(d.Phase)
	if len(d.Artifacts) > 0 {
		progress = "it handed over an artifact"
	}
	any := !slices.ContainsFunc(w.run.Sessions, func(s Session) bool { return s.by(d.Actor) })
	for i := range w.run.Sessions {
		if s := &w.run.Sessions[i]; !s.Resting && (any || s.by(d.Actor)) {
			s.Progress, s.Finished = progress, true
			w.sign(s)
		}
	}
}

func (s Session) by(actor runevents.Actor) bool { return s.Agent != "" && s.Agent == short(actor.ID) }

// Await hears, after each event, whether the run has a question to a person open
// (PL-36). Who waits for the answer is not orphaned; its clock starts anew with it.
func (c *Config) Await(s *State, in step.Input, v *verdict.Verdict, asking bool) {
	if s.Run == nil || s.Run.Asking == asking {
		return
	}
	s.Run.Asking = asking
	if asking || s.Run.Over {
		return
	}
	w := &watch{Config: c, state: s, run: s.Run, in: in, v: v}
	for i := range s.Run.Sessions {
		one := &s.Run.Sessions[i]
		if one.Resting {
			continue
		}
		one.Activity++
		if one.Heard = verdict.Now(in); !one.Timed {
			w.watchSilence(one)
		}
	}
}

// waits reports that the run is held by a gate or a question: silence is what was
// asked for.
func (w *watch) waits() bool {
	if w.run.Asking {
		return true
	}
	last := w.run.Last
	return w.run.Unsaved != nil || last != nil && last.Waived == "" && w.blocks(last)
}
