package workrail

import (
	"bytes"
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// fieldsOf lists the fields by which an artifact without a recorded kind is recognised (EV-3a).
var fieldsOf = map[string][]string{
	"wr.discovery_handoff": {"selectedDirection", "designDocPath", "confidenceBand", "keyInvariants"},
	"wr.shaping_handoff": {
		"pitchPath", "selectedShape", "appetite", "keyConstraints", "rabbitHoles", "outOfScope", "validationChecklist",
	},
	"wr.coding_handoff": {"keyDecisions", "knownLimitations", "testsAdded", "filesChanged"},
	"wr.review_verdict": {"verdict", "confidence", "findings", "summary"},
}

// leastFields is how many of them are required.
const leastFields = 3

// artifact parses an artifact. One without a kind gets the kind of the contract with which it shares most
// fields; ok is false if it is not an artifact.
func artifact(text json.RawMessage) (a runevents.Artifact, ok bool) {
	text = loose.Object(text)
	if len(text) == 0 || len(text) > maxText || bytes.TrimSpace(text)[0] != '{' || a.UnmarshalJSON(text) != nil {
		return a, false
	}
	if a.Kind != "" {
		return a, true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return a, false
	}
	best, most := "", leastFields-1
	for kind, names := range fieldsOf {
		n := 0
		for _, name := range names {
			if _, has := fields[name]; has {
				n++
			}
		}
		if n > most || n == most && best != "" && kind < best {
			best, most = kind, n
		}
	}
	if best == "" {
		return a, false
	}
	fields["kind"] = json.RawMessage(`"` + best + `"`)
	named, err := json.Marshal(fields)
	if err != nil || a.UnmarshalJSON(named) != nil {
		return a, false
	}
	return a, true
}

// verdict returns the content of a review's artifact, parsed leniently; nil for other artifacts.
func verdict(a runevents.Artifact, reviewer string) *runevents.ReviewCompleted {
	if kindOf(a) != "wr.review_verdict" {
		return nil
	}
	var said struct {
		Verdict  loose.String `json:"verdict"`
		Findings []struct {
			ID       loose.String `json:"id"`
			Severity loose.String `json:"severity"`
			Summary  loose.String `json:"summary"`
			Category loose.String `json:"findingCategory"`
			File     loose.String `json:"file"`
			Line     loose.Int    `json:"startLine"`
			Fix      loose.String `json:"remediation"`
		} `json:"findings"`
	}
	if json.Unmarshal(a.Document, &said) != nil {
		return nil
	}
	review := &runevents.ReviewCompleted{Actor: actor(), Reviewer: reviewer, Verdict: clip(said.Verdict, maxWords)}
	if review.Verdict == "" {
		return nil
	}
	for _, f := range said.Findings {
		if len(review.Findings) < maxList {
			review.Findings = append(review.Findings, runevents.Finding{
				ID: clip(f.ID, maxWords), Severity: severities[f.Severity], Category: clip(f.Category, maxWords),
				File: clip(f.File, maxPath), Line: int(min(max(f.Line, 0), 1<<30)), Text: clip(f.Summary, maxWords),
				Fix: clip(f.Fix, maxWords),
			})
		}
	}
	return review
}

// kindOf returns wr.x for wr.contracts.x.
func kindOf(a runevents.Artifact) string {
	const long = "wr.contracts."
	if len(a.Kind) > len(long) && a.Kind[:len(long)] == long {
		return "wr." + a.Kind[len(long):]
	}
	return a.Kind
}

// severities maps WorkRail's words to the contract's; others are left open.
var severities = map[loose.String]runevents.Severity{
	"critical": runevents.SeverityCritical, "major": runevents.SeverityCritical, "fatal": runevents.SeverityCritical,
	"error": runevents.SeverityCritical, "minor": runevents.SeverityWarning, "warn": runevents.SeverityWarning,
	"warning": runevents.SeverityWarning, "nit": runevents.SeverityInfo, "info": runevents.SeverityInfo,
}
