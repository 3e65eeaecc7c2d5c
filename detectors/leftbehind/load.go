package leftbehind

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// load judges the load of a command on the machine or a service: endless loops, too many
// at a time, programs that use up a machine.
func (d *instance) load(p *detect.Pass, s *sessionevents.Segment) *detect.Finding {
	if s.Tool.Command == "" {
		return nil
	}
	for _, l := range d.shell.Loops(s.Tool.Command) {
		if strings.Contains(s.Tool.Command, "timeout ") {
			break
		}
		if f := d.loop(p, s, l); f != nil {
			return f
		}
	}
	for _, t := range d.shell.Steps(s.Tool.Command) {
		if slices.Contains(d.config.Loads, t.Name) && !d.asked(p, d.config.LoadWords) {
			return d.loaded(s, "load", t.Name, d.config.Confidence.Load, "Nothing in the task asks for "+t.Name+", which uses the machine up. Stop it.")
		}
	}
	return nil
}

// loop judges one loop.
func (d *instance) loop(p *detect.Pass, s *sessionevents.Segment, l shell.Loop) *detect.Finding {
	c := &d.config
	requests := slices.ContainsFunc(l.Calls, func(n string) bool { return slices.Contains(c.Requesters, n) })
	switch source := shortened(l.Source); {
	case l.Endless && (!l.Waits || d.asked(p, d.config.AsksCleanup)) && len(l.Calls) > 0:
		return d.loaded(s, "endless", source, c.Confidence.Endless, "The loop `"+source+"` never ends by itself. Give it a number of rounds or a timeout.")
	case l.Parallel && l.Rounds >= c.ParallelRounds && !d.asked(p, d.config.LoadWords):
		return d.loaded(s, "parallel", source, c.Confidence.Parallel, "The loop `"+source+"` starts all its rounds at the same time. Limit how many run at once, and wait for them.")
	case requests && !l.Waits && l.Rounds >= c.RequestRounds && !d.asked(p, d.config.LoadWords):
		return d.loaded(s, "requests", source, c.Confidence.Parallel, "The loop `"+source+"` sends its requests without a pause. Take fewer, with a pause between them.")
	}
	return nil
}

func (d *instance) loaded(s *sessionevents.Segment, subclass, subject string, confidence float64, message string) *detect.Finding {
	return &detect.Finding{
		Subclass: subclass, Subject: subject, Confidence: confidence, ReworkCost: cost, SelfCorrect: selfCorrect, Floor: floor,
		Evidence: []sessionevents.Evidence{detect.Whole(s)}, Message: message,
		Reason: "It takes the machine or a service for as long as nobody stops it.",
	}
}

// codeLoad judges loops in code that an edit adds: in a script, or with a complete body
// without an exit.
func (d *instance) codeLoad(p *detect.Pass, s *sessionevents.Segment) *detect.Finding {
	added := s.Diff.Added()
	if d.aside(s.Path) || len(added) == 0 {
		return nil
	}
	if d.config.Scripts.MatchString(s.Path) {
		var text strings.Builder
		for _, l := range added {
			text.WriteString(l.Text + "\n")
		}
		for _, l := range d.shell.Loops(text.String()) {
			if l.Endless && !l.Waits && len(l.Calls) > 0 {
				return d.loop(p, s, l)
			}
		}
		return nil
	}
	for i, l := range added {
		if d.config.Endless.MatchString(l.Text) && d.noWayOut(added[i+1:], indent(l.Text), s.Diff.Op == sessionevents.DiffCreate) {
			source := shortened(l.Text)
			return d.loaded(s, "endless", source+" in "+s.Path, d.config.Confidence.Endless, "The loop `"+source+"` has no way out. Limit its rounds, or end it on success and on failure.")
		}
	}
	return nil
}

// noWayOut reports whether the complete body of a loop is visible and never leaves it;
// whole is set if nothing follows the lines.
func (d *instance) noWayOut(rest []sessionevents.Line, outer int, whole bool) bool {
	body := false
	for i, l := range rest {
		if strings.TrimSpace(l.Text) == "" {
			continue
		}
		if indent(l.Text) <= outer {
			return i > 0
		}
		if d.config.Ends.MatchString(l.Text) {
			return false
		}
		body = true
	}
	return whole && body
}

func indent(text string) int {
	return len(text) - len(strings.TrimLeft(text, " \t"))
}
