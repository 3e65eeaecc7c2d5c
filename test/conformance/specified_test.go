package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// field matches a field of an event in an expectation.
func field(name string) *regexp.Regexp {
	return regexp.MustCompile(`\b` + name + `: ([\w-]+)`)
}

// What scenarios show agrees with the specification: which rule answers which gate
// and how, and whether a code is a violation or a warning. Each code is shown.
func TestShownGatesAndCodesAreSpecified(t *testing.T) {
	gate, decision, rule, code := field("gate"), field("decision"), field("rule"), field("code")
	paths, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	gates, codes := 0, map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, shown := range shownEvents(path, string(text)) {
			one := func(f *regexp.Regexp) string { return f.FindStringSubmatch(shown)[1] }
			kind, _, _ := strings.Cut(shown, ".")
			switch {
			case strings.HasPrefix(shown, "gate.decided") && one(decision) != "allow":
				gates++
				requireGate(t, path, one(rule), one(gate), one(decision))
			case kind == "violation" || kind == "warning":
				owners := spec.CodedBy(one(code))
				require.NotEmpty(t, owners, "%s shows %s; add it to its rule in spec/*.yaml", path, one(code))
				require.Equal(t, kind, string(owners[0].Code(one(code)).Severity), "%s: %s", path, one(code))
				codes[one(code)] = true
			}
		}
	}
	require.Greater(t, gates, 30)
	for _, r := range spec.Rules() {
		for _, c := range r.Codes {
			if (c.Severity == spec.Violation || c.Severity == spec.Warning) && !elsewhere[c.Code] {
				require.True(t, codes[c.Code], "no scenario shows %s of %s", c.Code, r.ID)
			}
		}
	}
}

// elsewhere are codes that scenarios cannot show, because they need rules of a
// user's or more contracts than a person would read; their packages test them.
var elsewhere = map[string]bool{"OUTSIDE-WORKING-HOURS": true, "CONTRACT-LIMIT": true}

func requireGate(t *testing.T, path, rule, gate, decision string) {
	t.Helper()
	r, ok := spec.Find(rule)
	require.True(t, ok, "%s: %s", path, rule)
	for _, g := range r.Gates {
		if g.Gate == gate && slices.Contains(g.Answers, decision) {
			return
		}
	}
	t.Errorf("%s: %s answers the gate %s with %s; add it to gates of the rule in spec/*.yaml", path, rule, gate, decision)
}
