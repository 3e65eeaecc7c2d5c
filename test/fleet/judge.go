// Package fleet holds what was decided about made-up runs against what is wrong
// with them: each break once, each shadow corrected, and not a word about a
// healthy run ("the detection engine exists to make silence meaningful").
package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/offline"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// Play feeds a case into a chain. An obedient harness stops where its run is
// halted; fed is what it sent until then.
func Play(chain *offline.Chain, c workload.Case, obedient bool) (fed, decided []events.Event) {
	halted := map[string]bool{}
	for _, e := range c.Events {
		e.PartitionKey = e.Group()
		if obedient && halted[e.Group()] {
			continue
		}
		fed = append(fed, e)
		for _, d := range chain.Feed(e) {
			decided = append(decided, d)
			if change, is := d.Data.(*events.ControlChanged); is && d.Subject == d.Group() {
				halted[d.Subject] = change.State == events.ControlHalted
			}
		}
	}
	return fed, decided
}

// said is what a fleet's owner would hear of a case.
type said struct {
	breaks, issues, violations []string
	states                     map[string]events.ControlState // of runs, the last
	other                      []string                       // that nobody of a healthy run may hear
	ignored                    int
}

func listen(decided []events.Event) said {
	s := said{states: map[string]events.ControlState{}}
	for _, e := range decided {
		switch d := e.Data.(type) {
		case *events.WiggumBreak:
			s.breaks = append(s.breaks, string(d.Kind)+" "+string(d.Trigger))
		case *events.CorrectionIssued:
			if d.Step == 1 {
				s.issues = append(s.issues, string(d.Layer)+" "+d.Issue)
			}
		case *events.ControlChanged:
			if e.Subject == e.Group() {
				s.states[e.Subject] = d.State
			}
		case *events.HaltIgnored:
			s.ignored++
		case *events.EscalationRaised:
			s.other = append(s.other, fmt.Sprintf("escalation %s: %s", d.Issue, d.Text))
		case *events.ViolationDetected:
			s.violations = append(s.violations, d.Code)
		case *events.WarningIssued:
			s.other = append(s.other, "warning "+d.Code)
		case *events.InterruptFired:
			if d.Layer == "" || d.Layer == events.LayerSession {
				s.other = append(s.other, "interrupt "+d.Headline)
			}
		case *events.GateDecided:
			if d.Decision != events.DecisionAllow {
				s.other = append(s.other, "gate "+d.Gate+" "+d.Decision)
			}
		}
	}
	slices.Sort(s.issues)
	slices.Sort(s.violations)
	return s
}

// Judge names what is wrong with the decisions about a case. Of a run whose
// harness goes on after a halt only the breaks are judged, and that it is told of.
func Judge(c workload.Case, decided []events.Event, obedient bool) []string {
	s := listen(decided)
	var wrong []string
	note := func(format string, args ...any) {
		wrong = append(wrong, c.Name+": "+fmt.Sprintf(format, args...))
	}
	var breaks []string
	if c.Break != "" {
		breaks = strings.Split(c.Break, ", ")
	}
	if obedient && len(breaks) > 1 {
		breaks = breaks[:1] // who obeys does nothing against the halt
	}
	if !slices.Equal(s.breaks, breaks) {
		note("breaks %q, wanted %q", s.breaks, breaks)
	}
	if (obedient || c.Break == "") && !slices.Equal(s.issues, c.Issues) {
		note("corrected %q, wanted %q", s.issues, c.Issues)
	}
	if c.Break == "" && !slices.Equal(s.violations, c.Violations) {
		note("violations %q, wanted %q", s.violations, c.Violations)
	}
	if healthy := c.Break == "" && len(c.Violations) == 0; healthy && len(s.other) > 0 {
		note("it is also said: %q", s.other)
	}
	for i, run := range c.Runs() {
		broken := c.Break != "" && i == len(c.Runs())-1
		if state := s.states[run]; broken != (state == events.ControlHalted) || state == "" {
			note("%s is %q in the end", run, state)
		}
	}
	if obedient && s.ignored > 0 {
		note("%d halts are said to be ignored", s.ignored)
	}
	return wrong
}
