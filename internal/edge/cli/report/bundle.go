package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// bundle prints the report of a session or run in a bundle (AU-11).
func (c *Report) bundle(r *cli.Call) error {
	b, err := bundle.OpenWhole(c.ID)
	if err != nil {
		return err
	}
	defer b.Close()
	from := record.Bundle(b)
	var list []events.Event
	var sessions []string
	err = from.Events(r, record.Selection{Stream: events.StreamDecisions}, func(e record.Entry) error {
		if e.Type == sessionevents.TypeTurnEvaluated && !slices.Contains(sessions, e.Subject) {
			sessions = append(sessions, e.Subject)
		}
		list = append(list, e.Event)
		return nil
	})
	if err != nil {
		return err
	}
	id, asRun, err := c.inBundle(b, sessions)
	if err != nil {
		return cli.Usage(err)
	}
	reading, err := c.reading(r)
	if err != nil {
		return err
	}
	var m reported
	if asRun {
		model, err := decisions.FoldRunReport(list, id, reading)
		if err != nil && c.AsRun {
			return err
		}
		if err == nil {
			if model.Coverage.NewsNotHeld, err = newsNotHeld(r, from, b.Manifest.Groups, id); err != nil {
				return err
			}
			m = runReport{model, c.Explain}
		}
	}
	if m == nil {
		model, err := decisions.FoldReport(list, id, reading)
		if err != nil {
			return fmt.Errorf("%w %s; the bundle holds %s", decisions.ErrNoSession, id, strings.Join(sessions, ", "))
		}
		m = sessionReport{model, c.Explain}
	}
	c.sayOtherRules(r, reading)
	return m.print(c, r)
}

// inBundle returns which session or run of a bundle is meant.
func (c *Report) inBundle(b *bundle.Bundle, sessions []string) (id string, asRun bool, err error) {
	groups := b.Manifest.Groups
	switch {
	case c.Of != "":
		return c.Of, slices.Contains(groups, c.Of) && !c.AsSession, nil
	case strings.HasPrefix(b.Manifest.Selection, "--session "):
		return strings.TrimPrefix(b.Manifest.Selection, "--session "), c.AsRun, nil
	case len(groups) == 1:
		return groups[0], !c.AsSession, nil
	}
	if len(sessions) == 0 {
		sessions = groups
	}
	return "", false, errors.New("the bundle holds several; name one of them: " + strings.Join(sessions, ", "))
}

// newsNotHeld reports whether a run relayed news to its workspace or project (PL-10, RW-15) whose group,
// with the conclusions drawn there, is not in the bundle.
func newsNotHeld(ctx context.Context, from record.Source, groups []string, id string) (lacks bool, err error) {
	for _, stream := range []events.Stream{events.StreamSignals, events.StreamDecisions} {
		of := record.Selection{Stream: stream, Type: events.TypeTimerSet, Run: id}
		err := from.Events(ctx, of, func(e record.Entry) error {
			set, is := e.Data.(*events.TimerSet)
			if is && (set.Name == run.RelayWorkspace || set.Name == run.RelayProject) {
				lacks = lacks || !slices.Contains(groups, set.Group)
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return lacks, nil
}
