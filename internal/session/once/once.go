// Package once stores recently denied calls, with the word by which a person allows one
// to run once (GD-11). Words are public: they count only as a person's whole prompt, or
// with the operator's credential, and the caller knows which of these applies.
package once

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// Holds is how long a denial can be lifted, and a permission used.
	Holds = 10 * time.Minute

	shortest = 3
	maxKept  = 32 // per session
)

// Entry is a call that was denied.
type Entry struct {
	Word string    `json:"word"`
	Call string    `json:"call"` // hash of the command and its directory
	At   time.Time `json:"at"`
	// Given is a person's permission, nil until it is given.
	Given *sessionevents.GuardPermission `json:"given,omitempty"`
	Spent bool                           `json:"spent,omitempty"`
}

// Pending holds the entries of one session, the oldest first.
type Pending []Entry

// Denied records a denial and returns its word. A call that is denied again keeps its
// word.
func (p *Pending) Denied(session, call string, now time.Time) string {
	p.Tidy(now)
	for i := range *p {
		if e := &(*p)[i]; e.Call == call && !e.Spent {
			e.At = now
			return e.Word
		}
	}
	sum := sha256.Sum256([]byte(session + "\x00" + call + "\x00" + now.UTC().Format(time.RFC3339Nano)))
	s := hex.EncodeToString(sum[:])
	n := shortest
	for p.find(s[:n]) != nil {
		n++
	}
	*p = text.Newest(append(*p, Entry{Word: s[:n], Call: call, At: now}), maxKept)
	return s[:n]
}

// Allow gives a permission by its word; it returns false for a word without a denial.
func (p *Pending) Allow(word string, given sessionevents.GuardPermission, now time.Time) bool {
	p.Tidy(now)
	e := p.find(word)
	if e == nil || e.Spent {
		return false
	}
	if e.Given == nil {
		e.Given, e.At = &given, now // valid for another ten minutes
	}
	return true
}

// Given returns the permission for a call, nil if there is none.
func (p *Pending) Given(call string, now time.Time) *sessionevents.GuardPermission {
	p.Tidy(now)
	for i := range *p {
		if e := &(*p)[i]; e.Call == call && !e.Spent {
			return e.Given
		}
	}
	return nil
}

// Spend uses up the permission for a call.
func (p *Pending) Spend(call string) {
	for i := range *p {
		if e := &(*p)[i]; e.Call == call && e.Given != nil {
			e.Spent = true
		}
	}
}

// Says reports whether a text contains the word of a denial the way a person would write
// it: running that with a tool would speak on behalf of the person.
func (p *Pending) Says(text string, now time.Time) bool {
	p.Tidy(now)
	for _, m := range spoken.FindAllStringSubmatch(text, -1) {
		if p.find(strings.ToLower(m[1])) != nil {
			return true
		}
	}
	return false
}

func (p *Pending) find(word string) *Entry {
	for i := range *p {
		if (*p)[i].Word == word {
			return &(*p)[i]
		}
	}
	return nil
}

// Tidy drops entries that can no longer be lifted or used.
func (p *Pending) Tidy(now time.Time) {
	kept := (*p)[:0]
	for _, e := range *p {
		if now.Sub(e.At) < Holds {
			kept = append(kept, e)
		}
	}
	*p = kept
}

var (
	spoken = pattern.Must(`(?i)\ballow[\s"'\\+,]{1,8}([0-9a-f]{3,64})\b`)
	whole  = pattern.Must("(?i)^[\\s`'\"]*(?:scaffoldwatch\\s+)?allow\\s+([0-9a-f]{3,64})[\\s`'\".!]*$")
)

// Word returns the word that a person's prompt consists of, "" for any other prompt.
func Word(prompt string) string {
	m := whole.FindStringSubmatch(prompt)
	if m == nil {
		return ""
	}
	return strings.ToLower(m[1])
}
