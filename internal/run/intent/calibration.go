package intent

import (
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// calibration is PL-39: the record is kept, and compared with what was seen;
// a log that leaves out the corrections and the misread findings teaches that
// all is well.
func (d *decision) calibration(data *runevents.CalibrationRecorded) {
	s := d.state
	if c := s.Checkpoint; c != nil {
		if said := readBreakdown(data.Breakdown).level; said != "" && said != c.Self {
			d.warn("PL-39", CodeCalibrationLog, fmt.Sprintf("The record gives the checkpoint's level as %s, the checkpoint said %s.", said, c.Self), c.Event)
		}
	}
	if none(data.Correction) && s.Log.corrected() {
		d.warn("PL-39", CodeCalibrationHole, "The record has no correction, but an operator corrected the reading.")
	}
	var missing []string
	for _, id := range s.Log.Misread {
		if !slices.Contains(data.InterpretationFindings, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		d.warn("PL-39", CodeCalibrationHole, fmt.Sprintf("The record leaves out findings that are tagged as misread intent: %s.", strings.Join(missing, ", ")))
	}
	s.Log.result(d.event, data, d.config.Kept.Log, d.config.Kept.Text)
}

func none(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "" || text == "none" || text == "no"
}

// review keeps the findings that are tagged as misread intent.
func (d *decision) review(data *runevents.ReviewCompleted) { d.misread(data.Findings) }

func (d *decision) misread(list []runevents.Finding) {
	for _, f := range list {
		category := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(f.Category), "-", "_"))
		id := clip(f.ID, 128)
		if id == "" || !slices.Contains(d.config.MisreadCategories, category) || slices.Contains(d.state.Log.Misread, id) {
			continue
		}
		d.state.Log.Misread = kept(append(d.state.Log.Misread, id), d.config.Kept.Log)
	}
}
