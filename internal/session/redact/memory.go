package redact

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// maximumRemembered bounds the values that a group remembers; the oldest are dropped
	// first.
	maximumRemembered = 256
	// rememberedMemory is the size of one of them in bytes.
	rememberedMemory = 160
)

// Memory holds what a group remembers of the secrets found in it, so that repetitions are
// recognized without the name or command that revealed them: keyed hashes, never a value
// (SW-7). The zero value is empty.
type Memory struct {
	Values    []Remembered `json:"values,omitempty"` // in order of discovery
	Forgotten int          `json:"forgotten,omitempty"`

	lengths []int // lengths of Values, each once, longest first; computed when needed
	byCheck map[uint32][]int
}

// Remembered is one value.
type Remembered struct {
	Rule        string  `json:"rule"`
	Fingerprint string  `json:"fingerprint"`
	Check       uint32  `json:"check"` // keyed, cheaper to compute than the fingerprint
	Length      int     `json:"length"`
	Tier        string  `json:"tier"`
	Confidence  float64 `json:"confidence"`
	Spaced      bool    `json:"spaced,omitempty"` // contains white space
}

// IsZero makes JSON omit an empty memory.
func (m Memory) IsZero() bool { return len(m.Values) == 0 && m.Forgotten == 0 }

// Copy returns an independent copy of the memory.
func (m *Memory) Copy() Memory { return Memory{Values: slices.Clone(m.Values), Forgotten: m.Forgotten} }

// Size estimates the size of the memory in bytes.
func (m *Memory) Size() int { return rememberedMemory * len(m.Values) }

// Cleaner replaces secrets in turns and related data.
type Cleaner interface {
	// Turn redacts a whole turn; Repeats redacts a piece of one using what was found in
	// the earlier pieces.
	Turn(sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding)
	Repeats(turn sessionevents.Turn, earlier []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding)
	// JSON redacts any document and keeps unknown fields.
	JSON(json.RawMessage) (json.RawMessage, []sessionevents.SecretFinding)
	// Text redacts a text that belongs to a file, "" for none.
	Text(text, path string) (string, []sessionevents.SecretFinding)
}

// remembering is a redactor that also replaces the values in a memory, and adds what it
// finds.
type remembering struct {
	redactor *Redactor
	memory   *Memory
}

// With returns a cleaner that also replaces the values in the memory, and adds what it
// finds to it.
func (r *Redactor) With(m *Memory) Cleaner { return remembering{r, m} }

// Turn is [Redactor.Turn] with the memory.
func (r remembering) Turn(t sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding) {
	return r.redactor.turn(t, r.memory)
}

// Repeats is [Redactor.Repeats], which needs no memory.
func (r remembering) Repeats(t sessionevents.Turn, earlier []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding) {
	return r.redactor.Repeats(t, earlier)
}

// JSON is [Redactor.JSON] with the memory.
func (r remembering) JSON(raw json.RawMessage) (json.RawMessage, []sessionevents.SecretFinding) {
	return r.redactor.json(raw, r.memory)
}

// Text is [Redactor.Text] with the memory.
func (r remembering) Text(text, path string) (string, []sessionevents.SecretFinding) {
	return r.redactor.text(text, path, r.memory)
}

// learn adds the values that can be recognized without their context.
func (m *Memory) learn(r *Redactor, known []knownValue) {
	for _, k := range known {
		if !k.spreads || !distinct(k.finding) {
			continue
		}
		m.add(r, k.finding, k.value)
		for _, part := range separable(k.value) {
			m.add(r, k.finding, part)
		}
	}
}

func (m *Memory) add(r *Redactor, f secrets.Finding, value string) {
	fingerprint := r.scanner.Fingerprint(value)
	if m.has(fingerprint) {
		return
	}
	if len(m.Values) >= maximumRemembered {
		m.Values = slices.Delete(m.Values, 0, 1)
		m.Forgotten++
	}
	m.Values = append(m.Values, Remembered{
		Rule: f.Rule, Fingerprint: fingerprint, Check: r.scanner.Check(value), Length: len(value),
		Tier: string(f.Tier), Confidence: f.Confidence, Spaced: strings.ContainsAny(value, " \t\n"),
	})
	m.lengths, m.byCheck = nil, nil
}

// maximumParts bounds the parts of a value that are remembered separately.
const maximumParts = 6

