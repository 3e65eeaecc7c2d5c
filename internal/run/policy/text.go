package policy

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// named returns a name as it is written in a sentence.
func named(name string) string {
	if name == "" {
		return "without a name"
	}
	return quote.Name(name)
}

// agentName returns an agent's id, or its letter in the wave.
func agentName(id, letter string) string {
	if id == "" {
		return letter
	}
	return id
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func minutes(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

// requestBreak asks settle for a break caused by trigger; the rule data hold the other
// fields for this trigger. A run that has ended is no longer stopped.
func (c *Context) requestBreak(trigger runevents.BreakTrigger, reason string, evidence []string) {
	if c.state.Place.Completed {
		return
	}
	c.RequestBreak(runevents.WiggumBreak{Kind: c.config.Breaks[string(trigger)].Kind, Trigger: trigger, Reason: reason, Evidence: slices.Concat([]string{}, evidence)})
}

// judgement returns a finding about the event itself.
func (r report) judgement(code, what string) runevents.Judgement {
	return runevents.Judgement{Code: code, Rule: resumeRule, What: what, Evidence: []runevents.Reference{{Event: r.Event.ID}}}
}
