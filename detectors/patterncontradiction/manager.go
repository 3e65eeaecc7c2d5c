package patterncontradiction

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// managed judges a command of another package manager than the project's: one
// that a rule names, or, which is logged only, one whose lock file was listed.
func (t *turn) managed(s *sessionevents.Segment) {
	f := t.libraries.Family("package-manager")
	if f == nil {
		return
	}
	for _, m := range f.Members {
		at, length := commandOf(s.Tool.Command, m)
		if length == 0 {
			continue
		}
		evidence := detect.At(s, at, length)
		if t.managedByRule(m, evidence) || t.commandAgainst(m, evidence) || t.present(m, "") {
			return
		}
		for _, other := range f.Members {
			if u := t.memory.Uses[other.Key()]; !m.Raw && u != nil && u.Manifest != "" && m.Rivals(other) {
				evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: u.Turn, Path: u.Manifest, What: other.Name}
				t.report(contradiction{
					subclass: "alternative", thing: m.Name, established: other.Name, cost: bypassCost, confidence: t.Confidence.Manifest,
					inferred: true, logOnly: true, known: true, evidence: evidence,
					message: fmt.Sprintf("The turn runs %s, but %s says that this project uses %s. Use %s.", m.Name, quote.Path(u.Manifest), other.Name, other.Name),
					reason:  fmt.Sprintf("%s is a second package manager beside %s, whose lock file is %s.", m.Name, other.Name, u.Manifest),
				})
				return
			}
		}
	}
}

// managedByRule reports a command of a package manager that a rule rules out.
func (t *turn) managedByRule(m *families.Member, evidence sessionevents.Evidence) bool {
	r, _ := t.ruledOut(only(m))
	if r == nil {
		return false
	}
	evidence.ConflictsWith = r.earlier()
	t.report(contradiction{
		rule: r.text, subclass: r.origin, thing: m.Name, established: r.established, cost: contraryCost, confidence: t.Confidence.Declared,
		known: t.knows(r.established), evidence: evidence,
		message: fmt.Sprintf("The turn runs %s, but %s. %s", m.Name, t.says(r), t.advice(r, "Ask first.")),
		reason:  fmt.Sprintf("The turn runs %s, but %s.", m.Name, t.states(r)),
	})
	return true
}

// commandOf is where a command line runs a package manager; a length of 0 where
// it does not.
func commandOf(line string, m *families.Member) (at, length int) {
	for _, command := range m.Commands {
		at := strings.Index(line, command)
		if at < 0 {
			continue
		}
		end := at + len(command)
		starts := at == 0 || strings.ContainsAny(line[at-1:at], " ;&|(\n")
		if starts && (end == len(line) || strings.ContainsAny(line[end:end+1], " ;&|)\n")) && !strings.Contains(line[at:], " -g") {
			return at, len(command)
		}
	}
	return 0, 0
}
