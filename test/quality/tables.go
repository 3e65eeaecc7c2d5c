package main

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// table shows signals and interrupts by detector.
func (o *outcome) table() string {
	var b strings.Builder
	sessions := float64(max(len(o.sessions), 1))
	fmt.Fprintf(&b, "\n### Real sessions\n\n%d transcripts, %d sessions, %d turns: %d interrupts, %.2f per session.\n\n",
		o.files, len(o.sessions), o.turns, len(o.fired), float64(len(o.fired))/sessions)
	b.WriteString("| detector | signals | suppressed | logged | corrected in time | fired | queued to the end | signals per 100 sessions |\n|---|---|---|---|---|---|---|---|\n")
	for _, d := range all.Detectors() {
		ends := map[string]int{}
		total := 0
		for _, s := range o.signals {
			if s.signal.Detector == d.ID {
				ends[s.end]++
				total++
			}
		}
		fmt.Fprintf(&b, "| %s %s | %d | %d | %d | %d | %d | %d | %.1f |\n", d.ID, d.Name, total, ends["suppressed"], ends["logged"],
			ends["self_corrected"], ends["fired"], ends["unsent"]+ends["expired"]+ends["coalesced"], 100*float64(total)/sessions)
	}
	return b.String()
}

// interrupts returns every interrupt with its evidence, to be read.
func (o *outcome) interrupts() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %d interrupts in %d sessions\n", len(o.fired), len(o.sessions))
	for i, f := range o.fired {
		fmt.Fprintf(&b, "\n## %d. %s, session %s, turn %d\n\n%s\n%s\nReason: %s\n", i+1, f.file, f.interrupt.Session, f.interrupt.Turn, f.interrupt.Headline, f.interrupt.Message, f.interrupt.Reason)
		for _, s := range f.signals {
			evidence(&b, s)
		}
	}
	return b.String()
}

// listing returns every signal that was not suppressed.
func (o *outcome) listing() string {
	var b strings.Builder
	for _, s := range o.signals {
		if s.end == "suppressed" {
			continue
		}
		fmt.Fprintf(&b, "\n%s %s (%s)\n%s\n", s.file, s.signal.Session, s.end, s.signal.Message)
		evidence(&b, s.signal)
	}
	return b.String()
}

func evidence(b *strings.Builder, s *sessionevents.Signal) {
	fmt.Fprintf(b, "- %s/%s %q, turn %d, urgency %s, confidence %.2f\n", s.Detector, s.Subclass, s.Subject, s.Turn, s.Urgency, s.Confidence)
	for _, e := range s.Evidence {
		fmt.Fprintf(b, "  - segment %d %s %s:%d `%s`", e.Segment, e.Kind, e.Path, e.Line, strings.ReplaceAll(e.Quote, "\n", "⏎"))
		if c := e.ConflictsWith; c != nil {
			fmt.Fprintf(b, " against turn %d %s %s", c.Turn, c.Path, c.What)
		}
		b.WriteByte('\n')
	}
}
