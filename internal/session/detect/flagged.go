package detect

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Flagged returns the turn's first red flag with one of the ids and one of the words in
// its sentence, nil if there is none.
func Flagged(p *Pass, ids map[string]bool, words *pattern.Regexp) *sessionevents.RedFlagHit {
	if p.Additions == nil {
		return nil
	}
	for i := range p.Additions.RedFlags {
		if hit := &p.Additions.RedFlags[i]; ids[hit.ID] && words.MatchString(hit.Sentence) {
			return hit
		}
	}
	return nil
}

// AtFlag returns evidence for a red flag: its sentence, or nothing if the turn does not
// contain it.
func AtFlag(p *Pass, hit *sessionevents.RedFlagHit) []sessionevents.Evidence {
	if hit.Segment < 0 || hit.Segment >= len(p.Turn.Segments) {
		return nil
	}
	evidence := At(&p.Turn.Segments[hit.Segment], hit.Offset, hit.Length)
	evidence.Quote = Quote(hit.Sentence)
	return []sessionevents.Evidence{evidence}
}
