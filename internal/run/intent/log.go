package intent

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Log is the calibration log of a run (PL-39). Its lists are bounded.
type Log runevents.Calibration

type (
	// Tally counts the two kinds of error.
	Tally = runevents.CalibrationTally
	// Entry is one line of the log.
	Entry = runevents.CalibrationEntry
)

// Kinds of entries.
const (
	entryCheckpoint = "checkpoint"
	entryCouncil    = "council"
	entryCorrection = "correction"
	entryResult     = "result"
)

// maxBreakdown bounds a stored breakdown, in bytes.
const maxBreakdown = 2048

func rawBreakdown(data any) json.RawMessage {
	if data == nil {
		return nil
	}
	raw, err := json.Marshal(data)
	if err != nil || len(raw) > maxBreakdown {
		return nil
	}
	return raw
}

func (l *Log) checkpoint(c *Checkpoint, breakdown any, most int) {
	l.Entries = text.Newest(append(l.Entries, Entry{Event: c.Event, What: entryCheckpoint, Level: string(c.Effective), Self: string(c.Self), Breakdown: rawBreakdown(breakdown)}), most)
}

func (l *Log) council(o *Outcome, most int) {
	l.Entries = text.Newest(append(l.Entries, Entry{Event: o.Event, What: entryCouncil, Level: string(o.Level), Text: o.Winner}), most)
}

func (l *Log) correction(event, option, s string, most int) {
	l.Entries = text.Newest(append(l.Entries, Entry{Event: event, What: entryCorrection, Option: option, Text: s}), most)
}

// corrected reports whether an operator chose something other than A.
func (l *Log) corrected() bool {
	for _, e := range l.Entries {
		if e.What == entryCorrection && e.Option != optionA && e.Option != optionProceed {
			return true
		}
	}
	return false
}

func (l *Log) result(event string, data *runevents.CalibrationRecorded, most, length int) {
	switch data.Subtype {
	case "A":
		l.Tally.RecordedA++
	case "B":
		l.Tally.RecordedB++
	default:
		l.Tally.Unclassified++
	}
	entry := Entry{
		Event: event, What: entryResult, Outcome: clip(data.Outcome, length), Verdict: clip(data.Verdict, length),
		Text: clip(data.Correction, length), Subtype: clip(data.Subtype, 16), Breakdown: rawBreakdown(data.Breakdown),
	}
	for _, id := range data.InterpretationFindings[:min(len(data.InterpretationFindings), most)] {
		entry.Findings = append(entry.Findings, clip(id, 128))
	}
	l.Entries = text.Newest(append(l.Entries, entry), most)
}

// Mark is a position in the calibration log.
type Mark struct {
	tally   Tally
	entry   string // event of the last entry
	misread string // the last finding
}

// Mark returns the end of the calibration log.
func (s *State) Mark() Mark {
	m := Mark{tally: s.Log.Tally}
	if n := len(s.Log.Entries); n > 0 {
		m.entry = s.Log.Entries[n-1].Event
	}
	if n := len(s.Log.Misread); n > 0 {
		m.misread = s.Log.Misread[n-1]
	}
	return m
}

// Since adds the entries after the mark (PL-39).
func (s *State) Since(m Mark, out *runevents.RunJudged) {
	log := runevents.Calibration{Tally: s.Log.Tally}
	i := len(s.Log.Entries)
	for i > 0 && s.Log.Entries[i-1].Event != m.entry {
		i--
	}
	log.Entries = slices.Clone(s.Log.Entries[i:])
	log.Misread = slices.Clone(s.Log.Misread[slices.Index(s.Log.Misread, m.misread)+1:])
	if log.Tally != m.tally || len(log.Entries)+len(log.Misread) > 0 {
		out.Calibration = &log
	}
}

// calibrationRecorded is PL-39: it keeps the record and compares it with the observed
// events. A log without corrections and misread findings would suggest that all is well.
var calibrationRecorded = Rule{ID: "PL-39", On: run.Types(runevents.TypeCalibrationRecorded), Run: run.With(func(c *Context, data *runevents.CalibrationRecorded) {
	s := c.state
	if made := s.Checkpoint; made != nil {
		if said := readBreakdown(data.Breakdown).level; said != "" && said != made.Self {
			c.warn("PL-39", CodeCalibrationLog, fmt.Sprintf("The record gives the checkpoint's level as %s, the checkpoint said %s.", said, made.Self), made.Event)
		}
	}
	if none(data.Correction) && s.Log.corrected() {
		c.warn("PL-39", CodeCalibrationHole, "The record has no correction, but an operator corrected the reading.")
	}
	var missing []string
	for _, id := range s.Log.Misread {
		if !slices.Contains(data.InterpretationFindings, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		c.warn("PL-39", CodeCalibrationHole, fmt.Sprintf("The record leaves out findings that are tagged as misread intent: %s.", strings.Join(missing, ", ")))
	}
	s.Log.result(c.Event.ID, data, c.config.Kept.Log, c.config.Kept.Text)
})}

func none(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "" || text == "none" || text == "no"
}

// misreadByReview keeps the findings of a review that are tagged as misread intent
// (PL-39).
var misreadByReview = Rule{ID: "PL-39", On: run.Types(runevents.TypeReviewCompleted), Run: run.With(func(c *Context, data *runevents.ReviewCompleted) {
	c.misread(data.Findings)
})}

// misreadByAgent keeps the findings of an agent that are tagged as misread intent
// (PL-39).
var misreadByAgent = Rule{ID: "PL-39", On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, data *runevents.AgentCompleted) {
	c.misread(data.Findings)
})}

func (c *Context) misread(list []runevents.Finding) {
	for _, f := range list {
		category := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(f.Category), "-", "_"))
		id := clip(f.ID, 128)
		if id == "" || !slices.Contains(c.config.MisreadCategories, category) || slices.Contains(c.state.Log.Misread, id) {
			continue
		}
		c.state.Log.Misread = text.Newest(append(c.state.Log.Misread, id), c.config.Kept.Log)
	}
}

// breakdown is a confidence breakdown as far as it is given: tier0Injected,
// tier1Complete, unresolvedAssumptionCount and overallAmbiguityLevel, in any case and
// with or without underscores.
type breakdown struct {
	tier0, tier1 Presence
	tier2        Presence // whether it was searched
	assumptions  int
	level        Level
}

func readBreakdown(data any) breakdown {
	var b breakdown
	fields, _ := data.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
		case "tier0injected":
			b.tier0 = presence(value)
		case "tier1complete":
			b.tier1 = presence(value)
		case "tier2retrieved", "tier2searched", "tier2complete", "tier2queried":
			b.tier2 = presence(value)
		case "unresolvedassumptioncount":
			if n, ok := value.(float64); ok && n > 0 {
				b.assumptions = int(math.Min(n, 1e6))
			}
		case "overallambiguitylevel":
			text, _ := value.(string)
			b.level = worse(Clear, Level(text))
		}
	}
	return b
}

func presence(value any) Presence {
	given, ok := value.(bool)
	switch {
	case !ok:
		return ""
	case given:
		return Given
	}
	return Empty
}
