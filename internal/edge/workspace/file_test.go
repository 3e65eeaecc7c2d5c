package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

const full = `constraints: [No new dependencies.]
conventions:
  - rule: Use SQLAlchemy for all database access
  - {id: http, family: http-client, use: axios, wrapper: src/api/client.ts, instead_of: [fetch, XMLHttpRequest], paths: [src/**]}
  - {use: pytest}
  - {instead_of: [moment]}
rules:
  detectors:
    C1: {mode: off}
index: .scaffoldwatch-index.json
`

func TestConventions(t *testing.T) {
	f, err := Read(folder(t, map[string]string{FileName: full}))
	require.NoError(t, err)
	require.Equal(t, []string{"No new dependencies."}, f.Constraints)
	require.Equal(t, []sessionevents.Convention{
		{ID: "use-sqlalchemy-for-all-database-access", Rule: "Use SQLAlchemy for all database access"},
		{
			ID: "http", Family: "http-client", Wrapper: "src/api/client.ts", Bypass: []string{"fetch", "XMLHttpRequest"}, Paths: []string{"src/**"},
			Rule: "Use axios through src/api/client.ts for http-client; do not use fetch or XMLHttpRequest.",
		},
		{ID: "use-pytest", Rule: "Use pytest.", Wrapper: "pytest"},
		{ID: "do-not-use-moment", Rule: "Do not use moment.", Bypass: []string{"moment"}},
	}, f.EventConventions())
	set, applied, refused, err := f.RuleSet()
	require.NoError(t, err)
	require.Equal(t, []rules.Change{{Path: "detectors.C1.mode", Value: "off", Line: 9}}, applied)
	require.Empty(t, refused)
	require.Equal(t, rules.ModeOff, set.Mode("C1"))
	require.NotEqual(t, rules.Default().Hash(), set.Hash())
}

func TestRulesOfAnotherFile(t *testing.T) {
	dir := folder(t, map[string]string{FileName: "rules: ours.yaml", "ours.yaml": "detectors: {C1: {mode: off}}"})
	f, err := Read(dir)
	require.NoError(t, err)
	set, _, _, err := f.RuleSet()
	require.NoError(t, err)
	require.Equal(t, rules.ModeOff, set.Mode("C1"))
	f, err = Read(folder(t, map[string]string{FileName: "constraints: []"}))
	require.NoError(t, err)
	set, _, _, err = f.RuleSet()
	require.NoError(t, err)
	require.Nil(t, set, "it says nothing of rules")
}

func TestNothingIsThere(t *testing.T) {
	for _, dir := range []string{t.TempDir(), "relative", "", filepath.Join(t.TempDir(), "none")} {
		f, err := Read(dir)
		require.NoError(t, err)
		require.Nil(t, f)
	}
}

func TestMistakesNamePlaceAndCure(t *testing.T) {
	for text, want := range map[string]string{
		"convention: []": ":1: unknown key \"convention\"; did you mean \"conventions\"?",
		"conventions:\n  - {id: a, instead: [b]}":     `:2: conventions.a: unknown key "instead"; did you mean "instead_of"?`,
		"conventions:\n  - {id: a}":                   ":2: conventions.a: is empty; give a rule",
		"conventions:\n  - {use: a, paths: [\"[\"]}":  `:2: conventions.0.paths.0: "[" is not a pattern`,
		"conventions:\n  - {use: a, paths: [/etc/*]}": `"/etc/*" is not a pattern of files below the workspace`,
		"index: ../other.json":                        `index: "../other.json" is outside of the workspace`,
		"rules: /etc/passwd":                          `rules: "/etc/passwd" is outside of the workspace`,
		"rules: [a]":                                  ":1: rules: want text",
		"constraints: x":                              ":1: constraints: want a list",
		"- a":                                         ":1: want a mapping, got a list",
		"a: [":                                        FileName,
	} {
		_, err := Read(folder(t, map[string]string{FileName: text}))
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, FileName, text)
	}
	f, err := Read(folder(t, map[string]string{FileName: "\nrules:\n  refech: {}\n"}))
	require.NoError(t, err)
	_, _, _, err = f.RuleSet()
	require.ErrorContains(t, err, `:3: unknown section "refech"; did you mean "refetch"?`)
	f, err = Read(folder(t, map[string]string{FileName: "index: none.json"}))
	require.NoError(t, err)
	_, _, err = f.ReadIndex()
	require.ErrorContains(t, err, "create it with: scaffoldwatch index")
}

// The folder is a transcript's word: no link leads out of it.
func TestNothingOutsideIsRead(t *testing.T) {
	outside := folder(t, map[string]string{"ours.yaml": "detectors: {B1: {mode: off}}", "all.yaml": full})
	dir := folder(t, map[string]string{FileName: "rules: link.yaml"})
	require.NoError(t, os.Symlink(filepath.Join(outside, "ours.yaml"), filepath.Join(dir, "link.yaml")))
	f, err := Read(dir)
	require.NoError(t, err)
	_, _, _, err = f.RuleSet()
	require.ErrorContains(t, err, "escapes")
	dir = t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(outside, "all.yaml"), filepath.Join(dir, FileName)))
	_, err = Read(dir)
	require.ErrorContains(t, err, "escapes")
	require.NoError(t, os.Mkdir(filepath.Join(outside, FileName), 0o700))
	_, err = Read(outside)
	require.ErrorContains(t, err, "is not a regular file")
}

func FuzzParse(f *testing.F) {
	f.Add(full)
	f.Add("rules: x\nconventions: [{paths: ['**']}]")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(dir, []byte(text))
		if err != nil {
			return
		}
		for _, c := range file.EventConventions() {
			require.NotEmpty(t, c.Rule)
		}
		_, _, _, err = file.RuleSet()
		_ = err // it may name files that are not there
	})
}

// GD-9: in scan, too, a workspace only tightens the packs of the guard, and says so.
func TestPacksOfTheGuard(t *testing.T) {
	dir := folder(t, map[string]string{FileName: "guard: {core: warn, data: deny, infra: warn}\nrules: {guard: {packs: {hijack: off}}}\n"})
	file, err := Read(dir)
	require.NoError(t, err)
	set, applied, refused, err := file.RuleSet()
	require.NoError(t, err)
	require.Equal(t, []rules.Change{{Path: "guard.data", Value: "deny"}}, applied)
	require.Len(t, refused, 2, "core would be milder, hijack is the operator's")
	var config guard.Config
	require.NoError(t, set.Decode("guard", &config))
	require.Equal(t, []guard.Mode{guard.ModeDeny, guard.ModeDeny, guard.ModeWarn, guard.ModeWarn}, []guard.Mode{config.Packs.Core, config.Packs.Data, config.Packs.Infra, config.Packs.Hijack})
	// Beside other sections, and rules that the file may set.
	file, err = Read(folder(t, map[string]string{FileName: "constraints: [No new dependencies.]\nrules: {detectors: {C1: {mode: observe}}}\nguard: {data: deny}\n"}))
	require.NoError(t, err)
	set, applied, _, err = file.RuleSet()
	require.NoError(t, err)
	require.Len(t, applied, 2)
	require.Equal(t, rules.ModeObserve, set.Mode("C1"))

	_, err = Read(folder(t, map[string]string{FileName: "guard: {cores: deny}\n"}))
	require.ErrorContains(t, err, "no such pack")
}
