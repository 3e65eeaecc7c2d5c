package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// OpenItems are what the last check of a run's scope found missing.
type OpenItems struct {
	Event string   `json:"event"`
	Count int      `json:"count,omitempty"`
	Items []string `json:"items,omitempty"` // the first
	From  string   `json:"from,omitempty"`
}

// maxOpen is how many open items of a check are remembered by their words.
const maxOpen = 3

// scopeMiscounted is PL-40: we recount a scope check. It blocks nothing.
var scopeMiscounted = Rule{ID: "PL-40", On: run.Types(runevents.TypeScopeChecked), Run: run.With(func(c *Context, d *runevents.ScopeChecked) {
	result := ScopeResult{Event: c.Event.ID, Creep: len(d.Flags), Confidence: confidence(d)}
	open := &OpenItems{Event: c.Event.ID, From: short(d.CriteriaSource)}
	for _, seen := range d.Criteria {
		switch seen.Status {
		case "met":
		case "unclear":
			result.Unclear++
		default: // missing, partial, or a word that nobody knows (EV-3a)
			result.Missing++
			if len(open.Items) < maxOpen {
				open.Items = append(open.Items, short(seen.Criterion))
			}
		}
	}
	open.Count = result.Missing
	c.run.OpenItems = open
	c.run.Scopes = text.Newest(append(c.run.Scopes, result), c.config.Kept.Phases)
	var wrong []string
	if d.MissingCount != nil && *d.MissingCount != result.Missing {
		wrong = append(wrong, fmt.Sprintf("%s missing or partial, not %d", text.Count(result.Missing, "criterion is", "criteria are"), *d.MissingCount))
	}
	if d.CreepCount != nil && *d.CreepCount != result.Creep {
		wrong = append(wrong, fmt.Sprintf("%s flagged as out of scope, not %d", text.Count(result.Creep, "change is", "changes are"), *d.CreepCount))
	}
	if len(wrong) > 0 {
		c.warning(c.judgement("SCOPE-MISCOUNT", "PL-40", "The scope check miscounts: %s. Confidence in it: %s.", strings.Join(wrong, "; "), result.Confidence))
	}
})}

// completeWithOpenItems is PL-40: a loop says that it is done while the last check of its
// scope has items that are not (IN-13). What is missing in a pipeline its reviews decide.
var completeWithOpenItems = Rule{
	ID: "PL-40", On: run.Types(runevents.TypeRunCompleted), Run: run.With(openWhenComplete),
}

func openWhenComplete(c *Context, d *runevents.RunCompleted) {
	if c.run == nil || c.run.On || c.run.OpenItems == nil || c.run.OpenItems.Count == 0 ||
		d.Outcome != runevents.RunOutcomeSuccess {
		return
	}
	last := c.run.OpenItems
	what := text.Count(last.Count, "item is", "items are") + " open"
	if last.From != "" {
		what += " in " + last.From
	}
	j := c.judgement("COMPLETE-WITH-OPEN-ITEMS", "PL-40",
		"The run says that it is complete, and %s: %s.", what, several(last.Items))
	j.Evidence = c.evidence(last.Event)
	c.warning(j)
}

// scopeCreep is PL-40: a file that two sources flag as out of scope is one finding.
var scopeCreep = Rule{ID: "PL-40", On: run.Types(runevents.TypeScopeChecked), Run: run.With(func(c *Context, d *runevents.ScopeChecked) {
	for _, flag := range d.Flags[:min(len(d.Flags), c.config.Kept.Files)] {
		for _, path := range paths(flag) {
			c.creep(path, Creep{Path: path, Event: c.Event.ID, Source: "scope.checked"})
		}
	}
})}

// confidence returns the confidence in a scope check: Low without a source of
// criteria, Medium if they are inferred or a judgement has no evidence.
func confidence(d *runevents.ScopeChecked) runevents.ScopeConfidence {
	if source := strings.ToLower(strings.TrimSpace(d.CriteriaSource)); source == "none" || source == "" && len(d.Criteria) == 0 {
		return runevents.ConfidenceLow
	}
	for _, c := range d.Criteria {
		unproven := (c.Status == "met" || c.Status == "partial") && strings.TrimSpace(c.Evidence) == ""
		if unproven || c.Source == "inferred" || c.Status == "unclear" {
			return runevents.ConfidenceMedium
		}
	}
	return runevents.ConfidenceHigh
}

// creepSignalled is PL-40 for class D signals of the run's sessions.
var creepSignalled = Rule{ID: "PL-40", On: run.Types(sessionevents.TypeSignalDetected), Run: run.With(func(c *Context, d *sessionevents.Signal) {
	if d.Class != sessionevents.ClassD || d.Run == "" || d.Suppressed != "" {
		return
	}
	if c.run == nil {
		c.run = &Run{}
		c.state.Run = c.run
	}
	found := paths(d.Subject)
	for _, e := range d.Evidence {
		if e.Path != "" {
			found = append(found, e.Path)
		}
	}
	for _, path := range found[:min(len(found), 8)] {
		c.creep(path, Creep{Path: short(path), Event: c.Event.ID, Source: d.Detector})
	}
})}

// creep folds a flagged file and warns once when both sources flag it.
func (c *Context) creep(path string, now Creep) {
	review := now.Source == "scope.checked"
	other := slices.IndexFunc(c.run.CreepSeen, func(seen Creep) bool {
		return (seen.Source == "scope.checked") != review && samePath(seen.Path, path)
	})
	reported := slices.ContainsFunc(c.run.CreepSeen, func(seen Creep) bool { return seen.Reported && samePath(seen.Path, path) })
	known := slices.ContainsFunc(c.run.CreepSeen, func(seen Creep) bool { return seen.Source == now.Source && seen.Path == now.Path })
	if other >= 0 && !reported {
		now.Reported = true
		earlier := &c.run.CreepSeen[other]
		earlier.Reported = true
		c.warning(runevents.Judgement{
			Code: "SCOPE-CREEP", Rule: "PL-40",
			What: fmt.Sprintf("%s is out of scope by two sources: %s and %s.", short(path), earlier.Source, now.Source),
			Evidence: []runevents.Reference{
				{Event: earlier.Event, Path: earlier.Path, What: earlier.Source}, {Event: now.Event, Path: short(path), What: now.Source},
			},
		})
	}
	if !known {
		c.run.CreepSeen = text.Newest(append(c.run.CreepSeen, now), c.config.Kept.Files)
	}
}

// paths returns the words of a text that name files.
func paths(text string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;()[]{}<>'\"`", r) }) {
		word = strings.TrimRight(word, ".:!?")
		if at := strings.LastIndexByte(word, ':'); at > 1 { // file.go:12
			word = word[:at]
		}
		if len(word) <= 256 && (strings.Contains(word, "/") || fileName(word)) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out[:min(len(out), 8)]
}

// fileName reports a name with a short extension.
func fileName(word string) bool {
	at := strings.LastIndexByte(word, '.')
	return at > 0 && len(word)-at-1 >= 1 && len(word)-at-1 <= 5
}

// samePath compares two paths, of which one may be relative to a parent folder.
func samePath(a, b string) bool {
	a, b = strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}
