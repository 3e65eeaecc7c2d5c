package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge calls a signal corrected when the turn goes back to what is established
// or takes the contradiction out, committed when an edit goes on with it (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	t := &turn{instance: d, Pass: p, memory: &memory{}}
	established, file := "", ""
	if len(s.Evidence) > 0 {
		file = s.Evidence[0].Path
		if earlier := s.Evidence[0].ConflictsWith; earlier != nil {
			established = earlier.What
		}
	}
	if outcome, why, settled := t.judgeCommands(s); settled {
		return outcome, why
	}
	outcome, why := sessionevents.OutcomeOpen, ""
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		if !applied(segment) {
			continue
		}
		here := file == "" || samePath(t.Before.Path(file), t.Before.Path(segment.Path))
		if s.Subclass == "structure" && !here {
			continue
		}
		use := established
		if !here {
			use = "" // using it elsewhere takes nothing back
		}
		more, back := t.goesOn(segment, s.Subject), t.goesBack(segment, s.Subject, use)
		if rival := t.takesRival(p, segment, s.Subject); !more && back == "" && rival != "" {
			back = "back to " + rival
		}
		switch {
		case more && !(s.Subclass == "structure" && back != ""): // its own name stays
			outcome, why = sessionevents.OutcomeCommitted, "an edit goes on with "+s.Subject
		case back != "" && outcome != sessionevents.OutcomeCommitted:
			outcome, why = sessionevents.OutcomeCorrected, back
		}
	}
	if outcome == sessionevents.OutcomeOpen && established != "" && t.returnsInWords(established) {
		return sessionevents.OutcomeCorrected, "the plan goes back to " + established
	}
	return outcome, why
}

// goesOn reports whether an edit adds more of the thing.
func (t *turn) goesOn(s *sessionevents.Segment, thing string) bool {
	if samePath(thing, t.Before.Path(s.Path)) {
		return s.Diff.Op != sessionevents.DiffDelete && len(s.Diff.Added()) > 0
	}
	return t.mentions(s, detect.Text(s), thing)
}

// goesBack says how an edit takes the thing out or uses what is established.
func (t *turn) goesBack(s *sessionevents.Segment, thing, established string) string {
	var removed strings.Builder
	for _, line := range s.Diff.Removed() {
		removed.WriteString(line.Text + "\n")
	}
	switch {
	case samePath(thing, t.Before.Path(s.Path)):
		return "the change of " + thing + " is taken back"
	case established != "" && t.mentions(s, detect.Text(s), established):
		return "back to " + established
	case t.mentions(s, removed.String(), thing):
		return thing + " is taken out"
	}
	return ""
}

// takesRival names the library by which a file that this session made does the
// job of the thing now: "" where it uses none.
func (t *turn) takesRival(p *detect.Pass, s *sessionevents.Segment, thing string) string {
	kept, ok := p.State.(*memory)
	if !ok || !slices.Contains(kept.Made, hashOf(t.Before.Path(s.Path))) {
		return ""
	}
	members := t.libraries.Named(thing)
	for _, module := range s.Imports {
		for _, m := range t.libraries.Imported(families.Ecosystem(s.Language), module) {
			if rivals(members, []*families.Member{m}) {
				return m.Spoken()
			}
		}
	}
	return ""
}

// mentions reports whether lines hold a thing by name, or by what code calls it.
func (t *turn) mentions(s *sessionevents.Segment, text, thing string) bool {
	if thing == "" || text == "" {
		return false
	}
	if containsName(text, lastPart(thing)) || containsName(text, thing) {
		return true
	}
	ecosystem := families.Ecosystem(s.Language)
	return slices.ContainsFunc(t.libraries.NamedInRule(thing), func(m *families.Member) bool {
		if m.Language != ecosystem {
			return false
		}
		named := func(name string) bool { return containsName(text, name) }
		return slices.ContainsFunc(m.Imports, named) || slices.ContainsFunc(m.Calls, named) || slices.ContainsFunc(m.Packages, named)
	})
}

// containsName finds a name that is not part of a longer one.
func containsName(text, name string) bool {
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(name)
		if (at == 0 || !isNameByte(text[at-1])) && (from == len(text) || !isNameByte(text[from])) {
			return true
		}
	}
	return false
}

// returnsInWords reports whether a plan says that the established thing is used.
func (t *turn) returnsInWords(established string) bool {
	lower := strings.ToLower(established)
	for i := range t.Additions.Sentences {
		sentence := strings.ToLower(t.Additions.Sentences[i].Text)
		if strings.Contains(sentence, lower) && t.request.MatchString(sentence) && !t.negation.MatchString(sentence) {
			return true
		}
	}
	return false
}
