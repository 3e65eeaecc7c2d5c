package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

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
