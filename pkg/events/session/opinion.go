package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// OpinionRecorded is a model's answer to one question of the advisor (AD-1): about a
// signal (AD-2), or about what is wrong in a part of the session (AD-3). Only the advisor
// sends it.
type OpinionRecorded struct {
	Session string `json:"session"`
	Run     string `json:"run,omitempty"`
	// Question is the digest of the question's text, which `scaffoldwatch advisor
	// questions` can rebuild.
	Question string         `json:"question"`
	Kind     QuestionKind   `json:"kind" jsonschema:"enum=signal,enum=digest"`
	Signal   string         `json:"signal,omitempty"` // the signal in question
	Detector string         `json:"detector,omitempty"`
	From     int            `json:"from,omitempty"` // first turn that the question shows
	Turn     int            `json:"turn"`           // last turn that the question shows
	Verdict  OpinionVerdict `json:"verdict,omitempty" jsonschema:"enum=confirmed,enum=refuted,enum=unsure"`
	// WorthSaying is yes or no for a confirmed signal.
	WorthSaying WorthSaying `json:"worth_saying,omitempty" jsonschema:"enum=yes,enum=no"`
	Why         string      `json:"why,omitempty"`    // one sentence
	Quotes      []string    `json:"quotes,omitempty"` // quotes that occur in the question
	// Findings are what it found in a digest.
	Findings []OpinionFinding `json:"findings,omitempty"`
	// Void is why the answer is ignored; empty if it counts.
	Void         string        `json:"void,omitempty"`
	Model        string        `json:"model"`
	Provider     string        `json:"provider,omitempty"`
	PromptDigest string        `json:"prompt_digest"`
	Tokens       OpinionTokens `json:"tokens,omitzero"`
	Cost         Money         `json:"cost"` // US dollars
	Bytes        int           `json:"bytes,omitempty"`
	DurationMS   int           `json:"duration_ms,omitempty"`
}

// QuestionKind is the kind of a question.
type QuestionKind string

// Kinds of questions.
const (
	QuestionSignal QuestionKind = "signal" // is this right, and worth saying? (AD-2)
	QuestionDigest QuestionKind = "digest" // what is wrong in this part of the session? (AD-3)
)

// OpinionVerdict is the answer about a signal.
type OpinionVerdict string

// Verdicts.
const (
	OpinionConfirmed OpinionVerdict = "confirmed"
	OpinionRefuted   OpinionVerdict = "refuted"
	OpinionUnsure    OpinionVerdict = "unsure"
)

// WorthSaying answers whether a confirmed signal is worth an interrupt.
type WorthSaying string

// Values of WorthSaying.
const (
	WorthYes WorthSaying = "yes"
	WorthNo  WorthSaying = "no"
)

// OpinionFinding is one thing that a model found by itself.
type OpinionFinding struct {
	Class   Class  `json:"class" jsonschema:"enum=A,enum=C,enum=D,enum=E"`
	Subject string `json:"subject"`
	Turn    int    `json:"turn"`
	Quote   string `json:"quote"`
	Say     string `json:"say"` // the sentence for the agent
}

// OpinionTokens is the token usage of a question; Cached is the part of In that came from
// the provider's cache.
type OpinionTokens struct {
	In     int `json:"in"`
	Out    int `json:"out"`
	Cached int `json:"cached,omitempty"`
}

// Counts reports whether the answer may have an effect.
func (o *OpinionRecorded) Counts() bool { return o.Void == "" && o.Session != "" }

// Confirms reports whether the opinion calls the signal right and worth saying.
func (o *OpinionRecorded) Confirms() bool {
	return o.Counts() && o.Kind == QuestionSignal && o.Verdict == OpinionConfirmed && o.WorthSaying == WorthYes
}

// HoldsBack reports whether the opinion calls the signal wrong, or right but not worth
// saying.
func (o *OpinionRecorded) HoldsBack() bool {
	return o.Counts() && o.Kind == QuestionSignal && (o.Verdict == OpinionRefuted || o.Verdict == OpinionConfirmed && o.WorthSaying == WorthNo)
}

// Money is an amount in millionths, written as a decimal number, so that sums are exact.
type Money int64

// DollarMicros is one unit in millionths.
const DollarMicros Money = 1_000_000

// MoneyOf rounds an amount to millionths.
func MoneyOf(amount float64) Money { return Money(math.Round(amount * float64(DollarMicros))) }

// String returns the amount with as many decimals as it needs, at least two.
func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	fraction := strings.TrimRight(fmt.Sprintf("%06d", m%DollarMicros), "0")
	for len(fraction) < 2 {
		fraction += "0"
	}
	return fmt.Sprintf("%s%d.%s", sign, m/DollarMicros, fraction)
}

// MarshalJSON writes a number.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalJSON reads any JSON number.
func (m *Money) UnmarshalJSON(data []byte) error {
	amount, err := strconv.ParseFloat(string(data), 64)
	if err != nil || math.IsNaN(amount) || math.Abs(amount) > 1e9 {
		return fmt.Errorf("amount %q is not a number such as 0.02", data)
	}
	*m = MoneyOf(amount)
	return nil
}

// ByModel reports whether a signal rests on a model's opinion alone (AD-3).
func (s *Signal) ByModel() bool {
	for _, g := range s.Basis {
		if g.Kind != GroundModel {
			return false
		}
	}
	return len(s.Basis) > 0
}
