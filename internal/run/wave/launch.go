package wave

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// waveUnknown denies a wave whose number is invalid or beyond the bound (WP-16).
var waveUnknown = Rule{ID: "WP-16", On: run.Types(runevents.TypeWaveStarted), Run: run.With(func(c *Context, d *runevents.WaveStarted) {
	if c.wave = c.state.needWave(c.config, d.Wave); c.wave == nil {
		c.outside(runevents.GateLaunch, d.Wave)
	}
})}

// waveStartedAutonomously is WP-2.
var waveStartedAutonomously = Rule{ID: "WP-2", On: run.Types(runevents.TypeWaveStarted), Run: run.With(func(c *Context, d *runevents.WaveStarted) {
	if c.wave != nil {
		c.autonomous(d.Wave, fmt.Sprintf("wave %d was started", d.Wave))
	}
})}

// waveLaunched asks the gate launch (WP-16).
var waveLaunched = Rule{ID: "WP-16", On: run.Types(runevents.TypeWaveStarted), Run: func(c *Context) {
	if c.wave != nil {
		c.launch(c.wave, "")
		c.wave.Started = true
	}
}}

func (c *Context) launching(w *Wave, letter string) *question {
	return &question{Context: c, gate: runevents.GateLaunch, wave: w.Number, w: w, letter: letter}
}

// launch asks the gate and, if it allows, moves the run.
func (c *Context) launch(w *Wave, letter string) {
	q := c.launching(w, letter)
	r := q.ask()
	q.answer(r)
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
	c.soloScaffolds()
	w.LaunchAllowed = true
	if c.state.Phase == WaveVerified {
		c.state.Phase = WavePending
	}
	if to, ok := c.state.may(onLaunched); ok {
		c.state.Phase = to
	}
	c.state.Current = w.Number
	c.hookOverdue(w.Number)
}

// autonomous is WP-2: while an operator has to choose, nobody else may continue.
func (c *Context) autonomous(wave int, what string) {
	if !c.state.awaiting() || c.state.Trip.Rule != "WP-1" {
		return
	}
	c.autonomously(wave, what)
}

func (c *Context) autonomously(wave int, what string) {
	why := fmt.Sprintf("Wave %d waits for an operator to choose how to recover, but %s%s.", c.state.Trip.Wave, what, c.who())
	evidence := []runevents.Reference{{Event: c.Event.ID}, {Event: c.state.Trip.Event}}
	c.judge(judgement{code: codeAutonomousRecovery, wave: wave, what: why, evidence: evidence})
	c.halt(runevents.TriggerAutonomousRecovery, why, evidence)
}

// who names the actor of the current event for people, "" for infrastructure, which only
// reports.
func (c *Context) who() string {
	commit, is := c.Event.Data.(*runevents.GitCommit)
	switch {
	case is && commit.Author != "":
		return " by " + quote.Name(commit.Author)
	case c.actor.Kind == runevents.ActorInfra || c.actor.Kind == "":
		return ""
	case c.actor.Kind == runevents.ActorHuman && !c.Proven:
		return " by someone without an operator's credential"
	}
	return strings.TrimRight(" by "+string(c.actor.Kind)+" "+c.actor.ID, " ")
}
