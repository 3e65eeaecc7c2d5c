package archeflow

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Limits on findings (EV-3).
const (
	maxFindings    = 1000
	maxFindingText = 4 << 10 // in bytes
)

// findings is a list of findings as reviewers and the orchestrator write them.
type findings []runevents.Finding

// UnmarshalJSON accepts any type: what is not a finding is left out.
func (f *findings) UnmarshalJSON(b []byte) error {
	var list []json.RawMessage
	_ = json.Unmarshal(b, &list) // anything else is not a list
	*f = readFindings(list)
	return nil
}

func readFindings(list []json.RawMessage) (out []runevents.Finding) {
	for _, raw := range list[:min(len(list), maxFindings)] {
		if one, ok := readFinding(raw); ok {
			out = append(out, one)
		}
	}
	return out
}

// finding is one entry of a review.verdict or of findings-cycle-<N>.json.
type finding struct {
	ID          loose.String `json:"id"`
	File        loose.String `json:"file"`
	Line        loose.Int    `json:"line"`
	Location    loose.String `json:"location"`
	Severity    loose.String `json:"severity"`
	Category    loose.String `json:"category"`
	Description loose.String `json:"description"`
	Text        loose.String `json:"text"`
	Finding     loose.String `json:"finding"`
	Fix         loose.String `json:"fix"`
	Suggested   loose.String `json:"suggested_fix"`
	Repro       loose.String `json:"repro"`
	State       loose.String `json:"state"`
	Status      loose.String `json:"status"`
}

func readFinding(raw json.RawMessage) (runevents.Finding, bool) {
	var f finding
	if json.Unmarshal(raw, &f) != nil {
		return runevents.Finding{}, false
	}
	out := runevents.Finding{
		ID: short(f.ID, 512), Severity: severity(string(f.Severity)), Category: strings.ToLower(short(f.Category, 100)),
		File: short(f.File, 1024), Line: int(min(max(f.Line, 0), 1<<30)),
		Text: short(first(f.Description, f.Text, f.Finding), maxFindingText),
		Fix:  short(first(f.Fix, f.Suggested), maxFindingText), Repro: short(f.Repro, maxFindingText),
		State: state(string(first(f.State, f.Status))),
	}
	if out.File == "" {
		out.File, out.Line = place(short(f.Location, 1024), out.Line)
	}
	return out, out.ID != "" || out.Text != "" || out.File != ""
}

// location matches a location as reviewers write it: src/auth.go:48, src/auth.go:48-60.
var location = pattern.Must("^`?([^`\\s]+?)`?(?::(\\d{1,9})(?:[-:,].*)?)?`?$")

// place returns the file and line of a location; text without a file name has none.
func place(text string, line int) (string, int) {
	m := location.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || !strings.ContainsAny(m[1], "./") {
		return "", line
	}
	if m[2] != "" {
		line, _ = strconv.Atoi(m[2])
	}
	return m[1], line
}

// severities maps the words of reviewers; WorkRail's critical and major become CRITICAL, minor becomes
// WARNING, nit becomes INFO.
var severities = map[string]runevents.Severity{
	"critical": runevents.SeverityCritical, "blocker": runevents.SeverityCritical, "major": runevents.SeverityCritical, "high": runevents.SeverityCritical,
	"warning": runevents.SeverityWarning, "warn": runevents.SeverityWarning, "minor": runevents.SeverityWarning, "medium": runevents.SeverityWarning,
	"info": runevents.SeverityInfo, "nit": runevents.SeverityInfo, "low": runevents.SeverityInfo, "suggestion": runevents.SeverityInfo, "recommendation": runevents.SeverityInfo,
}

// severity returns "" for an unknown word: grading is not up to us.
func severity(word string) runevents.Severity {
	return severities[strings.ToLower(strings.Trim(word, " *_`[]"))]
}

func state(word string) string {
	switch strings.ToLower(word) {
	case "open", "new", "persisting":
		return "open"
	case "fixed", "resolved", "closed":
		return "fixed"
	case "deferred", "parked", "accepted":
		return "deferred"
	}
	return ""
}

func first(list ...loose.String) loose.String {
	for _, v := range list {
		if v != "" {
			return v
		}
	}
	return ""
}

// short returns text as valid UTF-8 of at most limit bytes.
func short(s loose.String, limit int) string {
	return text.Cut(text.Valid(string(s)), limit)
}
