package pipeline

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// codeOutsideHours is said of a run that begins when no work is to begin.
const codeOutsideHours = "OUTSIDE-WORKING-HOURS"

// dispatchHours are when work may begin (PL-51).
type dispatchHours struct {
	shown  workhours.Hours
	window workhours.Window
}

// DispatchHours reads when work may begin.
func DispatchHours(set *rules.Set) (workhours.Hours, workhours.Window, error) {
	section, err := workhours.Load(set)
	if err != nil {
		return section.Dispatch, workhours.Window{}, err
	}
	window, err := section.Dispatch.Window()
	return section.Dispatch, window, err
}

func (c *Config) loadHours(set *rules.Set) (err error) {
	c.hours.shown, c.hours.window, err = DispatchHours(set)
	return err
}

// outsideHours warns of a run that begins outside of the hours for work, unless
// its trigger is critical or ignores them (PL-51). It goes by the event's time.
// Nothing is held up here: who starts runs waits, and asks first.
var outsideHours = Rule{ID: "PL-51", On: run.Types(runevents.TypeRunStarted), Run: run.With(func(c *Context, d *runevents.RunStarted) {
	if t := d.Trigger; t != nil && (t.Priority == "critical" || t.IgnoreWorkingHours) {
		return
	}
	at := c.Event.Time
	if c.config.hours.window.Open(at) {
		return
	}
	c.warning(c.judgement(codeOutsideHours, "PL-51",
		"The run begins at %s, outside of the working hours for starting work (%s): hold it until %s, or start it with priority critical or ignore_working_hours.",
		at.UTC().Format(time.RFC3339), c.config.hours.shown, c.config.hours.window.Next(at).UTC().Format(time.RFC3339)))
})}
