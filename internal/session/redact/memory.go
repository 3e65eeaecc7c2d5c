package redact

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// maximumRemembered bounds the values that a group remembers; the oldest go first.
	maximumRemembered = 256
	// rememberedMemory is what one of them takes, in bytes.
	rememberedMemory = 160
)

// Memory is what a group keeps of the secrets that were recognised in it, so that their repeats are
// recognised without the name or the command that gave them away: keyed hashes, never a value (SW-7).
// The zero value knows nothing.
type Memory struct {
	Values    []Remembered `json:"values,omitempty"` // in order of discovery
	Forgotten int          `json:"forgotten,omitempty"`

	lengths []int // of Values, each once, longest first; made when it is needed
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
	Spaced      bool    `json:"spaced,omitempty"` // there is white space in it
}

// IsZero makes JSON leave an empty memory out.
func (m Memory) IsZero() bool { return len(m.Values) == 0 && m.Forgotten == 0 }

// Copy returns a memory that learns by itself.
func (m *Memory) Copy() Memory { return Memory{Values: slices.Clone(m.Values), Forgotten: m.Forgotten} }

// Size estimates the bytes that the memory holds.
func (m *Memory) Size() int { return rememberedMemory * len(m.Values) }

// Cleaner replaces secrets in turns and in what comes with them.
type Cleaner interface {
	// Turn redacts a whole turn, Repeats a piece of one by what was found in the pieces before.
	Turn(sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding)
	Repeats(turn sessionevents.Turn, earlier []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding)
	// JSON redacts any document, unknown fields kept.
	JSON(json.RawMessage) (json.RawMessage, []sessionevents.SecretFinding)
	// Text redacts a text that belongs to a file, "" for none.
	Text(text, path string) (string, []sessionevents.SecretFinding)
}

// remembering is a redactor that also replaces what is in a memory, and adds what it finds.
type remembering struct {
	redactor *Redactor
	memory   *Memory
}

// With returns a cleaner that also replaces what the memory holds, and adds to it what it finds.
func (r *Redactor) With(m *Memory) Cleaner { return remembering{r, m} }

// Turn is [Redactor.Turn] with the memory.
func (r remembering) Turn(t sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding) {
	return r.redactor.turn(t, r.memory)
}

// Repeats is [Redactor.Repeats]; the memory needs no more.
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

// learn adds the values that are worth recognising without their context.
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

// maximumParts bounds the parts of a value that are remembered by themselves.
const maximumParts = 6

// separable are the ends of an address or of user:password that may be repeated alone, and a value
// without the quotes around the text that it ends.
func separable(value string) (parts []string) {
	if bare := strings.Trim(value, "'\"`"); len(bare) >= minimumSpread && bare != value {
		parts, value = append(parts, bare), bare
	}
	address := strings.Contains(value, "://")
	least := minimumSpread
	if address { // between its slashes are words of any kind
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

// distinct reports whether a value is itself wherever it appears: one of letters alone may be a word
// or a name, unless its cases follow no word.
func distinct(f secrets.Finding) bool {
	if f.Tier != secrets.TierNamedLiteral {
		return true
	}
	return strings.ContainsAny(f.Value, " 0123456789!#$%&*+@?^~") || irregular(f.Value)
}

// irregular reports whether cases change in a text as in random letters: names made of words have
// hardly any single lower-case letter between capitals.
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

// minimumIrregular is the least length of letters whose cases say anything.
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

// recall marks the remembered values in every leaf, and returns how many places it marked.
func (r *Redactor) recall(c *collection, m *Memory) (count int) {
	if m == nil || len(m.Values) == 0 {
		return 0
	}
	m.index()
	for i := range c.leaves {
		count += r.recallIn(&c.leaves[i], m)
	}
	return count
}

// recallIn looks at the stretches of a leaf that are as long as a remembered value and begin and end
// as words do: a value that is part of a longer word is found only by its own pattern.
func (r *Redactor) recallIn(l *leaf, m *Memory) (count int) {
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
		for _, length := range m.lengths {
			end := at + length
			if end > len(text) || !border(text, end) {
				continue
			}
			if k, ok := r.remembered(text[at:end], end > blank, m); ok {
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

// begins reports whether a word can begin at a place: also after the letter of an escape.
func begins(text string, at int) bool {
	return border(text, at) || at >= 2 && text[at-2] == '\\' && strings.IndexByte("nrt", text[at-1]) >= 0
}

// remembered is the value that a stretch is.
func (r *Redactor) remembered(stretch string, spaced bool, m *Memory) (Remembered, bool) {
	if spaced && !slices.ContainsFunc(m.Values, func(v Remembered) bool { return v.Spaced && v.Length == len(stretch) }) {
		return Remembered{}, false
	}
	for _, i := range m.byCheck[r.scanner.Check(stretch)] {
		if v := m.Values[i]; v.Length == len(stretch) && v.Fingerprint == r.scanner.Fingerprint(stretch) {
			return v, true
		}
	}
	return Remembered{}, false
}
