package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/schema"
)

const release = `{"type":"object","additionalProperties":false,"required":["kind","notes"],"properties":{
	"kind":{"const":"acme.release"},"notes":{"type":"array","maxItems":2,"items":{"$ref":"#/$defs/note"}}},
	"$defs":{"note":{"type":"object","required":["text"],"properties":{"text":{"type":"string","pattern":"^[A-Z]"},"level":{"enum":["high","low"]}}}}}`

func TestCheckNamesThePath(t *testing.T) {
	compiled, err := schema.Compile([]byte(release))
	require.NoError(t, err)
	cases := map[string]struct {
		document string
		want     []schema.Problem
	}{
		"kept":       {`{"kind":"acme.release","notes":[{"text":"One"}]}`, nil},
		"missing":    {`{"kind":"acme.release"}`, []schema.Problem{{Path: "/notes", What: "is missing"}}},
		"unknown":    {`{"kind":"acme.release","notes":[],"a/b~c":1}`, []schema.Problem{{Path: "/a~1b~0c", What: "is not a field of the contract", Unknown: true}}},
		"nested":     {`{"kind":"acme.release","notes":[{"text":"One"},{"text":"two","level":"mid"}]}`, []schema.Problem{{Path: "/notes/1/level", What: "value must be one of 'high', 'low'"}, {Path: "/notes/1/text", What: "'two' does not match pattern '^[A-Z]'"}}},
		"whole":      {`7`, []schema.Problem{{Path: "/", What: "got number, want object"}}},
		"three of 2": {`{"kind":"acme.release","notes":[{"text":"A"},{"text":"B"},{"text":"C"}]}`, []schema.Problem{{Path: "/notes", What: "number of items: 3, at most 2 allowed"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := compiled.Check([]byte(c.document))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestHostileSchemasAreRefused(t *testing.T) {
	doubling := `{"$defs":{"d0":{"type":"string"}`
	for i := 1; i <= 30; i++ {
		doubling += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i-1, i-1)
	}
	doubling += `},"$ref":"#/$defs/d30"}`
	cases := map[string]struct{ schema, says string }{
		"no JSON":           {`{`, "read JSON"},
		"a list":            {`[]`, "an object or a boolean"},
		"large":             {`{"title":"` + strings.Repeat("x", schema.MaxSchemaBytes) + `"}`, "bytes"},
		"deep":              {strings.Repeat(`{"not":`, 40) + `true` + strings.Repeat(`}`, 40), "levels"},
		"file":              {`{"$ref":"file:///etc/passwd"}`, "only a place in the schema itself"},
		"address":           {`{"$ref":"https://example.org/schema"}`, "only a place in the schema itself"},
		"relative":          {`{"$ref":"other.json"}`, "only a place in the schema itself"},
		"whole":             {`{"properties":{"a":{"$ref":"#"}}}`, "only a place in the schema itself"},
		"recursive":         {`{"$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"}}}},"$ref":"#/$defs/a"}`, "recursive"},
		"nowhere":           {`{"$ref":"#/$defs/none"}`, "leads nowhere"},
		"anchor":            {`{"$defs":{"a":{"$anchor":"x"}}}`, "$anchor is not allowed"},
		"inner id":          {`{"$defs":{"a":{"$id":"https://example.org/a"}}}`, "$id is not allowed"},
		"own metaschema":    {`{"$schema":"https://example.org/meta"}`, "refers only to itself"},
		"doubling":          {doubling, "too complicated"},
		"wrong keyword":     {`{"type":"objekt"}`, "at /type"},
		"repeats":           {`{"pattern":"((a{50}){50}){50}"}`, "pattern"},
		"many repeats":      {`{"pattern":"(a{30}){60}(b{30}){60}"}`, "pattern"},
		"broken pattern":    {`{"pattern":"("}`, "pattern"},
		"negative maxItems": {`{"maxItems":-1}`, "at /maxItems"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := schema.Compile([]byte(c.schema))
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestWorkIsBounded(t *testing.T) {
	branches := strings.Repeat(`{"type":"integer","enum":[1,2,3]},`, 400)
	compiled, err := schema.Compile([]byte(`{"items":{"anyOf":[` + strings.TrimSuffix(branches, ",") + `]}}`))
	require.NoError(t, err)
	_, err = compiled.Check([]byte("[" + strings.TrimSuffix(strings.Repeat("9,", 10000), ",") + "]"))
	require.ErrorIs(t, err, schema.ErrTooLarge)
	problems, err := compiled.Check([]byte("[9]"))
	require.NoError(t, err)
	require.Equal(t, "/0", problems[0].Path)
	_, err = compiled.Check([]byte(strings.Repeat("[", 100) + strings.Repeat("]", 100)))
	require.ErrorIs(t, err, schema.ErrTooLarge)
}

func TestProblemsAreFewAndShort(t *testing.T) {
	compiled, err := schema.Compile([]byte(`{"additionalProperties":false}`))
	require.NoError(t, err)
	document := map[string]int{}
	for i := range 50 {
		document[strings.Repeat("x", 1000)+fmt.Sprint(i)] = i
	}
	text, err := json.Marshal(document)
	require.NoError(t, err)
	problems, err := compiled.Check(text)
	require.NoError(t, err)
	require.LessOrEqual(t, len(problems), 5)
	require.NotEmpty(t, problems)
	require.Less(t, len(problems[0].Path), 300)
}

func TestHashIgnoresOrderAndSpace(t *testing.T) {
	one, err := schema.Hash([]byte(`{"a":1,"b":[true,"<"]}`))
	require.NoError(t, err)
	two, err := schema.Hash([]byte("{ \"b\" : [true, \"<\"],\n\"a\":1 }"))
	require.NoError(t, err)
	require.Equal(t, one, two)
	require.Regexp(t, "^sha256:[0-9a-f]{64}$", one)
	other, err := schema.Hash([]byte(`{"a":2,"b":[true,"<"]}`))
	require.NoError(t, err)
	require.NotEqual(t, one, other)
	_, err = schema.Hash([]byte("{"))
	require.Error(t, err)
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(release), []byte(`{"kind":"acme.release"}`))
	f.Add([]byte(`{"$ref":"#/a"}`), []byte(`1`))
	f.Add([]byte(`{"patternProperties":{"^a+$":{"minimum":3}},"unevaluatedProperties":false}`), []byte(`{"aa":1,"b":1e300}`))
	f.Fuzz(func(t *testing.T, text, document []byte) {
		compiled, err := schema.Compile(text)
		if err != nil {
			return
		}
		first, errFirst := compiled.Check(document)
		second, errSecond := compiled.Check(document)
		require.Equal(t, first, second)
		require.Equal(t, errFirst, errSecond)
	})
}

// PL-5: a pattern is of ECMA 262, as JSON Schema has it.
func TestPatternsOfECMA(t *testing.T) {
	for _, c := range []struct {
		pattern, keeps, breaks string
	}{
		{`^[\\u00e4-\\u00ff]+$`, "ä", "a"},
		{`^\\u{1F600}$`, "😀", "u"},
		{`^\\\\u00e4$`, `\\u00e4`, "ä"}, // an escaped backslash
		{`^(?<year>\\d{4})\\/\\p{Letter}+$`, "2026/May", "26/May"},
	} {
		compiled, err := schema.Compile([]byte(`{"type":"string","pattern":"` + c.pattern + `"}`))
		require.NoError(t, err, c.pattern)
		for text, broken := range map[string]int{c.keeps: 0, c.breaks: 1} {
			problems, err := compiled.Check([]byte(`"` + text + `"`))
			require.NoError(t, err)
			require.Len(t, problems, broken, "%s against %s", text, c.pattern)
		}
	}
	_, err := schema.Compile([]byte(`{"pattern":"^(?!x)a"}`))
	require.ErrorContains(t, err, "look-around and back references are not supported")
}

// A format is held to in every draft.
func TestFormatsAreAsserted(t *testing.T) {
	for _, draft := range []string{"", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"} {
		head := ""
		if draft != "" {
			head = `"$schema":"` + draft + `",`
		}
		compiled, err := schema.Compile([]byte(`{` + head + `"format":"date"}`))
		require.NoError(t, err)
		problems, err := compiled.Check([]byte(`"yesterday"`))
		require.NoError(t, err)
		require.Equal(t, []schema.Problem{{Path: "/", What: "is not a valid date"}}, problems, draft)
		problems, err = compiled.Check([]byte(`"2026-05-01"`))
		require.NoError(t, err)
		require.Empty(t, problems, draft)
	}
}

// A schema with several errors is refused with the same words each time: a replay
// gives the same bytes.
func TestRefusalsAreTheSameEachTime(t *testing.T) {
	for _, text := range []string{
		`{"properties":{"a":{"$anchor":"x"},"b":{"$ref":"https://example.org/b"},"c":{"$ref":"#/none"},"d":{"$ref":"other"}}}`,
		`{"properties":{"a":{"pattern":"("},"b":{"pattern":"["},"c":{"pattern":"(?!x)"},"d":{"pattern":"*"}}}`,
		`{"properties":{"a":{"type":"x"},"b":{"minItems":-1},"c":{"enum":1},"d":{"required":[1]}}}`,
		`{"$defs":{"a":{"pattern":"((a{50}){50}){50}"},"b":{"pattern":"((b{60}){50}){50}"}},"properties":{"c":{"pattern":"((c{40}){50}){50}"}}}`,
		`{"not":{"required":["a"]},"properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/properties/a"},"c":{"$id":"https://example.org/c"}}}`,
	} {
		_, first := schema.Compile([]byte(text))
		require.Error(t, first)
		for range 50 {
			_, again := schema.Compile([]byte(text))
			require.EqualError(t, again, first.Error())
		}
	}
}
