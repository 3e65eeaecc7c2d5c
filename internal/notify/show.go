package notify

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
)

// Lines formats a state for people.
func Lines(s *notice.State) []string {
	var lines []string
	section := func(title string, list []string) {
		if len(list) > 0 {
			lines = append(append(lines, title), list...)
		}
	}
	section("switched off:", switchedOff(s))
	section("held for working hours:", gathered(s, true))
	section("gathering:", gathered(s, false))
	section("pending:", waiting(s))
	section("lately:", lately(s))
	if s.Shed > 0 {
		lines = append(lines, fmt.Sprintf("dropped because too many were pending: %d", s.Shed))
	}
	if len(lines) == 0 {
		return []string{"nothing is pending, and nothing was sent yet"}
	}
	return lines
}

func at(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func switchedOff(s *notice.State) []string {
	var out []string
	for id, h := range s.Channels {
		if h.Off != "" {
			out = append(out, fmt.Sprintf("  %s since %s: %s", id, at(h.At), h.Off))
		}
	}
	sort.Strings(out)
	return out
}

func gathered(s *notice.State, held bool) []string {
	var out []string
	for _, g := range s.Groups {
		if len(g.Waiting) == 0 || (g.Gathers == "held") != held {
			continue
		}
		for _, n := range g.Waiting {
			out = append(out, fmt.Sprintf("  %s by %s: %s", at(g.Due), g.Channel, n.Title))
		}
		if g.More > 0 {
			out = append(out, fmt.Sprintf("  %s by %s: and %d more", at(g.Due), g.Channel, g.More))
		}
	}
	sort.Strings(out)
	return out
}

func waiting(s *notice.State) []string {
	out := make([]string, 0, len(s.Outbox))
	for _, m := range s.Outbox {
		line := fmt.Sprintf("  %s by %s: %s", at(m.After), m.Channel, m.Title)
		if m.Attempts > 0 {
			line += fmt.Sprintf(" (tried %d times: %s)", m.Attempts, m.Problem)
		}
		out = append(out, line)
	}
	return out
}

// lately lists past messages, latest first.
func lately(s *notice.State) []string {
	var out []string
	for i := len(s.Past) - 1; i >= 0; i-- {
		p := s.Past[i]
		line := fmt.Sprintf("  %s %s by %s: %s", at(p.At), p.Outcome, p.Channel, p.Title)
		if p.Why != "" {
			line += " (" + p.Why + ")"
		}
		out = append(out, line)
		if p.Text != "" {
			out = append(out, "      "+strings.ReplaceAll(p.Text, "\n", "\n      "))
		}
	}
	return out
}
