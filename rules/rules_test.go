package rules

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// sample is the embedded data of these tests.
var sample = fstest.MapFS{
	"loops.yaml":     {Data: []byte("window: 10\nshare: 0.5\nlevel: low\nwords: [a, b]\nphrases:\n  - id: one\n    text: first\n    weight: 1\n  - id: two\n    text: second\n    weight: 2\nfamilies:\n  http: [requests]\n")},
	"detectors.yaml": {Data: []byte("A1: {mode: on}\nC1: {mode: observe}\n")},
}

func samples() *shipped {
	data, err := open(sample)
	if err != nil {
		panic(err)
	}
	return data
}

type phrase struct {
	ID     string `yaml:"id"`
	Text   string `yaml:"text"`
	Weight int    `yaml:"weight" range:"0..9"`
}

type loops struct {
	Window   int                 `yaml:"window" range:"1..100"`
	Share    float64             `yaml:"share" range:"0..1"`
	Level    string              `yaml:"level" allow:"low|high"`
	Words    []string            `yaml:"words"`
	Phrases  []phrase            `yaml:"phrases"`
	Families map[string][]string `yaml:"families"`
}

func (l *loops) Validate() error {
	for _, p := range l.Phrases {
		if p.Text == "" {
			return &Invalid{Path: []string{"phrases", p.ID}, Why: "has no text, give one"}
		}
	}
	return nil
}

func loadLoops(t *testing.T, overrides string) loops {
	t.Helper()
	s, err := load(samples(), "mine.yaml", []byte(overrides))
	require.NoError(t, err)
	var l loops
	require.NoError(t, s.Decode("loops", &l))
	return l
}

func TestDefaultsHoldWithoutOverrides(t *testing.T) {
	for _, empty := range []string{"", "\n", "# only a comment\n", "---\n# nothing\n"} {
		if strings.HasPrefix(empty, "---") {
			_, err := load(samples(), "mine.yaml", []byte(empty))
			require.ErrorContains(t, err, "mine.yaml:")
			continue
		}
		l := loadLoops(t, empty)
		require.Equal(t, 10, l.Window)
		require.Len(t, l.Phrases, 2)
	}
}

func TestMappingsMergeAndListsReplace(t *testing.T) {
	l := loadLoops(t, "loops:\n  window: 4\n  words: [c]\n  families:\n    orm: [gorm]\n")
	require.Equal(t, 4, l.Window)
	require.Equal(t, 0.5, l.Share, "what is not named stays")
	require.Equal(t, []string{"c"}, l.Words)
	require.Equal(t, map[string][]string{"http": {"requests"}, "orm": {"gorm"}}, l.Families)
}

func TestItemsWithIDsMerge(t *testing.T) {
	l := loadLoops(t, "loops:\n  phrases:\n    - {id: one, remove: true}\n    - {id: two, weight: 7}\n    - {id: three, text: third}\n")
	require.Equal(t, []phrase{{"two", "second", 7}, {"three", "third", 0}}, l.Phrases)
}

func TestOverridesLeaveTheEmbeddedDataAlone(t *testing.T) {
	loadLoops(t, "loops:\n  phrases:\n    - {id: one, remove: true}\n  families: {http: [axios]}\n")
	require.Len(t, loadLoops(t, "").Phrases, 2)
	require.Equal(t, []string{"requests"}, loadLoops(t, "").Families["http"])
}

