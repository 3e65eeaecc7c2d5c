package transcript

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Sessions reads transcripts as scan does and returns the reports of their sessions.
func (c *Scan) Sessions(r *cli.Call) ([]sessionreport.Model, error) {
	file, err := cli.RulesFile(r, c.Rules)
	if err != nil {
		return nil, cli.Usage(err)
	}
	set, err := deployment.LoadRules(file)
	if err != nil {
		return nil, cli.Usage(err)
	}
	options := machines.Options{Rules: set}
	core, err := machines.New(options)
	if err != nil {
		return nil, cli.Usage(err)
	}
	inputs, err := transcripts.Find(c.Paths, r.Input())
	if err != nil {
		return nil, cli.Usage(err)
	}
	opener, err := c.Opener()
	if err != nil {
		return nil, err
	}
	runSettings, err := runreport.LoadSettings(set)
	if err != nil {
		return nil, cli.Usage(err)
	}
	silent := printer{event: func(events.Event) error { return nil }}
	s := &scan{printer: silent, reports: reports{sessionreport.NewSet(), runreport.NewSet(runSettings)}, reached: map[string]bool{}, chains: core.Chains(options), opener: opener, files: &files{of: map[string]string{}}, look: c.look(r, core, set)}
	if err := c.read(r, core, inputs, s); err != nil {
		return nil, err
	}
	return s.reports.sessions.Results(), nil
}
