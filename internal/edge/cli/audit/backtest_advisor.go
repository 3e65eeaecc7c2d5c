package audit

import (
	"errors"
	"fmt"
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/advised"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// withAnswers compares transcripts with and without the answers of a file (AD-8).
func (c *Backtest) withAnswers(r *cli.Call) error {
	switch {
	case len(c.Paths) == 0:
		return cli.Usage(errors.New("--advisor compares transcripts: name files or folders"))
	case len(c.Sweep) > 0 || len(c.FailOn) > 0 || c.Against != "" || c.Output == "md" || c.Output == "html":
		return cli.Usage(errors.New("--advisor compares one set of rules with and without answers, as text or json: leave out --sweep, --against, --fail-on and other outputs"))
	}
	settings, err := c.Settings(r)
	if err != nil {
		return err
	}
	file := c.Rules
	if file == "" {
		file = settings.Rules
	}
	set, err := deployment.LoadRules(file)
	if err != nil {
		return cli.Usage(err)
	}
	config, err := opinion.Load(set)
	if err != nil {
		return cli.Usage(err)
	}
	given, err := os.Open(c.Advisor)
	if err != nil {
		return cli.Usage(fmt.Errorf("open the answers: %w", err))
	}
	answers, err := advised.ReadAnswers(given)
	_ = given.Close() // it was only read
	if err != nil {
		return cli.Usage(fmt.Errorf("%s: %w", c.Advisor, err))
	}
	core, err := machines.New(machines.Options{Rules: set, IdleTimeout: settings.Session.IdleTimeout})
	if err != nil {
		return err
	}
	comparison := advised.New(core.Chain(), core.Chain(), config, answers)
	if err := c.advise(r, comparison); err != nil {
		return err
	}
	return c.printAdvised(r, comparison.Result())
}

func (c *Backtest) advise(r *cli.Call, comparison *advised.Comparison) error {
	inputs, err := transcripts.Find(c.Paths, r.Input())
	if err != nil {
		return cli.Usage(err)
	}
	opener, err := c.Opener()
	if err != nil {
		return err
	}
	read := func(e events.Event) error {
		for _, filled := range opener.Fill(e) {
			prepared, err := publish.Prepare(filled)
			if err != nil {
				return err
			}
			if c.Session == "" || prepared.Subject == c.Session || prepared.Group() == c.Session {
				comparison.Feed(prepared)
			}
		}
		return nil
	}
	for _, in := range inputs.List {
		if _, err := inputs.Read(r, in, transcript.Options{}, func(int64) {}, read); err != nil {
			return err
		}
	}
	return nil
}

func (c *Backtest) printAdvised(r *cli.Call, result advised.Result) error {
	if c.Output == "json" {
		return cli.Indented(r.Stdout, result)
	}
	for _, part := range []struct {
		title string
		list  []advised.Change
	}{{"held back", result.HeldBack}, {"no longer said", result.Lost}, {"said besides", result.Gained}} {
		for _, change := range part.list {
			_, err := fmt.Fprintf(r.Stdout, "%s: %s turn %d, %s, urgency %s: %s\n", part.title, terminal.Clean(change.Session), change.Turn, terminal.Clean(change.Detector), change.Urgency, terminal.Clean(change.What))
			if err != nil {
				return err
			}
		}
	}
	s := fmt.Sprintf("%s: %s without, %d with; %d of %d questions answered, %d void",
		text.Count(result.Sessions, "session"), text.Count(result.Without, "interrupt"), result.With, result.Answered, result.Questions, result.Void)
	if result.Unused > 0 {
		s += fmt.Sprintf("; %s to questions that are not asked under these rules", text.Count(result.Unused, "answer"))
	}
	_, err := fmt.Fprintln(r.Stdout, s)
	return err
}
