package opinion

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Signals converts the findings of an opinion into signals (AD-3): at most room of them,
// each about a turn of the session up to the latest. Findings without subject, quote or
// known class are dropped.
func (c *Config) Signals(o *sessionevents.OpinionRecorded, latest, room int) []sessionevents.Signal {
	if !o.Counts() || o.Kind != sessionevents.QuestionDigest {
		return nil
	}
	var out []sessionevents.Signal
	for _, f := range o.Findings {
		rule, known := c.Findings.Classes[f.Class]
		if len(out) >= min(c.Findings.PerOpinion, room) {
			break
		}
		if !known || strings.TrimSpace(f.Subject) == "" || strings.TrimSpace(f.Quote) == "" || f.Turn < 1 || f.Turn > latest {
			continue
		}
		out = append(out, c.signal(o, f, rule))
	}
	return out
}

func (c *Config) signal(o *sessionevents.OpinionRecorded, f sessionevents.OpinionFinding, rule ClassRule) sessionevents.Signal {
	limit := sessionevents.Urgency(math.Round(c.Findings.Cap * 10))
	message, plain := c.Findings.say(f, rule)
	if !plain {
		limit = sessionevents.Urgency(math.Round(c.Findings.UnclearCap * 10))
	}
	subject := quote.Plain(f.Subject)
	s := sessionevents.Signal{
		Session: o.Session, Run: o.Run, Turn: f.Turn, Layer: sessionevents.LayerSession,
		ID:       events.SignalID(o.Session, f.Turn, Detector(f.Class), subject, f.Quote),
		Detector: Detector(f.Class), Class: f.Class, Subject: subject, Confidence: confidence,
		ReworkCost: rule.Cost, SelfCorrect: rule.SelfCorrect, Cap: &limit,
		Urgency: min(sessionevents.UrgencyOf(rule.Cost, rule.SelfCorrect), limit),
		Basis:   []sessionevents.Ground{{Kind: sessionevents.GroundModel, What: quote.Plain(o.Model)}},
		Evidence: []sessionevents.Evidence{{
			Kind: sessionevents.SegmentPlan, Length: len(f.Quote), Quote: quote.Line(f.Quote),
		}},
		Message: message,
		Reason:  "A second opinion by " + quote.Plain(o.Model) + " reads turn " + number(f.Turn) + " as " + rule.Title + ": " + quote.Passage(f.Say) + ".",
	}
	return s
}

// confidence is the confidence of a model's finding, which is never sufficient for a
// security bypass (DP-3).
const confidence = 0.7

// SameThing reports whether a model's finding and a rule's signal are about the same
// thing: they have the same class, and the same subject or the same passage of the
// record.
func SameThing(finding, rule *sessionevents.Signal) bool {
	if !finding.ByModel() || rule.ByModel() || finding.Class != rule.Class {
		return false
	}
	if plain(finding.Subject) == plain(rule.Subject) {
		return true
	}
	for _, a := range finding.Evidence {
		for _, b := range rule.Evidence {
			if overlaps(plain(a.Quote), plain(b.Quote)) {
				return true
			}
		}
	}
	return false
}

// overlaps reports whether one of two passages contains the other and is long enough to
// be meaningful.
func overlaps(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= shortestQuote && strings.Contains(b, a)
}

// shortestQuote is the minimum length at which a shared passage is not a coincidence.
const shortestQuote = 20

func plain(s string) string {
	return strings.ToLower(strings.Trim(text.Line(s), "`\"'“”‘’.… "))
}

// Repeated returns a withheld signal that an opinion confirmed, without JD-2's cap: it
// rests on the model as well as on its facts, and remains weaker than an accusation
// (JD-2).
func (c *Config) Repeated(s *sessionevents.Signal, o *sessionevents.OpinionRecorded) sessionevents.Signal {
	again := *s
	limit := sessionevents.Urgency(math.Round(c.Findings.ConfirmedCap * 10))
	again.ID = events.SignalID(s.Session, s.Turn, s.Detector, s.Subject, "confirmed "+s.ID)
	again.Confirms, again.Withheld, again.Cap = s.ID, "", &limit
	again.Urgency = sessionevents.UrgencyOf(s.ReworkCost, s.SelfCorrect)
	if s.Floor != nil {
		again.Urgency = max(again.Urgency, *s.Floor)
	}
	again.Urgency = min(again.Urgency, limit)
	again.Basis = append(append([]sessionevents.Ground(nil), s.Basis...), sessionevents.Ground{Kind: sessionevents.GroundModel, What: quote.Plain(o.Model)})
	again.Reason = strings.TrimSuffix(s.Reason, ".") + "; a second opinion by " + quote.Plain(o.Model) + " confirms it."
	return again
}

func number(n int) string { return strconv.Itoa(n) }

// say returns what an agent reads about a finding: the model's sentence if it reads like
// one of ours (AD-4). Otherwise it returns a sentence of ours that quotes the place, for
// reports; plain is then false, since it says where to look but not what is wrong, which
// is not worth an interrupt (JD-40).
func (r *FindingRules) say(f sessionevents.OpinionFinding, rule ClassRule) (message string, plain bool) {
	sentence := text.Line(f.Say)
	if plain = r.speakable(sentence); !plain {
		sentence = fmt.Sprintf("%s in turn %d looks like something %s.", quote.Words(f.Quote, quotedWords), f.Turn, rule.Title)
	}
	if !strings.ContainsAny(sentence[len(sentence)-1:], ".!?") {
		sentence += "."
	}
	return sentence + " " + rule.Step, plain
}

// quotedWords is the number of words of its place that a finding shows to the agent.
const quotedWords = 10

// speakable reports whether a model's sentence may be sent in our name: plain words on
// one line, short enough, without instructions, commands or links (JD-40, AD-7).
func (r *FindingRules) speakable(sentence string) bool {
	words := len(strings.Fields(sentence))
	if words < 4 || words > r.SayWords || quote.Line(sentence) != sentence {
		return false
	}
	for _, c := range strings.ReplaceAll(sentence, "; ", ", ") { // prose may have a semicolon, commands may not
		if strings.ContainsRune("`<>[]{}#*|$\\@;=~^", c) || c > unicode.MaxLatin1 && !plainAbove(c) {
			return false
		}
	}
	lower := strings.ToLower(sentence)
	return !slices.ContainsFunc(r.RefusedWords, func(word string) bool { return holds(lower, word) })
}

// holds reports whether a sentence contains a word, also in the plural, or several words
// or signs anywhere.
func holds(lower, word string) bool {
	if strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsLetter(c) }) {
		return strings.Contains(lower, word)
	}
	return slices.ContainsFunc(strings.FieldsFunc(lower, func(c rune) bool { return !unicode.IsLetter(c) }), func(w string) bool {
		return strings.TrimSuffix(w, "s") == strings.TrimSuffix(word, "s")
	})
}

// plainAbove reports whether a character beyond Latin-1 may occur in a sentence:
// typographic quotation marks and dashes, and letters of any script.
func plainAbove(c rune) bool {
	return strings.ContainsRune("‘’“”–—…", c) || unicode.IsLetter(c) || unicode.IsMark(c)
}
