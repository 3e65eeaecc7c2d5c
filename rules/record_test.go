package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is recorded of a set is the set: the same hash, and no difference (AU-12).
func TestARecordIsTheSet(t *testing.T) {
	set, err := Load("own.yaml", []byte("dispatch: {cooldown_turns: 3}\n"))
	require.NoError(t, err)
	for _, s := range []*Set{Default(), set} {
		again, err := s.Record().Load()
		require.NoError(t, err)
		require.Equal(t, s.Hash(), again.Hash())
		differences, err := Differences(s, again)
		require.NoError(t, err)
		require.Empty(t, differences)
	}
}

// A build that ships other rules differs in the settings that another text gives, not in
// those whose file alone is written in another way.
func TestDifferencesOfShippedRules(t *testing.T) {
	r := Default().Record()
	r.Sections["refetch.yaml"] = "# a comment\n" + r.Sections["refetch.yaml"]
	r.Sections["invented.yaml"] = "limit: 7\n"
	r.Secrets += "# more\n"
	other, err := r.Load()
	require.NoError(t, err)
	require.NotEqual(t, Default().Hash(), other.Hash())
	differences, err := Differences(other, Default())
	require.NoError(t, err)
	require.Len(t, differences, 2)
	require.Equal(t, "secrets.toml", differences[0].Path)
	require.Equal(t, Difference{Path: "invented.limit", Was: "7"}, differences[1])
}

func TestARecordThatIsNone(t *testing.T) {
	for name, r := range map[string]Record{
		"name":      {Sections: map[string]string{"../x": ""}},
		"overrides": {Sections: Default().Record().Sections, Overrides: "]"},
		"unknown":   {Sections: map[string]string{"refetch.yaml": "window_turns: 6"}, Overrides: "nothing: {a: 1}"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.Load()
			require.ErrorContains(t, err, "recorded rules: ")
		})
	}
}
