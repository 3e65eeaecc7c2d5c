package codepattern

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func engine(t testing.TB, list ...Rule) *Engine {
	t.Helper()
	e, err := New(rules.Default(), "test", list)
	require.NoError(t, err)
	return e
}

func TestPatternsWithoutFlow(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	e := engine(t,
		Rule{ID: "hash", Languages: []string{"python"}, Triggers: []string{`\bmd5\b`}, Confidence: 0.8, Calls: []Call{{Callee: []string{"hashlib.md5"}}}},
		Rule{ID: "verify", Languages: []string{"python"}, Triggers: []string{`verify`}, Confidence: 0.9, Calls: []Call{{Callee: []string{"requests.*"}, When: []Condition{{Keyword: []string{"verify"}, Is: []string{"false"}}}}}},
		Rule{ID: "tls", Languages: []string{"go"}, Triggers: []string{`InsecureSkipVerify`}, Confidence: 0.9, Pairs: []Pair{{Key: []string{"InsecureSkipVerify"}, When: []Condition{{Is: []string{"true"}}}}}},
	)
	for code, want := range map[string][]string{
		"import hashlib\ndef f(p):\n    return hashlib.md5(p).hexdigest()\n": {"hash"},
		"from hashlib import md5\nx = md5(y)\n":                              {"hash"},
		"x = 'hashlib.md5(y)'\n":                                             nil,
		"requests.get(u, verify=False)\n":                                    {"verify"},
		"requests.get(u, verify=True)\n":                                     nil,
	} {
		require.Equal(t, want, ids(e.Code("python", code)), code)
	}
	require.Equal(t, []string{"tls"}, ids(e.Code("go", "package a\n\nfunc f() { c := &tls.Config{InsecureSkipVerify: true} }\n")))
	require.Equal(t, []string{"tls"}, ids(e.Code("go", "package a\n\nfunc f() { c.InsecureSkipVerify = true }\n")))
	require.Empty(t, ids(e.Code("go", "package a\n\nfunc f() { c.InsecureSkipVerify = false }\n")))
}

func ids(list []Match) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Rule.ID)
	}
	return out
}

// Without trees a rule's expression is tried on added lines, comments left out.
func TestPlainTier(t *testing.T) {
	e := engine(t, Rule{
		ID: "hash", Languages: []string{"python"}, Triggers: []string{`md5`}, Regex: `hashlib\.md5\(`, PlainConfidence: 0.7,
		Calls: []Call{{Callee: []string{"hashlib.md5"}}},
	})
	r := e.ruleset("python")
	code := "# hashlib.md5(a)\nx = hashlib.md5(a)\ny = 'hashlib.md5(b)'\n"
	texts := newSide(&sessionevents.Diff{Hunks: []sessionevents.Hunk{{NewStart: 7, Lines: []string{" # hashlib.md5(a)", "+x = hashlib.md5(a)", "+y = 'hashlib.md5(b)'"}}}})
	require.Equal(t, code, texts[0].code)
	found := r.plainly(&texts[0], r.rules)
	require.Len(t, found, 1)
	require.Equal(t, 8, found[0].Line)
	require.Equal(t, 4, found[0].Offset)
	require.Equal(t, 0.7, found[0].Confidence)
	require.Equal(t, "regex", found[0].Tier)
	require.Equal(t, []string{"hashlib.md5(a)"}, found[0].Comments)
}

// Only places that touch an added line are found; offsets count in added lines.
func TestPlacesInAddedLines(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	e := engine(t, flowRule("python"))
	hunk := func(lines ...string) *sessionevents.Segment {
		return &sessionevents.Segment{Language: "python", Diff: &sessionevents.Diff{Hunks: []sessionevents.Hunk{
			{NewStart: 1, Lines: []string{"+import os", "+"}}, {NewStart: 10, Lines: lines},
		}}}
	}
	require.Empty(t, e.Segment(hunk(" def f(a):", "     sink(a)", "+    return 1"), nil))
	found := e.Segment(hunk(" def f(a):", "-    pass", "+    sink(a)"), nil)
	require.Len(t, found, 1)
	require.Equal(t, 11, found[0].Line)
	require.Equal(t, len("import os\n\n    "), found[0].Offset)
	require.Equal(t, len("sink(a"), found[0].Length)
	require.Equal(t, "f", found[0].Function)
	require.Equal(t, "a", found[0].Source)
	require.Equal(t, []string{"sink", "a", "f"}, found[0].Identifiers())
}

// An error in a rule names the rule's key.
func TestRulesAreChecked(t *testing.T) {
	for want, r := range map[string]Rule{
		"rules.x.triggers":    {ID: "x", Calls: []Call{{Callee: []string{"f"}}}},
		"needs calls, pairs":  {ID: "x", Triggers: []string{"f"}},
		"unknown origin":      {ID: "x", Triggers: []string{"f"}, Calls: []Call{{Callee: []string{"f"}}}, Flow: &Flow{Direct: map[string]float64{"moon": 1}}},
		"a call needs callee": {ID: "x", Triggers: []string{"f"}, Calls: []Call{{}}},
		"missing closing":     {ID: "x", Triggers: []string{"(f"}, Calls: []Call{{Callee: []string{"f"}}}},
	} {
		require.ErrorContains(t, Validate([]Rule{r}), want)
	}
	_, err := New(rules.Default(), "test", []Rule{{ID: "x", Languages: []string{"cobol"}, Triggers: []string{"f"}, Calls: []Call{{Callee: []string{"f"}}}}})
	require.ErrorContains(t, err, `nothing is known of the language "cobol"`)
}

// A rule whose text cannot stand in the hunk is left out, unless something enters
// from outside.
func TestWords(t *testing.T) {
	r := Rule{
		ID: "sql", Languages: []string{"python"}, Triggers: []string{`query\(`}, Calls: []Call{{Callee: []string{"*.query"}}},
		Flow: &Flow{Category: "sql", Direct: map[string]float64{"request": 0.9}, Built: map[string]float64{"request": 0.9, "parameter": 0.8}, Text: `select`, Words: []string{`select`}},
	}
	ruleset := engine(t, r).ruleset("python")
	for code, want := range map[string]int{
		"def f(a):\n    db.query(User, a)\n":               0,
		"def f(a):\n    db.query('select ' + a)\n":         1,
		"def f():\n    db.query(request.args['q'])\n":      1,
		"def f():\n    db.query(os.environ['QUERY'], 1)\n": 0,
	} {
		require.Len(t, ruleset.worthwhile(ruleset.triggered(code), code, nil, &owners{}), want, code)
	}
	r.Flow.Words = []string{"("}
	require.ErrorContains(t, Validate([]Rule{r}), "rules.sql.flow")
}
