package intent

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Log is the calibration log of a run (PL-39): what was understood, what came of
// it, and how often which kind of error was at work. Its lists are bounded.
type Log struct {
	Tally Tally `json:"tally"`
	// Entries are the checkpoints, councils, corrections and results in order.
	Entries []Entry `json:"entries,omitempty"`
	// Misread are ids of findings that reviews tagged as misread intent.
	Misread []string `json:"misread,omitempty"`
}

// Tally counts the two kinds of error: A, the ticket was vague or ambiguous; B,
// the ticket was clear and the agent's picture of the code wrong.
type Tally struct {
	TicketsA      int `json:"tickets_a,omitempty"`      // tickets that failed pre-flight
	ContradictedB int `json:"contradicted_b,omitempty"` // assumptions that the code contradicted
	RecordedA     int `json:"recorded_a,omitempty"`     // calibration.recorded says A
	RecordedB     int `json:"recorded_b,omitempty"`     // calibration.recorded says B
	Unclassified  int `json:"unclassified,omitempty"`   // calibration.recorded says neither
}

// Entry is one line of the log.
type Entry struct {
	Event     string          `json:"event"`
	What      string          `json:"what"` // checkpoint, council, correction, result
	Level     Level           `json:"level,omitempty"`
	Self      Level           `json:"self,omitempty"`      // of a checkpoint: what the agent said
	Breakdown json.RawMessage `json:"breakdown,omitempty"` // of a checkpoint or result, as given
	Option    string          `json:"option,omitempty"`    // of a correction
	Text      string          `json:"text,omitempty"`      // of a correction, a council's winner, a result's correction
	Outcome   string          `json:"outcome,omitempty"`
	Verdict   string          `json:"verdict,omitempty"`
	Subtype   string          `json:"subtype,omitempty"`
	Findings  []string        `json:"findings,omitempty"`
}

// Kinds of entries.
const (
	entryCheckpoint = "checkpoint"
	entryCouncil    = "council"
	entryCorrection = "correction"
	entryResult     = "result"
)

// maxBreakdown bounds a breakdown that is kept, in bytes.
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
	l.Entries = kept(append(l.Entries, Entry{Event: c.Event, What: entryCheckpoint, Level: c.Effective, Self: c.Self, Breakdown: rawBreakdown(breakdown)}), most)
}

func (l *Log) council(o *Outcome, most int) {
	l.Entries = kept(append(l.Entries, Entry{Event: o.Event, What: entryCouncil, Level: o.Level, Text: o.Winner}), most)
}

func (l *Log) correction(event, option, text string, most int) {
	l.Entries = kept(append(l.Entries, Entry{Event: event, What: entryCorrection, Option: option, Text: text}), most)
}

// corrected reports whether an operator chose something else than A.
func (l *Log) corrected() bool {
	for _, e := range l.Entries {
		if e.What == entryCorrection && e.Option != optionA && e.Option != optionProceed {
			return true
		}
	}
	return false
}

// Calibration is the log for the report.
func (s *State) Calibration() Log { return s.Log }

// Record folds an event of DECISIONS into a log: for a report that reads the
// stream and not this layer's state. The tally is whole then; of the entries
// only the results are there.
func (c *Config) Record(l *Log, e events.Event) {
	switch data := e.Data.(type) {
	case *runevents.WarningIssued:
		if data.Code == CodeSubtypeA {
			l.Tally.TicketsA++
		}
	case *runevents.AssumptionsStated:
		for _, a := range data.Assumptions {
			if a.Status == statusContradicted {
				l.Tally.ContradictedB++
			}
		}
	case *runevents.CalibrationRecorded:
		l.result(e.ID, data, c.Kept.Log, c.Kept.Text)
	}
}

func (l *Log) result(event string, data *runevents.CalibrationRecorded, most, text int) {
	switch data.Subtype {
	case "A":
		l.Tally.RecordedA++
	case "B":
		l.Tally.RecordedB++
	default:
		l.Tally.Unclassified++
	}
	entry := Entry{
		Event: event, What: entryResult, Outcome: clip(data.Outcome, text), Verdict: clip(data.Verdict, text),
		Text: clip(data.Correction, text), Subtype: clip(data.Subtype, 16), Breakdown: rawBreakdown(data.Breakdown),
	}
	for _, id := range data.InterpretationFindings[:min(len(data.InterpretationFindings), most)] {
		entry.Findings = append(entry.Findings, clip(id, 128))
	}
	l.Entries = kept(append(l.Entries, entry), most)
}
