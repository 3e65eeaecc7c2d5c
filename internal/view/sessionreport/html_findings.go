package sessionreport

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// htmlFired is an interrupt on the page.
type htmlFired struct {
	Fired
	Anchor, TurnAnchor, Letter string
	Why                        string
	Evidence                   []htmlEvidence
	Delivery, HeedText         string
}

// Fired are the interrupts in order.
func (s htmlSession) Fired() []htmlFired {
	var all []htmlFired
	for i, fired := range s.Interrupts {
		f := htmlFired{
			Fired: fired, Anchor: s.interruptAnchor(i), TurnAnchor: s.turnAnchor(fired.Turn), Letter: classLetter(fired.Class),
			Why: fired.Reason, Delivery: deliveryText(fired), HeedText: heedWord(fired),
		}
		evidence, about := s.restsOn(fired)
		f.Evidence = showEvidence(evidence, about.Subject)
		all = append(all, f)
	}
	return all
}

func heedWord(f Fired) string {
	switch {
	case f.Dismissed:
		return "dismissed"
	case f.Heed == "":
		return "not judged"
	}
	return f.Heed
}

// htmlFinding is a finding with its evidence.
type htmlFinding struct {
	Finding
	Anchor, TurnAnchor, Letter string
	Words                      string
	Evidence                   []htmlEvidence
}

// List are findings with their evidence.
func (s htmlSession) List(findings []Finding) []htmlFinding {
	var list []htmlFinding
	for _, f := range findings {
		list = append(list, htmlFinding{
			Finding: f, Anchor: s.signalAnchor(f.Signal), TurnAnchor: s.turnAnchor(f.Turn), Letter: classLetter(f.Class),
			Words: described(f), Evidence: showEvidence(f.Evidence, f.Subject),
		})
	}
	return list
}

// htmlGroup is a named list of findings.
type htmlGroup struct {
	Name     string
	Findings []htmlFinding
}

// Settled are the findings that ended unsaid, by their end.
func (s htmlSession) Settled() []htmlGroup {
	var groups []htmlGroup
	for _, g := range []struct {
		name     string
		findings []Finding
	}{{"Self-corrected", s.Corrected}, {"Suppressed", s.Suppressed}, {"In its grace turn", s.Pending}} {
		if len(g.findings) > 0 {
			groups = append(groups, htmlGroup{g.name, s.List(g.findings)})
		}
	}
	return groups
}

// toldIn formats a finding as a line of the timeline.
func toldIn(f *Finding) string {
	text := "Detected " + f.Detector + ": " + described(*f) + " → " + endWord(f.End)
	if f.End == endCoalesced || f.EndTurn == 0 || f.EndTurn == f.Turn {
		return text
	}
	return text + " in turn " + number(f.EndTurn)
}

// endWord is the end of a signal in words.
func endWord(end string) string {
	switch end {
	case endCorrected:
		return "corrected by the agent"
	case endCoalesced:
		return "counted on an earlier one"
	case endUnsent:
		return "not sent"
	}
	return end
}

func evidencePlace(e sessionevents.Evidence) string {
	text := string(e.Kind)
	if e.Path != "" {
		text += " " + quote.Path(e.Path)
	}
	if e.Line > 0 {
		text += ", line " + number(e.Line)
	}
	return page.Plain(text)
}

// against names the earlier thing that evidence contradicts.
func against(e *sessionevents.EarlierEvent) string {
	if e == nil {
		return ""
	}
	text := quote.Passage(e.What)
	if e.Path != "" {
		at := quote.Path(e.Path)
		if e.Line > 0 {
			at += ", line " + number(e.Line)
		}
		text += " in " + at
	}
	if e.Session != "" {
		text += ", session " + quote.Name(e.Session)
	}
	if e.Turn > 0 {
		text += ", turn " + number(e.Turn)
	}
	return page.Plain(text)
}
