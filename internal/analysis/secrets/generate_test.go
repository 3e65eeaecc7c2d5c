package secrets

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/regexp"
)

var update = flag.Bool("update", false, "write catalogue.json from gitleaks and rules/secrets.toml")

const tableFile = "catalogue.json"

// The table is what gitleaks reads from its own rules and our overlay.
func TestGeneratedCatalogueIsFresh(t *testing.T) {
	detector, err := provider()
	require.NoError(t, err)
	want := generate(t, detector.Config)
	if *update {
		require.NoError(t, os.WriteFile(tableFile, want, 0o644))
	}
	have, err := os.ReadFile(tableFile)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, have), "%s is stale: run make golden", tableFile)
}

func generate(t *testing.T, c config.Config) []byte {
	everywhere, err := plain(allowances(t, c.Allowlists))
	require.NoError(t, err)
	var rules []string // a line each
	for _, id := range slices.Sorted(slices.Values(c.OrderedRules)) {
		if r := c.Rules[id]; r.Regex != nil {
			text, err := plain(entry(t, r))
			require.NoError(t, err)
			rules = append(rules, text)
		}
	}
	return []byte("{\"allowed_everywhere\": " + everywhere + ",\n\"rules\": [\n" + strings.Join(rules, ",\n") + "\n]}\n")
}

// plain is JSON with < and > as they are.
func plain(v any) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSpace(text.String()), err
}

func entry(t *testing.T, r config.Rule) catalogued {
	e := catalogued{
		ID: r.RuleID, Expression: r.Regex.String(), Group: r.SecretGroup, Entropy: r.Entropy, Keywords: r.Keywords, Allowed: allowances(t, r.Allowlists),
	}
	if r.Path != nil {
		e.Path = r.Path.String()
	}
	if !isNamed(e.Expression) { // the place of those is after a name
		var err error
		e.Lead, err = leadOf(e.Expression)
		require.NoError(t, err)
	}
	return e
}

func allowances(t *testing.T, lists []*config.Allowlist) []allowance {
	var out []allowance
	for _, a := range lists {
		require.Empty(t, a.Commits, "a list of commits, which there are none of here")
		out = append(out, allowance{
			All: a.MatchCondition == config.AllowlistMatchAnd, Target: a.RegexTarget,
			Expressions: joined(a.Regexes), Paths: joined(a.Paths), StopWords: slices.Sorted(slices.Values(a.StopWords)),
		})
	}
	return out
}

// joined joins expressions as gitleaks does: a flag of one counts for those after it.
func joined(list []*regexp.Regexp) string {
	if len(list) == 0 {
		return ""
	}
	texts := make([]string, len(list))
	for i, expression := range list {
		texts[i] = expression.String()
	}
	return "(?:" + strings.Join(texts, "|") + ")"
}
