package wave

import (
	"fmt"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// waveStarted asks for the gate launch.
func (a *act) waveStarted(d *runevents.WaveStarted) {
	w := a.s.needWave(a.c, d.Wave)
	if w == nil {
		a.outside(runevents.GateLaunch, d.Wave)
		return
	}
	a.autonomous(d.Wave, fmt.Sprintf("wave %d was started", d.Wave))
	a.launch(w, "")
	w.Started = true
}

func launching(w *Wave, letter string) question {
	return question{gate: runevents.GateLaunch, wave: w.Number, w: w, letter: letter}
}

// launch asks for the gate and, when it opens, moves the run.
func (a *act) launch(w *Wave, letter string) {
	q := launching(w, letter)
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
	why := fmt.Sprintf("Wave %d waits for an operator to choose how to recover, but %s%s.", a.s.Trip.Wave, what, a.who())
	evidence := []runevents.Reference{{Event: a.event.ID}, {Event: a.s.Trip.Event}}
	a.judge(judgement{code: codeAutonomousRecovery, wave: wave, what: why, evidence: evidence})
	a.halt(runevents.TriggerAutonomousRecovery, why, evidence)
}

// who names the actor of the event at hand for people; what infrastructure only
// reports is not its doing.
func (a *act) who() string {
	commit, is := a.event.Data.(*runevents.GitCommit)
	switch {
	case is && commit.Author != "":
		return " by " + short(commit.Author, quoted)
	case a.actor.Kind == runevents.ActorInfra || a.actor.Kind == "":
		return ""
	case a.actor.Kind == runevents.ActorHuman && !a.fact:
		return " by someone without an operator's credential"
	}
	return strings.TrimRight(" by "+string(a.actor.Kind)+" "+a.actor.ID, " ")
}
