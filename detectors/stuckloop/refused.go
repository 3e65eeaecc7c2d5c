package stuckloop

import (
	"fmt"
	"path"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
)

// refused counts the turns in which edits of one file were refused because the text to replace is
// not in it. Another way to change the file does not answer that; an edit that is accepted ends it.
// It reports true once that is a loop.
func (c call) refused() bool {
	a := c.a
	file := edited(a)
	if file == "" {
		return false
	}
	id := hash("refused", file)
	switch {
	case a.failure == nil:
		c.memory.unsee(kindRefused, id)
		return false
	case !c.Refusals.MatchString(a.output()):
		return false
	}
	turns, first := c.sight(kindRefused, id, c.RefusedCalls)
	at := slices.IndexFunc(c.memory.Sightings, func(s sightings) bool { return s.Kind == kindRefused && s.ID == id })
	seen := &c.memory.Sightings[at]
	seen.Tries++
	limits := c.Refused
	if seen.Tries >= c.RefusedTries { // many at once are one try, but say as much as another one
		limits.Nudge--
	}
	return c.grow(loop{
		kind: kindRefused, id: uint64(id), subject: "refused edits of " + path.Base(file), length: turns, first: first,
		limits: limits, marks: []uint32{id}, error: failed(a).Signature, job: path.Base(file),
	}, a.segment)
}

// edited is the file that the call of an edit tool names.
func edited(a *act) string {
	if !a.edit() {
		return ""
	}
	for _, s := range a.edits {
		if s.Path != "" {
			return s.Path
		}
	}
	return a.segment.Path
}

// takes: an edit of the file is accepted.
func takes(a *act, k *streak) bool {
	file := edited(a)
	return a.failure == nil && file != "" && slices.Contains(k.Marks, hash("refused", file))
}

func (g *growth) refusedWords() (message, reason string) {
	n, since := g.streak.Length, g.streak.First
	return fmt.Sprintf("Edits of %s were refused in %d turns since turn %d: the text to replace is not in it as sent. Read those lines again and copy them to the letter, blanks and tabs included.", quote.Path(g.job), n, since),
		fmt.Sprintf("Edits of one file were refused in %d turns since turn %d because of the text to replace.", n, since)
}
