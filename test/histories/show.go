package histories

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/replayed"
)

// Show describes the first difference of each group as a person reads it: the input that
// caused it, the field, and what changed between the two events.
func (h History) Show(stages []replayed.Stage) string {
	var b strings.Builder
	for _, s := range stages {
		for _, d := range s.Result.First {
			fmt.Fprintf(&b, "%s decides %s otherwise: %s %s differs in %s\n", s.Name, d.Group, d.Type, d.ID, d.Field)
			fmt.Fprintf(&b, "  caused by: %s\n", h.cause(d.Cause))
			fmt.Fprintf(&b, "  recorded:  %s\n  derived:   %s\n", d.Recorded, d.Derived)
			b.WriteString(indent(changed(d)))
		}
	}
	return b.String()
}

// cause describes the input of a stage by its id.
func (h History) cause(id string) string {
	for _, stream := range order {
		for _, m := range h.Streams[stream] {
			if e, err := events.DecodeMessage(m.Header, m.Data); err == nil && e.ID == id {
				return fmt.Sprintf("%s %s of %s at %s", e.Type, e.ID, e.Subject, e.Time.Format("15:04:05"))
			}
		}
	}
	return id
}

// maxShown is how many lines of two events are compared on the screen.
const maxShown = 30

// changed returns the lines in which two events' data differ, or the data of two events of
// different types.
func changed(d engine.Departure) string {
	if d.Field == "subject" {
		return fmt.Sprintf("- %s\n+ %s\n", clip(d.Was), clip(d.Is))
	}
	text := udiff.Unified("recorded", "derived", pretty(d.Was), pretty(d.Is))
	lines := strings.SplitAfter(text, "\n")
	if len(lines) > maxShown {
		lines = append(lines[:maxShown:maxShown], fmt.Sprintf("… and %d more lines\n", len(lines)-maxShown))
	}
	return strings.Join(lines, "")
}

func clip(data []byte) string {
	const most = 400
	if runes := []rune(string(data)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(data)
}

func pretty(data []byte) string {
	var out bytes.Buffer
	if len(data) == 0 || json.Indent(&out, data, "", " ") != nil {
		return string(data)
	}
	return out.String() + "\n"
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}
