package ledger

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// finishes reports whether a call ends the session with a report: a finish tool or command.
func (d *digest) finishes(s *sessionevents.Segment) bool {
	if s.Tool == nil || s.Kind == sessionevents.SegmentError {
		return false
	}
	return slices.Contains(d.c.FinishTools, strings.ToLower(s.Tool.Name)) || s.Tool.Command != "" && d.c.FinishCommands.MatchString(s.Tool.Command)
}

// handsOver reports whether a call describes the work to others: the report that ends a
// session, the message of a commit, the text of a pull request.
func (d *digest) handsOver(s *sessionevents.Segment) bool {
	return d.finishes(s) || s.Tool != nil && s.Kind != sessionevents.SegmentError && s.Tool.Command != "" && d.c.HandsOver.MatchString(s.Tool.Command)
}

// callText returns the text of a call: the texts of its input, or its command line.
func callText(s *sessionevents.Segment) string {
	if s.Tool == nil {
		return ""
	}
	if s.Tool.Command != "" {
		return commitText(s.Tool.Command)
	}
	var fields map[string]any
	if s.Tool.Canonical != sessionevents.ToolOther || json.Unmarshal(s.Tool.Input, &fields) != nil {
		return ""
	}
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if text, ok := fields[key].(string); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// commitText returns the message within the command line of a commit or pull request: the
// text in quotes or in a here-document.
func commitText(command string) string {
	for _, mark := range []string{"EOF", "-m ", "-am ", "--message", "--body ", "-b "} {
		if _, after, ok := strings.Cut(command, mark); ok {
			return strings.Trim(after, "'\"=\n )")
		}
	}
	return ""
}

func sentencesOf(text string) []string {
	var out []string
	for _, s := range prose.Sentences(text) {
		out = append(out, s.Text)
	}
	return out
}

// fabricates records a call that itself prints or writes the output of a check.
func (d *digest) fabricates(s *sessionevents.Segment) {
	if s.Rejected || s.Proposed || s.Tool == nil {
		return
	}
	text := ""
	switch command := strings.TrimSpace(s.Tool.Command); {
	case strings.HasPrefix(command, "echo ") || strings.HasPrefix(command, "printf "):
		if !strings.ContainsAny(command, ";|&$`") {
			text = command
		}
	case s.Kind == sessionevents.SegmentDiff && d.c.Logs.MatchString(s.Path) && s.Diff != nil && !s.Diff.Failed:
		for _, l := range s.Diff.Added() {
			text += l.Text + "\n"
		}
	}
	if m := d.c.Printed.FindString(text); m != "" && d.out.Printed == "" {
		d.out.Printed, d.out.PrintedAt = d.shorten(strings.TrimSpace(text)), s.Index
	}
}
