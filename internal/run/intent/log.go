package intent

import (
	"encoding/json"

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
