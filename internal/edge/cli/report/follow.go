package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
)

// latestShown limits how many of the latest events are shown below a live report.
const latestShown = 5

// follow shows the report again whenever it changes: a terminal is redrawn, other outputs get only what is
// new, and JSON is one report on each line.
func (c *Report) follow(r *cli.Call, broker *nats.Broker) error {
	heap.Usual()
	ctx, stop := terminal.UntilReaderLeaves(r, r.Stdout)
	defer stop()
	reading, err := c.reading(r)
	if err != nil {
		return err
	}
	subject, err := c.subject(ctx, broker, reading)
	if err != nil {
		return err
	}
	if _, err := subject.read(ctx); errors.Is(err, decisions.ErrNoSession) || errors.Is(err, decisions.ErrNoRun) {
		fmt.Fprintf(r.Stderr, "waiting for %s %s; Ctrl-C ends\n", subject.kind, c.ID)
	} else if err != nil {
		return err
	}
	c.sayOtherRules(r, reading)
	var show follower
	switch {
	case c.Output == "json":
		show = &jsonFollower{out: r.Stdout}
	case r.Theme.Interactive:
		show = &screenFollower{command: c, run: r, screen: terminal.NewScreen(r.Stdout)}
	default:
		show = &lineFollower{command: c, run: r}
	}
	err = subject.follow(ctx, show.changed)
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, show.end())
}

// follower shows a report that changes.
type follower interface {
	changed(m reported) error
	end() error
}

// jsonFollower writes one report on each line.
type jsonFollower struct{ out io.Writer }

func (f *jsonFollower) changed(m reported) error { return json.NewEncoder(f.out).Encode(m.data()) }

func (f *jsonFollower) end() error { return nil }

// lineFollower appends what happened, and finally the whole report.
type lineFollower struct {
	command *Report
	run     *cli.Call
	last    reported
	begun   bool
	told    int
}

func (f *lineFollower) changed(m reported) error {
	if !f.begun && m.begun() {
		f.begun = true
		if _, err := fmt.Fprintln(f.run.Stdout, m.summary()); err != nil {
			return err
		}
	}
	f.last = m
	moments := m.moments()
	for _, text := range moments[min(f.told, len(moments)):] {
		if _, err := fmt.Fprintln(f.run.Stdout, text); err != nil {
			return err
		}
	}
	f.told = len(moments)
	return nil
}

func (f *lineFollower) end() error {
	if f.last == nil {
		return nil
	}
	if _, err := fmt.Fprintln(f.run.Stdout); err != nil {
		return err
	}
	return f.last.print(f.command, f.run)
}

// screenFollower redraws the report, and leaves it complete on the screen.
type screenFollower struct {
	command *Report
	run     *cli.Call
	screen  *terminal.Screen
	last    reported
}

func (f *screenFollower) changed(m reported) error {
	f.last = m
	columns, rows := f.screen.Size()
	var s bytes.Buffer
	if err := m.text(&s, doc.Screen{Width: columns, Style: cli.TextStyle{Theme: f.run.Theme}}); err != nil {
		return err
	}
	return f.screen.Show(fitted(strings.Split(strings.TrimRight(s.String(), "\n"), "\n"), f.latest(m, columns), rows))
}

// latest returns the latest events, one on each line.
func (f *screenFollower) latest(m reported, columns int) []string {
	moments := m.moments()
	if len(moments) == 0 {
		return nil
	}
	lines := []string{"", f.run.Theme.Title.Render("Latest")}
	for _, text := range moments[max(0, len(moments)-latestShown):] {
		lines = append(lines, "  "+terminal.Shorten(text, columns-2))
	}
	return lines
}

// fitted truncates the report so that the latest events fit below it within rows.
func fitted(s, latest []string, rows int) []string {
	room := max(rows-len(latest), 2)
	if len(s) > room {
		more := len(s) - room + 1
		s = append(s[:room-1:room-1], fmt.Sprintf("… %s more; all of it when this ends", text.Count(more, "line")))
	}
	all := append(s, latest...)
	return all[:min(len(all), max(rows, 1))]
}

func (f *screenFollower) end() error {
	if err := f.screen.Close(); err != nil || f.last == nil {
		return err
	}
	return f.last.text(f.run.Stdout, doc.Screen{Width: f.run.Theme.Width, Style: cli.TextStyle{Theme: f.run.Theme}})
}
