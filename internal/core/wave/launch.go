package wave

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// waveStarted asks for the gate launch.
func (a *act) waveStarted(d *events.WaveStarted) {
	w := a.s.needWave(a.c, d.Wave)
	if w == nil {
		a.outside(events.GateLaunch, d.Wave)
		return
	}
	a.autonomous(d.Wave, fmt.Sprintf("wave %d was started", d.Wave))
	a.launch(w, "")
	w.Started = true
}

// launch asks for the gate and, when it opens, moves the run.
func (a *act) launch(w *Wave, letter string) {
	q := question{gate: events.GateLaunch, wave: w.Number, w: w, letter: letter, asker: string(a.event.Type)}
	r := a.ask(q)
	a.tell(q, r)
	if !r.allows() {
		if !w.LaunchAllowed {
			w.LaunchDenied = r.decided.Rule
		}
		return
	}
	w.LaunchDenied = ""
	if w.LaunchAllowed {
		return
	}
	a.soloScaffolds()
	w.LaunchAllowed = true
	if a.s.Phase == WaveVerified {
		a.s.Phase = WavePending
	}
	if to, ok := a.s.may(onLaunched); ok {
		a.s.Phase = to
	}
	a.s.Current = w.Number
	a.hookOverdue(w.Number)
}

// autonomous is WP-2: while an operator has to choose, nobody else goes on.
func (a *act) autonomous(wave int, what string) {
	if !a.s.awaiting() || a.s.Trip.Rule != "WP-1" {
		return
	}
	a.autonomously(wave, what)
}

func (a *act) autonomously(wave int, what string) {
	waits := 0
	var evidence []events.Reference
	if a.s.Trip != nil {
		waits = a.s.Trip.Wave
		evidence = []events.Reference{{Event: a.s.Trip.Event}}
	}
	why := fmt.Sprintf("Wave %d waits for an operator to choose how to recover, but %s by %s.", waits, what, a.who())
	a.judge(judgement{code: codeAutonomousRecovery, wave: wave, what: why, evidence: append([]events.Reference{{Event: a.event.ID}}, evidence...)})
	a.halt(events.TriggerAutonomousRecovery, why, append([]events.Reference{{Event: a.event.ID}}, evidence...))
}

// who names the actor of the event at hand for people.
func (a *act) who() string {
	kind := orElse(string(a.actor.Kind), "an unknown actor")
	if commit, is := a.event.Data.(*events.GitCommit); is {
		return orElse(commit.Author, kind)
	}
	switch {
	case a.actor.Kind == events.ActorHuman && !a.fact:
		return "someone without an operator's credential"
	case a.actor.ID != "":
		return kind + " " + a.actor.ID
	}
	return "the " + kind
}