// separable returns the parts of an address or of user:password that may be repeated
// alone, and a value without the quotes around the text that it ends.
func separable(value string) (parts []string) {
	if bare := strings.Trim(value, "'\"`"); len(bare) >= minimumSpread && bare != value {
		parts, value = append(parts, bare), bare
	}
	address := strings.Contains(value, "://")
	least := minimumSpread
	if address { // the parts between its slashes are ordinary words
		least = 2 * minimumSpread
	}
	for at := 0; len(parts) < maximumParts; {
		i := strings.IndexAny(value[at:], ":/")
		if i < 0 || !address && value[at+i] == '/' {
			break
		}
		at += i + 1
		if rest := value[at:]; len(rest) >= least && rest[0] != '/' && strings.ContainsAny(rest, "0123456789") {
			parts = append(parts, rest)
		}
	}
	return parts
}

func (m *Memory) has(fingerprint string) bool {
	return slices.ContainsFunc(m.Values, func(v Remembered) bool { return v.Fingerprint == fingerprint })
}

// distinct reports whether a value can be recognized wherever it appears: a value of
// letters alone may be a word or a name, unless its case is irregular.
func distinct(f secrets.Finding) bool {
	if f.Tier != secrets.TierNamedLiteral {
		return true
	}
	return strings.ContainsAny(f.Value, " 0123456789!#$%&*+@?^~") || irregular(f.Value)
}

// irregular reports whether the case of a text changes as in random letters: names
// composed of words hardly ever have a single lower-case letter between capitals.
func irregular(text string) bool {
	alone, run := 0, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] >= 'a' && text[i] <= 'z' {
			run++
			continue
		}
		if run == 1 && i < len(text) {
			alone++
		}
		run = 0
	}
	return len(text) >= minimumIrregular && alone >= 3
}

// minimumIrregular is the minimum number of letters for case to be meaningful.
const minimumIrregular = 16

func (m *Memory) index() {
	if m.byCheck != nil {
		return
	}
	m.byCheck = map[uint32][]int{}
	for i, v := range m.Values {
		m.byCheck[v.Check] = append(m.byCheck[v.Check], i)
		if !slices.Contains(m.lengths, v.Length) {
			m.lengths = append(m.lengths, v.Length)
		}
	}
	slices.Sort(m.lengths)
	slices.Reverse(m.lengths)
}

// recall marks the remembered values in every leaf and returns the number of marks.
func (r remembering) recall(c *collection) (count int) {
	m := r.memory
	if m == nil || len(m.Values) == 0 {
		return 0
	}
	m.index()
	for i := range c.leaves {
		count += r.recallIn(&c.leaves[i])
	}
	return count
}

// recallIn checks the stretches of a leaf that are as long as a remembered value and
// begin and end at word borders: a value within a longer word is only found by its own
// pattern.
func (r remembering) recallIn(l *leaf) (count int) {
	text := l.text
	blank := -1 // the next white space
	for at := 0; at < len(text); at++ {
		if text[at] <= ' ' || !begins(text, at) {
			continue
		}
		if blank < at {
			if blank = strings.IndexAny(text[at:], " \t\r\n"); blank < 0 {
				blank = len(text)
			} else {
				blank += at
			}
		}
		for _, length := range r.memory.lengths {
			end := at + length
			if end > len(text) || !border(text, end) {
				continue
			}
			if k, ok := r.remembered(text[at:end], end > blank); ok {
				finding := secrets.Finding{Rule: k.Rule, Tier: secrets.Tier(k.Tier), Confidence: k.Confidence, Value: text[at:end], Entropy: secrets.Entropy(text[at:end])}
				l.hits = append(l.hits, hit{start: at, end: end, finding: finding, fingerprint: k.Fingerprint})
				count++
				at = end - 1
				break
			}
		}
	}
	return count
}

// begins reports whether a word can begin at a place, which includes the letter after an
// escape.
func begins(text string, at int) bool {
	return border(text, at) || at >= 2 && text[at-2] == '\\' && strings.IndexByte("nrt", text[at-1]) >= 0
}

// remembered returns the remembered value that a stretch equals.
func (r remembering) remembered(stretch string, spaced bool) (Remembered, bool) {
	m, scanner := r.memory, r.redactor.scanner
	if spaced && !slices.ContainsFunc(m.Values, func(v Remembered) bool { return v.Spaced && v.Length == len(stretch) }) {
		return Remembered{}, false
	}
	for _, i := range m.byCheck[scanner.Check(stretch)] {
		if v := m.Values[i]; v.Length == len(stretch) && v.Fingerprint == scanner.Fingerprint(stretch) {
			return v, true
		}
	}
	return Remembered{}, false
}
