package runlist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// WayOut returns the command that lets a broken run continue; after the trip wire it is the choice of a
// recovery (WP-1).
func WayOut(run string, trigger runevents.BreakTrigger) string {
	if trigger == runevents.TriggerIsolationFailure {
		return "scaffoldwatch recover " + run
	}
	return "scaffoldwatch resume " + run + " --why '…'"
}

// Asks reports whether only a person can open a gate that was not: one with options, or one that the operator
// decides. A gate requested in advance blocks nothing yet, and a halt is reported by its break (RW-33).
func Asks(d *runevents.GateDecided) bool {
	return !d.Ahead && d.Rule != "RW-33" && (len(d.Options) > 0 || d.WhoDecides == runevents.DecidedByOperator)
}

// Opens returns the command with which a person answers a gate, "" if there is none.
func Opens(run string, d *runevents.GateDecided) string {
	switch {
	case d.Gate == runevents.GateMerge && d.Rule == "WP-1":
		return fmt.Sprintf("scaffoldwatch recover %s OPTION --wave %d --why '…'", run, d.Wave)
	case d.Rule == "WP-8", d.Rule == "WP-10",
		(d.Rule == "WP-9" || d.Rule == "WP-11") && d.WhoDecides == runevents.DecidedByOperator:
		return fmt.Sprintf("scaffoldwatch approve %s --why '…'", run)
	}
	return ""
}

// Answers returns the command with which a person answers an escalation of a run: what lets it go on where that is
// one command, else that somebody has seen it.
func Answers(run, id string, e *runevents.EscalationRaised) string {
	about, what, _ := strings.Cut(e.Issue, "/")
	approve := func(o runevents.Option) bool { return o.ID == string(runevents.ActApprove) }
	switch {
	case about == "break":
		return WayOut(run, runevents.BreakTrigger(what))
	case what == string(runevents.TriggerIsolationFailure):
		return WayOut(run, runevents.TriggerIsolationFailure)
	case slices.ContainsFunc(e.Options, approve): // a handover that is missing (PL-2)
		return "scaffoldwatch approve " + run + " --why '…'"
	}
	return "scaffoldwatch ack " + id
}

// IssueName names what an escalation or correction is about: "maker/rogue" is the rogue maker, and a halt is named by
// its trigger alone.
func IssueName(issue string) string {
	issue = strings.TrimPrefix(issue, "break/")
	return strings.NewReplacer("_", " ", "/", ", ").Replace(issue)
}

// GateName says what a gate leads to: "merge of wave 1", "start of agent maker".
func GateName(d *runevents.GateDecided) string {
	phase := quote.Name(d.Phase)
	name := map[runevents.Gate]string{
		runevents.GateLaunch: "start", runevents.GateWorktrees: "worktrees", runevents.GateMerge: "merge",
		runevents.GateNextPhase: "next phase", runevents.GateSpawn: "start",
	}[d.Gate]
	switch {
	case name == "":
		name = strings.ReplaceAll(string(d.Gate), "_", " ")
	case d.Gate == runevents.GateNextPhase && d.Phase != "":
		return "phase " + phase
	}
	switch {
	case d.AgentID != "":
		name += " of agent " + quote.Name(d.AgentID)
	case d.Wave > 0:
		name += " of wave " + strconv.Itoa(d.Wave)
	case d.Gate == runevents.GateLaunch:
		name += " of a wave"
	case d.Gate == runevents.GateSpawn:
		name += " of an agent"
	}
	return name
}
