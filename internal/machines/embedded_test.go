package machines_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/ralph"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// A start trusts the embedded rules: types, ranges and patterns of every section
// are checked here, as those of a user's file are when it is read.
func TestEmbeddedRules(t *testing.T) {
	// Nothing exported reads these; tests of their packages check them.
	seen := map[string]bool{"codeindex": true, "manifest": true, "ownchecks": true, "prose": true, "synonyms": true, "syntax": true, "workspace": true}
	set := rules.Checked(func(section string) { seen[section] = true })
	_, err := machines.New(machines.Options{Rules: set})
	require.NoError(t, err)
	for _, load := range []func(*rules.Set) error{
		func(s *rules.Set) error { _, err := outcome.Load(s); return err },
		func(s *rules.Set) error { _, err := ralph.Load(s); return err },
		func(s *rules.Set) error { _, err := sessionreport.LoadSettings(s); return err },
		func(s *rules.Set) error { _, err := runreport.LoadSettings(s); return err },
		func(s *rules.Set) error { _, err := notice.LoadWords(s); return err },
	} {
		require.NoError(t, load(set))
	}
	for _, section := range set.Sections() {
		require.True(t, seen[section], "nothing here reads the section %s: add what does", section)
	}
}
