package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/report"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/internal/terminal"
)

// latestShown is how many of the last things that happened stand below a live report.
const latestShown = 5

// follow shows the report again whenever it changes: a terminal is drawn anew,
// elsewhere what is new is added; JSON is one report a line.
func (c *reportCommand) follow(r *run, broker *natsio.Broker) error {
	ctx, stop := terminal.UntilReaderLeaves(r, r.out)
	defer stop()
	if _, err := app.ReadReport(ctx, broker, c.Session); errors.Is(err, app.ErrNoSession) {
		fmt.Fprintf(r.err, "waiting for session %s; Ctrl-C ends\n", c.Session)
	} else if err != nil {
		return err
	}
	var show follower
	switch {
	case c.Output == "json":
		show = &jsonFollower{out: r.out}
	case r.theme.Interactive:
		show = &screenFollower{command: c, run: r, screen: terminal.NewScreen(r.out)}
	default:
		show = &lineFollower{command: c, run: r}
	}
	err := app.FollowReport(ctx, broker, c.Session, show.changed)
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, show.end())
}

// follower shows a report that changes.
type follower interface {
	changed(m report.Model) error
	end() error
}

// jsonFollower writes a report a line.
type jsonFollower struct{ out io.Writer }

func (f *jsonFollower) changed(m report.Model) error { return json.NewEncoder(f.out).Encode(m) }

func (f *jsonFollower) end() error { return nil }

// lineFollower adds what happened, and the whole report in the end.
type lineFollower struct {
	command *reportCommand
	run     *run
	last    report.Model
	told    int
}

func (f *lineFollower) changed(m report.Model) error {
	if f.last.Turns == 0 && m.Turns > 0 {
		if _, err := fmt.Fprintln(f.run.out, report.Summary(m)); err != nil {
			return err
		}
	}
	f.last = m
	moments := m.Moments()
	for _, text := range moments[min(f.told, len(moments)):] {
		if _, err := fmt.Fprintln(f.run.out, text); err != nil {
			return err
		}
	}
	f.told = len(moments)
	return nil
}

func (f *lineFollower) end() error {
	if f.last.Session.ID == "" {
		return nil
	}
	if _, err := fmt.Fprintln(f.run.out); err != nil {
		return err
	}
	return f.command.print(f.run, f.last)
}

// screenFollower draws the report, and leaves the whole of it behind.
type screenFollower struct {
	command *reportCommand
	run     *run
	screen  *terminal.Screen
	last    report.Model
}

func (f *screenFollower) changed(m report.Model) error {
	f.last = m
	columns, rows := f.screen.Size()
	var text bytes.Buffer
	if err := report.RenderText(&text, m, columns, textStyle{Theme: f.run.theme}); err != nil {
		return err
	}
	return f.screen.Show(fitted(strings.Split(strings.TrimRight(text.String(), "\n"), "\n"), f.latest(m, columns), rows))
}

// latest is what happened last, a line each.
func (f *screenFollower) latest(m report.Model, columns int) []string {
	moments := m.Moments()
	if len(moments) == 0 {
		return nil
	}
	lines := []string{"", f.run.theme.Title.Render("Latest")}
	for _, text := range moments[max(0, len(moments)-latestShown):] {
		lines = append(lines, "  "+terminal.Shorten(text, columns-2))
	}
	return lines
}

// fitted cuts the report so that what happened last stands below it within rows.
func fitted(text, latest []string, rows int) []string {
	room := max(rows-len(latest), 2)
	if len(text) > room {
		more := len(text) - room + 1
		text = append(text[:room-1:room-1], fmt.Sprintf("… %s more; all of it when this ends", plural(more, "line")))
	}
	all := append(text, latest...)
	return all[:min(len(all), max(rows, 1))]
}

func (f *screenFollower) end() error {
	if err := f.screen.Close(); err != nil || f.last.Session.ID == "" {
		return err
	}
	return printSessions(f.run.out, f.run.theme, []report.Model{f.last})
}
