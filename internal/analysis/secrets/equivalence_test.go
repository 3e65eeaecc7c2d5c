package secrets

import (
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
)

// wholeFragment is what gitleaks finds with the same rules in the whole text.
func wholeFragment(t testing.TB, text string) []string {
	detector, err := provider()
	require.NoError(t, err)
	var found []string
	for _, f := range detector.Detect(detect.Fragment{Raw: text}) {
		if f.Secret != "" && f.RuleID != "" {
			found = append(found, f.RuleID+" "+f.Secret)
		}
	}
	sort.Strings(found)
	return found
}

// byWindows is what the scanner finds near keywords, before overlaps are resolved.
func byWindows(s *Scanner, text string) map[string]bool {
	sc := s.finder(text, "")
	s.triggers.each(text, sc.hit)
	found := map[string]bool{}
	for _, f := range sc.found {
		if f.Tier == TierProvider || s.generic[f.Rule] {
			found[f.Rule+" "+f.Value] = true
		}
	}
	return found
}

// stricter reports whether the scanner leaves a gitleaks finding out on purpose:
// a JWT without a JSON header, a key block that holds no key, a variable, what a
// generic rule finds and is no literal, a value of another look than its place needs.
func (s *Scanner) stricter(finding string) bool {
	rule, value, _ := strings.Cut(finding, " ")
	if s.config.Judged[rule] != "" {
		return true // its value must have a look, and be near
	}
	if f := (Finding{Value: value}); s.generic[rule] && !(&scan{Scanner: s}).judgeCredential(&f, rule, "", value[strings.Index(value, ":")+1:]) {
		return true // read from elsewhere
	}
	return !structured(rule, value) || strings.HasPrefix(value, "$") || strings.Contains(value, "${") || strings.Contains(value, ":$")
}

func requireNoneMissed(t *testing.T, s *Scanner, text string) (compared int) {
	ours := byWindows(s, text)
	for _, f := range wholeFragment(t, text) {
		compared++
		if !ours[f] && !s.stricter(f) {
			rule, value, _ := strings.Cut(f, " ")
			at := strings.Index(text, value)
			if !s.keywordNear(rule, text[max(0, at-256):min(len(text), at+len(value)+32)]) {
				continue
			}
			require.Failf(t, "missed", "gitleaks finds %s at %d of %d: …%q…", rule, at, len(text), text[max(0, at-80):min(len(text), at+len(value)+20)])
		}
	}
	return compared
}

// keywordNear reports whether a keyword of the rule stands in the text. Where it
// does not, gitleaks ran the rule because of a keyword elsewhere in the text and
// matched something that lacks it (an unescaped dot of the expression): the one
// difference that is by design.
func (s *Scanner) keywordNear(rule, text string) bool {
	for i := range s.rules {
		for _, keyword := range s.rules[i].Keywords {
			if s.rules[i].ID == rule && strings.Contains(strings.ToLower(text), strings.ToLower(keyword)) {
				return true
			}
		}
	}
	return false
}

// Looking only near keywords finds what gitleaks finds in the whole text: on
// texts with a string made from each rule's own expression.
func TestWindowsFindWhatWholeTextsHold(t *testing.T) {
	s := testScanner(t)
	g := secretstest.New(1)
	random := rand.New(rand.NewPCG(1, 2))
	compared, rounds := 0, 10
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		for i := range s.rules {
			rule := &s.rules[i]
			if rule.path != nil {
				continue
			}
			match := stringFor(t, rule.expression.String(), random)
			text := g.Text(random.IntN(1500)) + separators[random.IntN(len(separators))] + match + separators[random.IntN(len(separators))] + g.Text(random.IntN(1500))
			if keyword := rule.Keywords[random.IntN(len(rule.Keywords))]; random.IntN(2) == 0 {
				text = "see " + keyword + "\n" + text
			}
			compared += requireNoneMissed(t, s, text)
		}
	}
	require.Greater(t, compared, rounds*150)
	t.Logf("%d findings of gitleaks, none missed", compared)
}

var separators = []string{"\n", " ", "\"", "'", "`", ";\n", " = \"", ": ", "\t", ">", "(", ",\n", "\r\n"}

// The same on the real transcripts.
func TestWindowsFindWhatTranscriptsHold(t *testing.T) {
	s := testScanner(t)
	compared, bytes := 0, 0
	for _, text := range transcriptTexts(t) {
		bytes += len(text)
		compared += requireNoneMissed(t, s, text)
	}
	t.Logf("%d findings of gitleaks in %d bytes, none missed", compared, bytes)
}

// stringFor makes a random string that an expression matches, mostly.
func stringFor(t testing.TB, expression string, random *rand.Rand) string {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	require.NoError(t, err)
	var b strings.Builder
	write(&b, parsed, random)
	return b.String()
}

func write(b *strings.Builder, re *syntax.Regexp, random *rand.Rand) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(classRune(re.Rune, random))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte('a' + random.IntN(26)))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub, random)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[random.IntN(len(re.Sub))], random)
	case syntax.OpQuest:
		repeat(b, re.Sub[0], random.IntN(2), random)
	case syntax.OpStar:
		repeat(b, re.Sub[0], random.IntN(3), random)
	case syntax.OpPlus:
		repeat(b, re.Sub[0], 1+random.IntN(3), random)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = re.Min + 40
		}
		repeat(b, re.Sub[0], re.Min+random.IntN(most-re.Min+1), random)
	}
}

func repeat(b *strings.Builder, re *syntax.Regexp, n int, random *rand.Rand) {
	for range n {
		write(b, re, random)
	}
}

// classRune picks an ASCII rune of a class, printable if it can.
func classRune(ranges []rune, random *rand.Rand) rune {
	var choices []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], ' '); r <= min(ranges[i+1], '~'); r++ {
			choices = append(choices, r)
		}
	}
	if len(choices) == 0 {
		return ranges[0]
	}
	return choices[random.IntN(len(choices))]
}

func TestLeadAcceptsWhatTheExpressionMatches(t *testing.T) {
	s := testScanner(t)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range s.rules {
		rule := &s.rules[i]
		lead, err := leadOf(rule.expression.String())
		require.NoError(t, err)
		for range 20 {
			text := stringFor(t, rule.expression.String(), random)
			if at := rule.expression.FindStringIndex(text); at != nil {
				require.True(t, lead.fits(text, at[0]), fmt.Sprintf("rule %s rejects its own match of %d bytes", rule.ID, len(text)))
			}
		}
	}
}
