package report

import (
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
)

// fleet prints the report on all sessions, from the read model if reports.database names its file, or else
// from DECISIONS.
func (c *Report) fleet(r *cli.Call) error {
	switch {
	case c.ID != "":
		return cli.Usage(errors.New("--fleet covers all sessions and takes no session"))
	case c.Follow:
		return cli.Usage(errors.New("--follow and --fleet are mutually exclusive"))
	case c.Output == "sarif":
		return cli.Usage(errors.New("--fleet requires --output text, md, json or html"))
	}
	period, err := fleetreport.ParsePeriod(c.Since, c.Until, time.Now())
	if err != nil {
		return cli.Usage(fmt.Errorf("--%w", err))
	}
	set, settings, err := c.rules(r)
	if err != nil {
		return err
	}
	reading, err := c.reading(r)
	if err != nil {
		return err
	}
	titles, err := decisions.DetectorTitles(set)
	if err != nil {
		return cli.Usage(err)
	}
	model, closeModel, err := c.ModelBy(r, settings.Reports, reading)
	if err != nil {
		return err
	}
	defer closeModel()
	m, err := model.Fleet(r, period, titles)
	if err != nil {
		return err
	}
	c.sayOtherRules(r, reading)
	width := 0 // piped output has no maximum width
	if r.Theme.Interactive {
		width = r.Theme.Width
	}
	return fleetreport.Report(m).Write(r.Stdout, c.Output, doc.Screen{Width: width, Style: cli.TextStyle{Theme: r.Theme}, Explain: c.Explain})
}
