package patterncontradiction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// denial is a path that a refused call would have reached.
type denial struct {
	Path string `json:"p"`
	Turn int    `json:"n"`
	Tool string `json:"t"`
}

// refused keeps what a refused call was about. A refused edit is a matter of its
// content, and the person says what they want instead.
func (t *turn) refused(s *sessionevents.Segment) {
	if !s.Rejected || s.Tool == nil || s.Tool.Canonical == sessionevents.ToolEdit || s.Tool.Canonical == sessionevents.ToolWrite {
		return
	}
	for _, p := range t.reaches(s) {
		t.memory.Denied = bounded(t.memory.Denied, denial{p, t.Pass.Turn.Turn, s.Tool.Name}, t.Limits.Named)
	}
}

// reaches are the files and folders that a call is about: those it accesses, or
// those a refused one would have. The arguments of a tool that is not known are
// searched for paths.
func (t *turn) reaches(s *sessionevents.Segment) []string {
	accesses := s.Accesses
	if s.Rejected && s.Tool.Command != "" {
		accesses = t.commands.Parse(s.Tool.Command).Accesses // a segment has none of what never ran
	}
	named := []string{s.Path}
	for _, a := range accesses {
		named = append(named, a.Target)
	}
	if len(accesses) == 0 && s.Path == "" && s.Tool.Command == "" {
		named = t.Path.FindAllString(string(s.Tool.Input), -1)
	}
	var out []string
	for _, p := range named {
		if p = strings.TrimRight(strings.TrimPrefix(p, "./"), "/."); strings.Contains(p, "/") && len(p) >= leastPath && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// leastPath is the length of a path that says enough to be known again.
const leastPath = 6

// circumvented reports a call that reaches what was refused, with nothing said by
// the person in between.
func (t *turn) circumvented(s *sessionevents.Segment) {
	if s.Rejected || s.Tool == nil || len(t.memory.Denied) == 0 {
		return
	}
	for _, p := range t.reaches(s) {
		for _, d := range t.memory.Denied {
			if d.Turn == t.Pass.Turn.Turn || !sameTree(d.Path, p) {
				continue
			}
			evidence := detect.Whole(s)
			evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: d.Turn, Path: d.Path, What: "refused: " + d.Tool}
			t.report(contradiction{
				subclass: "denied", thing: d.Path, cost: contraryCost, confidence: t.Confidence.Denied, evidence: evidence,
				message: fmt.Sprintf("Permission for %s on %s was denied in turn %d, and this turn reaches it another way. Ask before you go on.", quote.Name(d.Tool), quote.Path(d.Path), d.Turn),
				reason:  "What a person or policy refused is reached by another call, without a word in between.",
			})
			t.memory.Denied = nil // said once
			return
		}
	}
}

// sameTree reports whether one path is the other or holds it.
func sameTree(a, b string) bool {
	return a == b || strings.HasPrefix(b, a+"/") || strings.HasPrefix(a, b+"/") || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a) ||
		strings.Contains(b, "/"+a+"/")
}
