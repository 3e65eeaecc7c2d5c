package rules

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// shout is a Bound that wants a text with an exclamation mark; its tag may add one.
type shout struct {
	text    string
	checked bool
}

func (s *shout) UnmarshalYAML(node *yaml.Node) error {
	list, err := Texts(node)
	s.text = strings.Join(list, " ")
	return err
}

func (s *shout) Bind(tag reflect.StructTag, check bool) (bool, error) {
	s.checked = check
	switch {
	case s.text == "" && tag.Get("shout") == "optional":
		return false, nil
	case s.text == "":
		return false, ErrAbsent
	case tag.Get("shout") == "add":
		s.text += "!"
	case check && !strings.HasSuffix(s.text, "!"):
		return true, errors.New("is not loud")
	}
	return true, nil
}

type inner struct {
	ID   string `yaml:"id"`
	Word *shout `yaml:"word"`
}

type Inlined struct {
	Low *shout `yaml:"low" shout:"add"`
}

type voices struct {
	Inlined `yaml:",inline"`
	One     *shout            `yaml:"one"`
	Maybe   *shout            `yaml:"maybe" shout:"optional"`
	Many    []*shout          `yaml:"many" shout:"add"`
	Named   map[string]*shout `yaml:"named"`
	Items   []inner           `yaml:"items"`
	Kept    map[string]inner  `yaml:"kept"`
	Known   Words             `yaml:"known"`
	Left    *shout            `yaml:"-"`
}

const voicesYAML = "low: l\none: [a!, b!]\nmaybe: ''\nmany: [c, d]\nnamed: {x: e!}\nitems:\n  - {id: i, word: f!}\nkept: {k: {id: k, word: g!}}\nknown: [p, q]\n"

func decodeVoices(t *testing.T, overrides string) (voices, error) {
	t.Helper()
	data, err := open(fstest.MapFS{"voices.yaml": {Data: []byte(voicesYAML)}, "detectors.yaml": sample["detectors.yaml"]})
	require.NoError(t, err)
	s, err := load(data, "mine.yaml", []byte(overrides))
	require.NoError(t, err)
	var v voices
	return v, s.Decode("voices", &v)
}

func TestDecodeBindsWhereverAValueIs(t *testing.T) {
	v, err := decodeVoices(t, "")
	require.NoError(t, err)
	require.Equal(t, "l!", v.Low.text, "a field of an inlined struct")
	require.Equal(t, "a! b!", v.One.text, "a list is one value")
	require.Nil(t, v.Maybe, "an optional value may be nothing")
	require.Equal(t, []string{"c!", "d!"}, []string{v.Many[0].text, v.Many[1].text}, "the tag holds for every item")
	require.Equal(t, "e!", v.Named["x"].text)
	require.Equal(t, "f!", v.Items[0].Word.text)
	require.Equal(t, "g!", v.Kept["k"].Word.text)
	require.Equal(t, Words{"p": true, "q": true}, v.Known)
	require.False(t, v.One.checked, "what is shipped is trusted")
	require.Nil(t, v.Left)

	v, err = decodeVoices(t, "voices: {one: [x!]}")
	require.NoError(t, err)
	require.Equal(t, "x!", v.One.text)
	require.True(t, v.One.checked, "what a user's file changes is checked")
}

// Each refusal names file, line and key; in a list, the item.
func TestRefusalsOfBoundValues(t *testing.T) {
	for overrides, want := range map[string]string{
		"voices:\n  one:\n    - a!\n    - b\n":          `mine.yaml:4: voices.one.1: is not loud`,
		"voices:\n  named:\n    x: quiet\n":             `mine.yaml:3: voices.named.x: is not loud`,
		"voices:\n  items:\n    - id: i\n      word: q": `mine.yaml:4: voices.items.i.word: is not loud`,
		"voices:\n  items:\n    - id: new\n":            `mine.yaml:3: voices.items.new.word: is missing; give an expression`,
		"voices:\n  one: [{a: b}]\n":                    `mine.yaml:2: voices.one.0: want text, got a mapping`,
		"voices:\n  many:\n    - [c]\n    - {d: e}\n":   `mine.yaml:4: voices.many.1: want text, got a mapping`,
		"voices:\n  known: [a, {b: c}]\n":               `mine.yaml:2: voices.known.1: want text, got a mapping`,
		"voices:\n  kept: {k: {word: q}}\n":             `mine.yaml:2: voices.kept.k.word: is not loud`,
	} {
		_, err := decodeVoices(t, overrides)
		require.EqualError(t, err, want, overrides)
	}
}

// A type that holds itself is searched once.
func TestSearchOfATypeThatHoldsItself(t *testing.T) {
	type tree struct {
		Below []*tree `yaml:"below"`
		Name  string  `yaml:"name"`
	}
	type loud struct {
		Below []*loud `yaml:"below"`
		Word  *shout  `yaml:"word"`
	}
	require.False(t, holdsBound(reflect.TypeFor[tree]()))
	require.True(t, holdsBound(reflect.TypeFor[loud]()))
	require.True(t, holdsBound(reflect.TypeFor[[]*loud]()))
}
