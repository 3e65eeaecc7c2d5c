package secrets

import (
	"sort"
	"strings"

	"github.com/minio/highwayhash"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Tier is the kind of evidence for a finding (B1).
type Tier string

// Tiers, strongest first.
const (
	TierProvider     Tier = "provider"      // the pattern of a provider's keys
	TierNamedEntropy Tier = "named_entropy" // credential-like name, random value
	TierNamedLiteral Tier = "named_literal" // credential-like name, literal value
	TierEntropy      Tier = "entropy"       // random value in a weaker context
)

// Finding is one secret in a text.
type Finding struct {
	Rule  string
	Tier  Tier
	Start int // bytes into the text: the secret value alone
	End   int
	// Value is the secret. It must not leave memory (SW-7). It differs from the
	// text between Start and End where that is a concatenation of literals.
	Value       string
	Variable    string  // name it is assigned to, "" if it is not assigned
	Confidence  float64 // 0–1
	Entropy     float64 // bits per character
	Placeholder bool    // an example value
	Validated   bool    // a provider pattern whose structure and entropy hold
	TestFile    bool    // the path is exclusively a test's (SW-40)
}

var tierRank = map[Tier]int{TierProvider: 0, TierNamedEntropy: 1, TierNamedLiteral: 2, TierEntropy: 3}

// stronger orders findings that compete for the same bytes: real before
// placeholder, provider before names, then the longest.
func stronger(a, b Finding) bool {
	if a.Placeholder != b.Placeholder {
		return b.Placeholder
	}
	if tierRank[a.Tier] != tierRank[b.Tier] {
		return tierRank[a.Tier] < tierRank[b.Tier]
	}
	if a.End-a.Start != b.End-b.Start {
		return a.End-a.Start > b.End-b.Start
	}
	if a.Start != b.Start {
		return a.Start < b.Start
	}
	return a.Rule < b.Rule
}

// resolve keeps the strongest of overlapping findings, widened to the bytes of the weaker ones it
// replaces, so that neither leaves a part in the text.
func resolve(text string, found []Finding) []Finding {
	if len(found) < 2 {
		return found
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Start < found[j].Start })
	out := found[:1]
	for _, next := range found[1:] {
		last := &out[len(out)-1]
		if next.Start >= last.End {
			out = append(out, next)
			continue
		}
		start, end := last.Start, max(last.End, next.End)
		if stronger(next, *last) {
			if next.Variable == "" {
				next.Variable = last.Variable
			}
			*last = next
		} else if last.Variable == "" {
			last.Variable = next.Variable
		}
		if last.Start != start || last.End != end {
			last.Start, last.End = start, end
			last.Value = text[start:end]
		}
	}
	return out
}

// Marker parts: a secret becomes ‹secret:RULE:FINGERPRINT› (SW-7).
const (
	MarkerOpen  = "‹secret:"
	MarkerClose = "›"
)

// Fingerprint returns the fingerprint of the value under the scanner's key (SW-7).
func (s *Scanner) Fingerprint(value string) string { return fingerprint.Of(s.key, value) }

// Check returns a keyed hash of the value that takes a tenth of the time of its fingerprint: it shows
// which of many stretches of text are worth a fingerprint.
func (s *Scanner) Check(value string) uint32 {
	return uint32(highwayhash.Sum64([]byte(value), s.checkKey[:]))
}

// markerAround returns the end of the well-formed marker that begins at text[pos], 0 without one:
// nothing in a marker is a name or a value (SW-7), so redacted text is not redacted again.
func markerAround(s string, pos int) int {
	start := pos - len("‹")
	if start < 0 || !strings.HasPrefix(s[start:], MarkerOpen) {
		return 0
	}
	at := start + len(MarkerOpen)
	for at < len(s) && (text.IsWord(s[at]) || s[at] == '-') {
		at++
	}
	const digits = 12
	end := at + 1 + digits
	if at >= len(s) || s[at] != ':' || end > len(s) || !strings.HasPrefix(s[end:], MarkerClose) {
		return 0
	}
	if strings.Trim(s[at+1:end], "0123456789abcdef") != "" {
		return 0
	}
	return end + len(MarkerClose)
}

// Marker returns the text that replaces a secret in everything that is stored (SW-7).
func Marker(rule, fingerprint string) string {
	return MarkerOpen + rule + ":" + fingerprint + MarkerClose
}