// Every refusal names file, line and what is allowed instead.
func TestRefusals(t *testing.T) {
	cases := map[string]struct{ yaml, want string }{
		"unknown section":   {"x: 1\nlopps: {window: 1}\n", `mine.yaml:1: unknown section "x"; allowed are: detectors, loops`},
		"misspelt section":  {"lopps: {window: 1}\n", `mine.yaml:1: unknown section "lopps"; did you mean "loops"?`},
		"misspelt key":      {"loops:\n  windw: 1\n", `mine.yaml:2: loops: unknown key "windw"; did you mean "window"?`},
		"key in an item":    {"loops:\n  phrases:\n    - id: two\n      wait: 1\n", `mine.yaml:4: loops.phrases.two: unknown key "wait"; allowed are: id, text, weight`},
		"wrong kind":        {"loops:\n  words: c\n", `mine.yaml:2: loops.words: want a list, got a single value`},
		"wrong scalar":      {"loops:\n  window: many\n", `mine.yaml:2: loops.window: want a whole number, got "many"`},
		"over the range":    {"loops:\n  share: 1.5\n", `mine.yaml:2: loops.share: 1.5 is out of range, allowed is 0 to 1`},
		"under the range":   {"loops:\n  window: 0\n", `mine.yaml:2: loops.window: 0 is out of range, allowed is 1 to 100`},
		"not a number":      {"loops:\n  share: .nan\n", `out of range`},
		"not allowed":       {"loops:\n  level: hihgh\n", `mine.yaml:2: loops.level: "hihgh" is not allowed; did you mean "high"?`},
		"no value":          {"loops:\n  window:\n", `mine.yaml:2: loops.window: has no value`},
		"own validation":    {"loops:\n  phrases:\n    - id: three\n", `mine.yaml:3: loops.phrases.three: has no text, give one`},
		"item without id":   {"loops:\n  phrases:\n    - text: x\n", `mine.yaml:3: loops.phrases: each item here needs an id; known ids: [one two]`},
		"id twice":          {"loops:\n  phrases:\n    - id: one\n    - id: one\n", `id "one" is used twice here`},
		"remove unknown":    {"loops:\n  phrases:\n    - {id: tow, remove: true}\n", `mine.yaml:3: loops.phrases.tow: nothing to remove`},
		"remove and change": {"loops:\n  phrases:\n    - {id: one, text: x, remove: true}\n", `needs no other keys`},
		"remove false":      {"loops:\n  phrases:\n    - {id: one, remove: false}\n", `remove can only be true`},
		"key twice":         {"loops:\n  window: 1\n  window: 2\n", `mine.yaml:3: key "window" is already on line 2`},
		"alias":             {"loops:\n  words: &w [a]\n  level: *w\n", `anchors and aliases are not supported`},
		"top is a list":     {"- loops\n", `want a mapping from section to values`},
		"two documents":     {"loops: {window: 1}\n---\nloops: {window: 2}\n", `want one YAML document`},
		"broken YAML":       {"loops: [\n", `mine.yaml: yaml: line`},
		"too large":         {strings.Repeat("#", maxOverrides+1), `at most 1048576 are allowed`},
		"no such detector":  {"detectors:\n  C9: {mode: on}\n", `mine.yaml:2: detectors: no detector "C9"; allowed are: A1, C1`},
		"no such mode":      {"detectors:\n  C1: {mode: onn}\n", `mine.yaml:2: detectors.C1.mode: "onn" is not allowed; did you mean "on"?`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := load(samples(), "mine.yaml", []byte(c.yaml))
			if err == nil {
				err = s.Decode("loops", &loops{})
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestErrorsInEmbeddedDataNameTheEmbeddedFile(t *testing.T) {
	s, err := load(samples(), "mine.yaml", []byte("loops: {window: 3}"))
	require.NoError(t, err)
	var narrow struct {
		Window int `yaml:"window"`
	}
	require.ErrorContains(t, s.Decode("loops", &narrow), `rules/loops.yaml:2: loops: unknown key "share"`)
	require.ErrorContains(t, s.Decode("loop", &narrow), `no section "loop"; did you mean "loops"?`)
	require.ErrorContains(t, s.Decode("loops", narrow), "decode into a pointer")
}

// DP-25: each detector is off, observed or on; YAML's bare on and off count as text.
func TestModes(t *testing.T) {
	s, err := load(samples(), "mine.yaml", []byte("detectors:\n  A1: {mode: off}\n"))
	require.NoError(t, err)
	require.Equal(t, ModeOff, s.Mode("A1"))
	require.Equal(t, ModeObserve, s.Mode("C1"))
	require.Equal(t, ModeOn, s.Mode("Z9"))
}

// EV-2: the hash names the effective data.
func TestHash(t *testing.T) {
	plain, err := load(samples(), "", nil)
	require.NoError(t, err)
	same, err := load(samples(), "", nil)
	require.NoError(t, err)
	changed, err := load(samples(), "", []byte("loops: {window: 3}"))
	require.NoError(t, err)
	require.Regexp(t, `^[0-9a-f]{12}$`, plain.Hash())
	require.Equal(t, plain.Hash(), same.Hash())
	require.NotEqual(t, plain.Hash(), changed.Hash())
}

func TestEmbeddedDataLoads(t *testing.T) {
	s := Default()
	require.Contains(t, s.Sections(), "detectors")
	require.IsIncreasing(t, s.Sections())
	require.Equal(t, ModeOn, s.Mode("C1"))
}

func FuzzLoad(f *testing.F) {
	f.Add("loops:\n  phrases:\n    - {id: one, remove: true}\n    - {id: two, weight: 7}\n")
	f.Add("loops:\n  words: &w [a]\n  level: *w\n")
	f.Add("loops:\n  ? [a, b]\n  : c\n")
	f.Add("<<: {a: 1}\nloops: !!binary aaaa\n")
	f.Add("detectors: {C1: {mode: off}}\n---\n")
	f.Fuzz(func(t *testing.T, overrides string) {
		s, err := load(samples(), "mine.yaml", []byte(overrides))
		if err != nil {
			require.Contains(t, err.Error(), "mine.yaml")
			return
		}
		var l loops
		if s.Decode("loops", &l) == nil {
			require.True(t, l.Window >= 1 && l.Window <= 100)
			require.Contains(t, []string{"low", "high"}, l.Level)
		}
		s.Mode("C1")
	})
}
