package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

// segmented shows a turn's segments, one a line.
func (w *writer) segmented(d *sessionevents.TurnSegmented) {
	w.line("turn.segmented %s #%d%s", d.Session, d.Turn, continuity(d.Continuity))
	for i := range d.Segments {
		w.line("  %s", segment(&d.Segments[i]))
	}
	for _, s := range d.Secrets {
		w.line("  secret %s (%s, confidence %.2f) at %s in segment %d", s.Rule, s.Tier, s.Confidence, s.Variable, s.Segment)
	}
}

func continuity(c *sessionevents.Continuity) string {
	if c == nil {
		return ""
	}
	words := ""
	for _, one := range []struct {
		word string
		yes  bool
	}{{" fork of " + c.ForkOf, c.Fork}, {" out of order", c.OutOfOrder}, {" compacted", c.Compacted}, {" resumed", c.Resumed}} {
		if one.yes {
			words += one.word
		}
	}
	return words
}

func segment(s *sessionevents.Segment) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s [%d+%d]", s.Index, s.Kind, s.Offset, s.Length)
	for _, mark := range []struct {
		word string
		yes  bool
	}{{"thinking", s.Thinking}, {"proposed", s.Proposed}, {"rejected", s.Rejected}} {
		if mark.yes {
			b.WriteString(" " + mark.word)
		}
	}
	if s.Tool != nil {
		b.WriteString(" " + s.Tool.Name + "=" + string(s.Tool.Canonical))
	}
	if s.Path != "" {
		b.WriteString(" " + s.Path)
	}
	content(&b, s)
	for _, a := range s.Accesses {
		fmt.Fprintf(&b, " (%s %s %s %d-%d)", a.Kind, a.Target, a.Query, a.From, a.To)
	}
	for _, symbol := range s.Symbols {
		fmt.Fprintf(&b, " {%s %s%s}", symbol.Kind, symbol.Name, symbol.Signature)
	}
	return b.String()
}

// content returns what a segment holds, depending on its kind.
func content(b *strings.Builder, s *sessionevents.Segment) {
	if s.Diff != nil {
		fmt.Fprintf(b, " %s +%d -%d", s.Diff.Op, len(s.Diff.Added()), len(s.Diff.Removed()))
	}
	for _, item := range s.Todo {
		fmt.Fprintf(b, " [%s: %s]", item.Status, item.Text)
	}
	if s.Error != nil {
		fmt.Fprintf(b, " %q confidence %.1f", s.Error.Signature, s.Error.Confidence)
	} else if s.Text != "" {
		fmt.Fprintf(b, " %q", s.Text)
	}
	if s.Result != nil {
		fmt.Fprintf(b, " result %d bytes %s", s.Result.Bytes, s.Result.Hash)
	}
}
