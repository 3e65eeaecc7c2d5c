package settle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// explained has rule data about one trigger.
func explained(about settle.Break) *settled {
	s := begin()
	s.config.Breaks["x"] = about
	s.config.Present = settle.Present{Best: "Best: {result}.", Approach: "Another approach."}
	return s
}

// RW-32: a break of a run says its cause, what to present and what can be chosen;
// its report says the same.
func TestWhatABreakExplains(t *testing.T) {
	for name, test := range map[string]struct {
		about   settle.Break
		stopped runevents.WiggumBreak
		reason  string
		present string
		options []runevents.Option
		text    string
	}{
		"nothing known":        {settle.Break{}, runevents.WiggumBreak{}, "why", "", nil, "why."},
		"a cause":              {settle.Break{Cause: "Because."}, runevents.WiggumBreak{}, "why. Because.", "", nil, "why. Because."},
		"the best result":      {settle.Break{Present: "best"}, runevents.WiggumBreak{}, "why", "Best: .", nil, "why. Best: ."},
		"an approach":          {settle.Break{Present: "approach"}, runevents.WiggumBreak{}, "why", "Another approach.", nil, "why. Another approach."},
		"none":                 {settle.Break{Present: "none"}, runevents.WiggumBreak{}, "why", "", nil, "why."},
		"its own":              {settle.Break{Present: "best"}, runevents.WiggumBreak{Present: "Look"}, "why", "Look", nil, "why. Look."},
		"its own with reason":  {settle.Break{}, runevents.WiggumBreak{Present: "See why it is"}, "why", "See why it is", nil, "See why it is."},
		"options":              {settle.Break{Options: []settle.Option{{ID: "1", Text: "a", Tradeoff: "b"}}}, runevents.WiggumBreak{}, "why", "", []runevents.Option{{ID: "1", Text: "a", Tradeoff: "b"}}, "why."},
		"the layer's option 1": {settle.Break{Options: []settle.Option{{ID: "1"}, {ID: "2"}}}, runevents.WiggumBreak{Options: []runevents.Option{{ID: "1", Text: "own"}}}, "why", "", []runevents.Option{{ID: "1", Text: "own"}, {ID: "2"}}, "why."},
	} {
		t.Run(name, func(t *testing.T) {
			s := explained(test.about)
			request := test.stopped
			request.Kind, request.Trigger, request.Reason = runevents.BreakHard, "x", "why"
			out := s.phase(func(c *run.Context) { c.RequestBreak(request) })
			broken := first[runevents.WiggumBreak](t, out)
			require.Equal(t, test.reason, broken.Reason)
			require.Equal(t, test.present, broken.Present)
			require.Equal(t, test.options, broken.Options)
			raised := first[runevents.EscalationRaised](t, out)
			require.Equal(t, runevents.EscalationRaised{Issue: "break/x", To: "user", Run: "r", Text: test.text, Options: test.options}, raised)
		})
	}
}

// RW-41: an escalation with options of the break's layer, of the same event, is its
// report, whichever comes first; others stand beside it.
func TestTheLayersOwnReport(t *testing.T) {
	breaks := func(c *run.Context) {
		c.RequestBreak(runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: "x", Reason: "why"})
	}
	raises := func(layer sessionevents.Layer, options ...runevents.Option) func(*run.Context) {
		return func(c *run.Context) {
			c.Escalate(runevents.EscalationRaised{Layer: layer, Issue: "own", Options: options})
		}
	}
	one := runevents.Option{ID: "1"}
	for name, test := range map[string]struct {
		order []func(*run.Context)
		want  []string
	}{
		"before":             {[]func(*run.Context){raises("wave", one), breaks}, []string{"own"}},
		"after":              {[]func(*run.Context){breaks, raises("wave", one)}, []string{"own"}},
		"of another layer":   {[]func(*run.Context){breaks, raises("pipeline", one)}, []string{"break/x", "own"}},
		"without options":    {[]func(*run.Context){breaks, raises("wave")}, []string{"break/x", "own"}},
		"none":               {[]func(*run.Context){breaks}, []string{"break/x"}},
		"another one before": {[]func(*run.Context){raises("pipeline", one), breaks}, []string{"own", "break/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := explained(settle.Break{Layer: "wave"})
			var issues []string
			out := s.phase(func(c *run.Context) {
				for _, conclude := range test.order {
					conclude(c)
				}
			})
			for _, raised := range all[runevents.EscalationRaised](out) {
				issues = append(issues, raised.Issue)
			}
			require.Equal(t, test.want, issues)
			reports := 0
			for i := range s.state.Escalations {
				if s.state.Escalations[i].Break == s.state.Control.Open.ID {
					reports++
				}
			}
			require.Equal(t, 1, reports)
		})
	}
	s := explained(settle.Break{Layer: "wave"})
	s.phase(raises("wave", one))
	out := s.phase(breaks)
	require.Equal(t, "break/x", first[runevents.EscalationRaised](t, out).Issue, "an escalation of before reports something else")
}

// RW-32: of the breaks of one event the hard one opens; the order of the others
// stays.
func TestHardFirst(t *testing.T) {
	soft, hard := request(runevents.BreakSoft, runevents.TriggerBudget95), request(runevents.BreakHard, runevents.TriggerAgentFailures)
	later := request(runevents.BreakSoft, runevents.TriggerLowConvergence)
	for name, test := range map[string]struct {
		order []func(*run.Context)
		want  []string
	}{
		"hard alone":            {[]func(*run.Context){hard}, []string{"break hard agent_failures"}},
		"soft before":           {[]func(*run.Context){soft, hard}, []string{"break hard agent_failures", "noted budget_95"}},
		"hard before":           {[]func(*run.Context){hard, soft}, []string{"break hard agent_failures", "noted budget_95"}},
		"two soft ones":         {[]func(*run.Context){soft, later}, []string{"break soft budget_95", "noted low_convergence"}},
		"two soft ones, a hard": {[]func(*run.Context){soft, later, hard}, []string{"break hard agent_failures", "noted low_convergence", "noted budget_95"}},
		"of a session":          {[]func(*run.Context){ofSession(runevents.BreakSoft, "s"), soft}, []string{"break soft stuck_loop", "break soft budget_95"}},
		"hard of a session":     {[]func(*run.Context){soft, ofSession(runevents.BreakHard, "s")}, []string{"break soft budget_95", "break hard stuck_loop"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin()
			lines := s.task(func(c *run.Context) {
				for _, conclude := range test.order {
					conclude(c)
				}
			})
			require.Equal(t, test.want, lines[:len(test.want)])
		})
	}
}

// A turn of a running session that leads to nothing costs nothing; one of a
// draining run is looked at.
func TestTurnsThatLeadToNothing(t *testing.T) {
	s := begin()
	s.phase(nothing)
	require.Empty(t, s.turn("s", 1))
	require.Empty(t, s.turn("unknown", 1))
	s.state.Changed()
	s.state.Session("s2", 8)
	require.Equal(t, []string{"s2 running"}, states(s.turn("s", 2)), "what changed is published")
	s.phase(request(runevents.BreakSoft, runevents.TriggerBudget95))
	require.NotEmpty(t, states(s.turn("s", 3)))
	require.Empty(t, all[events.TimerSet](s.turn("s", 4)))
}
