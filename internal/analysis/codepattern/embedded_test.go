package codepattern

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// An engine reads an embedded section when it first sees one of its languages,
// which it must know without reading it.
func TestLanguagesOfEmbeddedSections(t *testing.T) {
	set := rules.Default()
	for _, prefix := range []string{"injection", "weakcrypto"} {
		for _, name := range Names(set, prefix) {
			var section ruleSection
			require.NoError(t, set.Decode(prefix+"_"+name, &section))
			for _, r := range section.Rules {
				require.Equal(t, languagesOf(name), r.Languages, "%s_%s: %s", prefix, name, r.ID)
			}
		}
	}
	for _, name := range Names(set, "codepattern") {
		var config languageConfig
		require.NoError(t, set.Decode(sectionPrefix+name, &config))
		require.Equal(t, languagesOf(name), config.Languages, name)
	}
}

// What is read later is watched by nobody: several goroutines can be the first to ask for a language.
func TestLanguagesThatAreReadLater(t *testing.T) {
	watched := 0
	languages, err := loadLanguages(rules.Default().Watched(func(string) { watched++ }))
	require.NoError(t, err)
	require.NotEmpty(t, languages)
	before := watched
	for name, ready := range languages {
		require.NotNil(t, ready(), name)
	}
	require.Equal(t, before, watched)
}

// So are the rules of a language.
func TestRulesThatAreReadLater(t *testing.T) {
	watched := 0
	set := rules.Default().Watched(func(string) { watched++ })
	engine, err := Open(set, "injection", Names(set, "injection"), false, nil)
	require.NoError(t, err)
	before := watched
	for name, read := range engine.languages {
		require.NotEmpty(t, read().rules, name)
	}
	require.Equal(t, before, watched)
}
