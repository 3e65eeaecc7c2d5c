package ambiguity

import "strings"

// sectionKind is the kind of a section according to its heading.
type sectionKind int

const (
	bodySection     sectionKind = iota // no heading, or an unknown one
	goalSection                        // every sentence states the goal
	criteriaSection                    // every sentence is a criterion
	otherSection                       // background: ignored
)

type section struct {
	kind sectionKind
	text string
}

// sections splits a ticket's text at its headings: "## Background", "**Acceptance criteria**",
// "Notes:". Text after the colon belongs to the section.
func (a *Analyzer) sections(text string) []section {
	var out []section
	current := section{}
	var b strings.Builder
	flush := func() {
		current.text = b.String()
		if strings.TrimSpace(current.text) != "" {
			out = append(out, current)
		}
		b.Reset()
	}
	for line := range strings.Lines(text) {
		if kind, rest, ok := a.heading(line); ok {
			flush()
			current = section{kind: kind}
			b.WriteString(rest)
			continue
		}
		b.WriteString(line)
	}
	flush()
	return out
}

// heading reads a line as a heading; rest is the text after its colon.
func (a *Analyzer) heading(line string) (kind sectionKind, rest string, ok bool) {
	trimmed := strings.TrimSpace(line)
	marked := strings.HasPrefix(trimmed, "#")
	name, rest, colon := strings.Cut(strings.Trim(trimmed, "#*_ \t"), ":")
	name = strings.ToLower(strings.Trim(name, "*_ \t"))
	switch {
	case len(name) > 40:
	case a.in("criteria headings", name):
		kind, ok = criteriaSection, marked || colon || onlyHeading(trimmed)
	case a.in("goal headings", name):
		kind, ok = goalSection, marked || colon || onlyHeading(trimmed)
	case a.in("other headings", name):
		kind, ok = otherSection, marked || colon || onlyHeading(trimmed)
	case marked:
		return bodySection, strings.TrimLeft(trimmed, "# ") + "\n\n", true
	}
	return kind, strings.TrimLeft(rest, "*_ ") + "\n", ok
}

// onlyHeading reports whether a line is only a heading, such as "**Background**" or
// "Acceptance criteria".
func onlyHeading(line string) bool {
	return strings.HasPrefix(line, "*") || strings.HasPrefix(line, "_") || !strings.ContainsAny(line, ".!?;,")
}
