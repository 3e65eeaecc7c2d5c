package events

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzMembers: of valid JSON the walk finds what the decoder finds, of other
// text nothing that panics.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, ` { "a" : [1, {"b":"x\\"}, "]}"] , "c":null,"d":-1.5e3} `, `{"\u0061\"":"\\\"","":{}}`, `[[],{},"",0,true,[{"x":[1]}]]`,
		`{"a":1,}`, `{"a"}`, `{"a":`, `[1,`, `["\`, `}`, `[}`, `{"a":}`, `"`, `null`, `{"a":1}{`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		members, depth := map[string]string{}, 0
		whole := eachMember([]byte(text), func(name, value []byte) { members[string(name)] = string(value) })
		items, list := arrayItems([]byte(text))
		if !json.Valid([]byte(text)) || strings.ContainsRune(strings.ToValidUTF8(text, "\uFFFD"), '\uFFFD') {
			return
		}
		var object map[string]json.RawMessage
		isObject := json.Unmarshal([]byte(text), &object) == nil && object != nil
		require.Equal(t, isObject, whole)
		require.Len(t, members, len(object))
		for name, value := range object {
			require.Equal(t, string(value), members[name])
		}
		var array []json.RawMessage
		isArray := json.Unmarshal([]byte(text), &array) == nil && array != nil
		require.Equal(t, isArray, list)
		for i, value := range array {
			require.Equal(t, string(value), string(items[i]))
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		deepest := 0
		for {
			token, err := decoder.Token()
			if err != nil {
				break
			}
			switch token {
			case json.Delim('{'), json.Delim('['):
				depth++
				deepest = max(deepest, depth)
			case json.Delim('}'), json.Delim(']'):
				depth--
			}
		}
		require.Equal(t, deepest, nesting([]byte(text)))
	})
}
