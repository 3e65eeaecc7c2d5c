package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// fate is what a later turn makes of a contradiction.
type fate struct{ *turn }

// Judge calls a signal corrected when the turn goes back to what is established
// or takes the contradiction out, committed when an edit goes on with it (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	k := &fate{&turn{instance: d, Pass: p, memory: &memory{}}}
	established, file := "", ""
	if len(s.Evidence) > 0 {
		file = s.Evidence[0].Path
		if earlier := s.Evidence[0].ConflictsWith; earlier != nil {
			established = earlier.What
		}
	}
	if outcome, why, settled := k.judgeCommands(s); settled {
		return outcome, why
	}
	outcome, why := sessionevents.OutcomeOpen, ""
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		if !detect.Applied(segment) {
			continue
		}
		here := file == "" || registry.SameFile(k.Before.Path(file), k.Before.Path(segment.Path))
		if s.Subclass == "structure" && !here {
			continue
		}
		use := established
		if !here {
			use = "" // using it elsewhere takes nothing back
		}
		more, back := k.goesOn(segment, s.Subject), k.goesBack(segment, s.Subject, use)
		if rival := k.takesRival(p, segment, s.Subject); !more && back == "" && rival != "" {
			back = "back to " + rival
		}
		switch {
		case more && !(s.Subclass == "structure" && back != ""): // its own name stays
			outcome, why = sessionevents.OutcomeCommitted, "an edit goes on with "+s.Subject
		case back != "" && outcome != sessionevents.OutcomeCommitted:
			outcome, why = sessionevents.OutcomeCorrected, back
		}
	}
	if outcome == sessionevents.OutcomeOpen && established != "" && k.returnsInWords(established) {
		return sessionevents.OutcomeCorrected, "the plan goes back to " + established
	}
	return outcome, why
}

// goesOn reports whether an edit adds more of the thing.
func (k *fate) goesOn(s *sessionevents.Segment, thing string) bool {
	if registry.SameFile(thing, k.Before.Path(s.Path)) {
		return s.Diff.Op != sessionevents.DiffDelete && len(s.Diff.Added()) > 0
	}
	return k.mentions(s, detect.Text(s), thing)
}

// goesBack says how an edit takes the thing out or uses what is established.
func (k *fate) goesBack(s *sessionevents.Segment, thing, established string) string {
	switch {
	case registry.SameFile(thing, k.Before.Path(s.Path)):
		return "the change of " + thing + " is taken back"
	case established != "" && k.mentions(s, detect.Text(s), established):
		return "back to " + established
	case k.mentions(s, detect.Joined(s.Diff.Removed()), thing):
		return thing + " is taken out"
	}
	return ""
}

// takesRival names the library by which a file that this session made does the
// job of the thing now: "" where it uses none.
func (k *fate) takesRival(p *detect.Pass, s *sessionevents.Segment, thing string) string {
	kept, ok := p.State.(*memory)
	if !ok || !slices.Contains(kept.Made, hashOf(k.Before.Path(s.Path))) {
		return ""
	}
	members := k.libraries.Named(thing)
	for _, module := range s.Imports {
		for _, m := range k.libraries.Imported(families.Ecosystem(s.Language), module) {
			if rivals(members, []*families.Member{m}) {
				return m.Spoken()
			}
		}
	}
	return ""
}

// mentions reports whether lines hold a thing by name, or by what code calls it.
func (k *fate) mentions(s *sessionevents.Segment, text, thing string) bool {
	if thing == "" || text == "" {
		return false
	}
	if code.Holds(text, lastPart(thing)) || code.Holds(text, thing) {
		return true
	}
	ecosystem := families.Ecosystem(s.Language)
	return slices.ContainsFunc(k.libraries.NamedInRule(thing), func(m *families.Member) bool {
		if m.Language != ecosystem {
			return false
		}
		named := func(name string) bool { return code.Holds(text, name) }
		return slices.ContainsFunc(m.Imports, named) || slices.ContainsFunc(m.Calls, named) || slices.ContainsFunc(m.Packages, named)
	})
}

// returnsInWords reports whether a plan says that the established thing is used.
func (k *fate) returnsInWords(established string) bool {
	lower := strings.ToLower(established)
	for i := range k.Additions.Sentences {
		sentence := strings.ToLower(k.Additions.Sentences[i].Text)
		if strings.Contains(sentence, lower) && k.request.MatchString(sentence) && !k.negation.MatchString(sentence) {
			return true
		}
	}
	return false
}

// judgeCommands judges what commands and calls answer rather than edits: a demanded
// check that runs, and a named file or call that is there after all (SW-44).
func (k *fate) judgeCommands(s *sessionevents.Signal) (outcome sessionevents.Outcome, why string, settled bool) {
	switch s.Subclass {
	case "unchecked":
		checks := strings.Split(s.Subject, ", ")
		for i := range k.Pass.Turn.Segments {
			for _, line := range k.commandLines(&k.Pass.Turn.Segments[i]) {
				checks = slices.DeleteFunc(checks, func(c string) bool { return runs(line, c) })
			}
		}
		if len(checks) == 0 {
			return sessionevents.OutcomeCorrected, "the demanded checks run", true
		}
		return sessionevents.OutcomeOpen, "", true
	case "denied", "instruction":
		return sessionevents.OutcomeOpen, "", true
	case "named-file", "dropped":
		wanted := s.Subject
		if s.Subclass == "named-file" && len(s.Evidence) > 0 && s.Evidence[0].ConflictsWith != nil {
			wanted = s.Evidence[0].ConflictsWith.Path
		}
		for i := range k.Pass.Turn.Segments {
			segment := &k.Pass.Turn.Segments[i]
			if detect.Applied(segment) && (registry.SameFile(wanted, k.Before.Path(segment.Path)) || s.Subclass == "dropped" && code.Holds(detect.Text(segment), lastName(wanted))) {
				return sessionevents.OutcomeCorrected, wanted + " is there now", true
			}
		}
		return sessionevents.OutcomeOpen, "", true
	}
	return sessionevents.OutcomeOpen, "", false
}
