package shadow

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// Archetypes.
const (
	explorer  = "explorer"
	creator   = "creator"
	maker     = "maker"
	guardian  = "guardian"
	skeptic   = "skeptic"
	trickster = "trickster"
	sage      = "sage"
)

var archetypes = []string{explorer, creator, maker, guardian, skeptic, trickster, sage}

var reviewers = []string{guardian, skeptic, trickster, sage}

// numbered matches the number after the archetype in a reviewer's name: guardian-2.
var numbered = pattern.Must(`[-_ #]?\d+$`)

// archetypeOf reads an archetype in any case, also as a plugin's agent
// ("archeflow:guardian") or in plain words ("the Guardian"); it returns "" for any other
// word.
func archetypeOf(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.LastIndexAny(name, ":/"); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimPrefix(name, "the ")
	if slices.Contains(archetypes, name) {
		return name
	}
	return ""
}

// archetypeOfReviewer reads the archetype from a reviewer's name, for reviewers without a
// known agent of that name.
func archetypeOfReviewer(name string) string {
	return archetypeOf(numbered.ReplaceAllString(strings.TrimSpace(name), ""))
}
