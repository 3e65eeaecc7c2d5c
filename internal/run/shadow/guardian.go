package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-4: the Paranoid Guardian.

// criticalRatio compares CRITICALs with WARNINGs (RW-4): strictly more than the
// ratio, and enough of them; two without a WARNING may be genuine (RW-8).
func criticalRatio(k *work) *sessionevents.Condition {
	g := &k.config.Guardian
	criticals := k.count(func(f *runevents.Finding) bool { return f.Severity == runevents.SeverityCritical })
	warnings := k.count(func(f *runevents.Finding) bool { return f.Severity == runevents.SeverityWarning })
	if criticals < g.Genuine || criticals <= g.Ratio*warnings {
		return nil
	}
	c := held("critical_ratio", k.findingsFrom, criticals, g.Criticals, "%d CRITICALs against %s", criticals, text.Count(warnings, "WARNING"))
	if criticals < g.Criticals {
		c.Immunity = text.Count(criticals, "CRITICAL") + " may be genuine: the ratio counts from " + text.Count(g.Criticals, "CRITICAL")
	}
	return c
}

// neverApproved checks all reviews of the run's Guardians, one per cycle and Guardian
// (RW-4).
func neverApproved(k *work) *sessionevents.Condition {
	if !k.reviewed() {
		return nil
	}
	reviews := 0
	for i := range k.run.Reviews {
		r := &k.run.Reviews[i]
		if r.Archetype != guardian || r.Verdict == "" {
			continue
		}
		if oneOf(k.config.Approving, r.Verdict) || oneOf(k.config.ApprovingWithRemarks, r.Verdict) {
			return nil
		}
		reviews++
	}
	if limit := k.config.Guardian.Reviews; reviews >= limit {
		return held("never_approved", sessionevents.SourceFields, reviews, limit, "none of %d reviews approved", reviews)
	}
	return nil
}

// reviewed reports whether the work is a review with a verdict.
func (k *work) reviewed() bool {
	for i := range k.run.Reviews {
		if r := &k.run.Reviews[i]; r.Reviewer == k.agent.ID && r.Cycle == k.cycle && r.Verdict != "" {
			return true
		}
	}
	return false
}

// findingsWithoutFix counts findings that include no fix (RW-4).
func findingsWithoutFix(k *work) *sessionevents.Condition {
	g := &k.config.Guardian
	fixed := k.count(func(f *runevents.Finding) bool { return f.Fix != "" || k.config.Words.Fixes.In(f.Text) })
	if n := len(k.findings); n < g.FixFindings || fixed*100 >= g.FixPercent*n {
		return nil
	}
	return held("findings_without_fix", k.findingsFrom, fixed*100/len(k.findings), g.FixPercent, "a fix is given for %d of %d findings", fixed, len(k.findings))
}

// requiresCompromised checks the findings, or the report if it has no list of findings
// (RW-4).
func requiresCompromised(k *work) *sessionevents.Condition {
	source := k.findingsFrom
	n := k.count(func(f *runevents.Finding) bool { return f.RequiresCompromised })
	if n == 0 {
		said := k.count(func(f *runevents.Finding) bool { return k.config.Words.Compromised.In(f.Text) })
		if k.findingsFrom == "" {
			said = len(k.say(&k.config.Words.Compromised))
		}
		n, source = said, sessionevents.SourceText
	}
	if n == 0 {
		return nil
	}
	return held("requires_compromised", source, n, 0, "a system that is compromised already is required by %s", text.Count(n, "finding"))
}
