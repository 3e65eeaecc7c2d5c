package ambiguity

import (
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
)

// signals finds the word signals of each sentence (PL-31). A pronoun may refer to
// something in the previous sentence or the title.
func (a *Analyzer) signals(r *Report, title []Sentence) {
	named := false
	for i := range r.Sentences {
		s := &r.Sentences[i]
		before := i > 0 && r.Sentences[i-1].Place == s.Place && a.names(&r.Sentences[i-1], len(r.Sentences[i-1].words))
		s.Signals = a.of(s, named || before)
		if i < len(title) {
			named = named || a.names(s, len(s.words))
		}
	}
}

// of returns the signals of one sentence, at most one of each kind.
func (a *Analyzer) of(s *Sentence, named bool) []Signal {
	d := s.document()
	exempt := spans(a.exempt.Find(d))
	var out []Signal
	add := func(kind Kind, text string) {
		if text != "" {
			out = append(out, Signal{kind, text})
		}
	}
	add(WeakModal, hit(a.modals, d, exempt))
	if len(a.measures.Find(d)) == 0 {
		add(VagueQuantifier, hit(a.vague, d, exempt))
	}
	add(AgentlessPassive, a.passive(s))
	add(UndefinedPronoun, a.pronoun(s, spans(a.expletives.Find(d)), named))
	return out
}

// hit returns the first match outside the exempt spans.
func hit(p *prose.Phrases, d *prose.Document, exempt []prose.Span) string {
	for _, m := range p.Find(d) {
		if !within(exempt, m.Span.From) && !joined(d.Masked, m.Span) {
			return d.Text[m.Span.From:m.Span.To]
		}
	}
	return ""
}

// joined reports whether a match is only part of a longer name: fail-fast, fast.go.
func joined(text string, s prose.Span) bool {
	if s.From > 0 && isJoint(text[s.From-1]) {
		return true
	}
	return s.To+1 < len(text) && isJoint(text[s.To]) && text[s.To+1] != ' '
}

func isJoint(c byte) bool { return c == '-' || c == '_' || c == '/' || c == '.' }

func spans(matches []prose.Match) []prose.Span {
	out := make([]prose.Span, len(matches))
	for i, m := range matches {
		out[i] = m.Span
	}
	return out
}

func within(list []prose.Span, at int) bool {
	for _, s := range list {
		if at >= s.From && at < s.To {
			return true
		}
	}
	return false
}

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
func (g *Grammar) sections(text string) []section {
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
		if kind, rest, ok := g.heading(line); ok {
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
func (g *Grammar) heading(line string) (kind sectionKind, rest string, ok bool) {
	trimmed := strings.TrimSpace(line)
	marked := strings.HasPrefix(trimmed, "#")
	name, rest, colon := strings.Cut(strings.Trim(trimmed, "#*_ \t"), ":")
	name = strings.ToLower(strings.Trim(name, "*_ \t"))
	switch {
	case len(name) > 40:
	case g.CriteriaHeadings[name]:
		kind, ok = criteriaSection, marked || colon || onlyHeading(trimmed)
	case g.GoalHeadings[name]:
		kind, ok = goalSection, marked || colon || onlyHeading(trimmed)
	case g.OtherHeadings[name]:
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

// word is one word of a sentence; masked code and quotes count as a word.
type word struct {
	text  string
	lower string
	from  int  // bytes into the sentence
	stop  bool // followed by a comma, semicolon, colon or dash, which ends a clause
}

// code reports whether the word replaces code or a quote.
func (w word) code() bool { return strings.IndexByte(w.text, prose.Mask) >= 0 }

// name reports whether the word is written like something in a program: a path, an
// identifier, a number, a capitalized abbreviation.
func (w word) name() bool {
	if w.code() || strings.ContainsAny(w.text, "_/.()0123456789") {
		return true
	}
	upper := 0
	for i, r := range w.text {
		if unicode.IsUpper(r) {
			if upper++; i > 0 {
				return true // getUser, API
			}
		}
	}
	return false
}

// split returns the first words of a sentence; people do not write longer ones.
func split(sentence string, most int) []word {
	var out []word
	for at := 0; at < len(sentence) && len(out) < most; {
		if sentence[at] == ' ' {
			at++
			continue
		}
		end := at
		for end < len(sentence) && sentence[end] != ' ' {
			end++
		}
		out = appendWord(out, sentence, at, end)
		at = end
	}
	return out
}

const around = `.,;:!?()[]{}"'` + "`" + `*_-–—<>`

func appendWord(out []word, sentence string, from, to int) []word {
	token := sentence[from:to]
	core := strings.TrimLeft(token, around)
	lead := len(token) - len(core)
	core = strings.TrimRight(core, around)
	tail := token[lead+len(core):]
	if core == "" { // punctuation only: a dash, a bracket
		if len(out) > 0 && !strings.ContainsAny(token, `"'`) {
			out[len(out)-1].stop = true
		}
		return out
	}
	return append(out, word{text: core, lower: strings.ToLower(core), from: from + lead, stop: strings.ContainsAny(tail, ".,;:!?)–—")})
}
