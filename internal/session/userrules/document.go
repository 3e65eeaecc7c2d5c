package userrules

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// document returns the detector's documentation, in the form common to all (SW-32).
func (r *Rule) document() string {
	var b strings.Builder
	section := func(name, text string) { fmt.Fprintf(&b, "\n## %s\n\n%s\n", name, plain(text)) }
	fmt.Fprintf(&b, "# %s %s: %s\n", r.ID, name(r.ID), r.Title)
	section("Trigger", r.trigger())
	section("Validators", r.validators())
	section("Scoring", r.scoring())
	section("Firing", examples(r.Examples.Firing))
	section("Silent", examples(r.Examples.Silent))
	precision := r.Precision
	if precision == "" {
		precision = "Not measured. Its examples run with `scaffoldwatch rules test`."
	}
	section("Precision", precision)
	return b.String()
}

// plain returns the text with its headings escaped.
func plain(text string) string {
	return strings.TrimSpace(strings.ReplaceAll("\n"+strings.TrimSpace(text), "\n#", "\n\\#"))
}

func (r *Rule) trigger() string {
	each := "each " + strings.ToUpper(r.On)
	switch r.On {
	case "segment":
		each = "each segment"
	case "turn":
		each = "the turn"
	}
	s := "A rule of this installation. It holds for " + each + " where:\n\n" + indented(r.When.Text)
	if r.Help != "" {
		s = strings.TrimSpace(r.Help) + "\n\n" + s
	}
	for _, c := range r.Counters {
		s += fmt.Sprintf("\n\nCounter `%s` adds `%s`", c.Name, text.Line(c.Add.Text))
		if c.Reset.Text != "" {
			s += fmt.Sprintf(", from 0 when `%s`", text.Line(c.Reset.Text))
		}
		s += "."
	}
	return s
}

func (r *Rule) validators() string {
	var b strings.Builder
	for _, s := range r.Suppress {
		fmt.Fprintf(&b, "- %s: recorded, not sent, where `%s`.\n", s.Reason, text.Line(s.When.Text))
	}
	if b.Len() == 0 {
		return "None of its own."
	}
	return b.String()
}

func (r *Rule) scoring() string {
	text := fmt.Sprintf("Cost %d, P(self-corrects) %.2f, confidence %.2f.", r.Cost, r.P, r.Confidence)
	if r.Floor > 0 {
		text += fmt.Sprintf(" Floor %.1f.", r.Floor)
	}
	if r.Cap > 0 {
		text += fmt.Sprintf(" Cap %.1f.", r.Cap)
	}
	return text + "\n\nSays: " + r.Message.Text
}

func examples(list []Example) string {
	if len(list) == 0 {
		return "No example."
	}
	var parts []string
	for _, e := range list {
		parts = append(parts, cmp.Or(e.Name, "Without a name")+":\n\n"+indented(e.Script.Text))
	}
	return strings.Join(parts, "\n\n")
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
