package hardcodedsecret

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// The testdata holds {{aws}}, {{github}}, {{random}} … instead of secrets; they
// are filled in and redacted, as ingest does, before the detector sees a turn.
func TestDetector(t *testing.T) {
	filled := *Detector
	filled.New = func(set *rules.Set) (detect.Instance, error) {
		inner, err := newInstance(set)
		return &filledInstance{inner.(*instance), testRedactor(t)}, err
	}
	detecttest.Run(t, &filled)
}

type filledInstance struct {
	*instance
	redactor *redact.Redactor
}

func (f *filledInstance) Run(p *detect.Pass) []detect.Finding { return f.instance.Run(f.fill(p)) }

func (f *filledInstance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	return f.instance.Judge(f.fill(p), s)
}

func (f *filledInstance) fill(p *detect.Pass) *detect.Pass {
	raw, err := json.Marshal(p.Turn)
	if err != nil {
		panic(err)
	}
	turn := &sessionevents.TurnSegmented{}
	if err := json.Unmarshal([]byte(secretstest.New(1).Fill(string(raw))), turn); err != nil {
		panic(err)
	}
	clean, found := redacted(f.redactor, turn)
	clean.Secrets = append(append([]sessionevents.SecretFinding(nil), p.Turn.Secrets...), found...)
	view := *p
	view.Turn = clean
	return &view
}

// redacted returns a turn as ingest passes it on, and the secrets that it held.
func redacted(r *redact.Redactor, turn *sessionevents.TurnSegmented) (*sessionevents.TurnSegmented, []sessionevents.SecretFinding) {
	raw, err := json.Marshal(turn)
	if err != nil {
		panic(err)
	}
	clean, found := r.JSON(raw)
	out := &sessionevents.TurnSegmented{}
	if err := json.Unmarshal(clean, out); err != nil {
		panic(err)
	}
	return out, found
}

func testRedactor(t testing.TB) *redact.Redactor {
	config, err := secrets.LoadConfig(rules.Default())
	require.NoError(t, err)
	scanner, err := secrets.New(config, []byte(fingerprint.ScanKey))
	require.NoError(t, err)
	return redact.New(scanner, config.PathKeys)
}

// segmented is a turn with one DIFF of the given lines, redacted.
func segmented(t *testing.T, path string, op sessionevents.DiffOperation, change func(*sessionevents.Segment), lines ...string) *sessionevents.TurnSegmented {
	segment := sessionevents.Segment{Kind: sessionevents.SegmentDiff, Path: path, Diff: &sessionevents.Diff{Op: op, Hunks: []sessionevents.Hunk{{NewStart: 10, OldStart: 10, Lines: lines}}}}
	if change != nil {
		change(&segment)
	}
	clean, found := redacted(testRedactor(t), &sessionevents.TurnSegmented{Turn: 1, Segments: []sessionevents.Segment{segment}})
	clean.Secrets = found
	return clean
}

func run(t *testing.T, turn *sessionevents.TurnSegmented, m *memory) []detect.Finding {
	d, err := newInstance(rules.Default())
	require.NoError(t, err)
	return d.Run(&detect.Pass{Turn: turn, Additions: &registry.Turn{}, State: m})
}

// Evidence points into the DIFF's text: added lines joined by newlines (B1).
func TestEvidence(t *testing.T) {
	key := secretstest.New(2).Provider("github")
	turn := segmented(t, "a.py", sessionevents.DiffUpdate, nil, " import os", "+x = 1", "-y", "+TOKEN = '"+key+"'")
	found := run(t, turn, &memory{})
	require.Len(t, found, 1)
	e := found[0].Evidence[0]
	text := detect.Text(&turn.Segments[0])
	require.Contains(t, text[e.Offset:e.Offset+e.Length], "‹secret:github-pat:")
	require.Equal(t, 12, e.Line)
	require.Equal(t, "a.py TOKEN", found[0].Subject)
	require.Equal(t, "Credential in a.py at TOKEN (line 12); move to .env before committing.", found[0].Message)
	require.NotContains(t, e.Quote, key)
}

// SW-4, SW-3: a failed or refused edit wrote nothing.
func TestNotWritten(t *testing.T) {
	line := "+TOKEN = '" + secretstest.New(3).Provider("github") + "'"
	require.Empty(t, run(t, segmented(t, "a.py", sessionevents.DiffUpdate, func(s *sessionevents.Segment) { s.Diff.Failed = true }, line), &memory{}))
	require.Empty(t, run(t, segmented(t, "a.py", sessionevents.DiffUpdate, func(s *sessionevents.Segment) { s.Rejected = true }, line), &memory{}))
}

// A value that was read in the file before is not new there, nor is a moved line.
func TestKnownValues(t *testing.T) {
	line := "TOKEN = '" + secretstest.New(4).Provider("github") + "'"
	turn := segmented(t, "a.py", sessionevents.DiffUpdate, nil, "+"+line)
	m := &memory{}
	m.remember("a.py", turn.Secrets[0].Fingerprint, 16)
	require.Empty(t, run(t, turn, m))
	require.Len(t, run(t, turn, &memory{}), 1)
	require.Empty(t, run(t, segmented(t, "a.py", sessionevents.DiffUpdate, nil, "-"+line, " x", "+"+line), &memory{}))
}

// What a tool showed of a file is not new there; what it showed of another is.
func TestValuesThatWereRead(t *testing.T) {
	turn := segmented(t, "a.py", sessionevents.DiffCreate, nil, "+TOKEN = '"+secretstest.New(6).Provider("github")+"'")
	for path, signals := range map[string]int{"a.py": 0, "/repo/a.py": 0, "b.py": 1} {
		m := &memory{}
		run(t, &sessionevents.TurnSegmented{Turn: 1, Secrets: []sessionevents.SecretFinding{{Path: path, Pointer: "output", Fingerprint: turn.Secrets[0].Fingerprint}}}, m)
		require.Len(t, run(t, turn, m), signals, path)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	m := &memory{}
	for i := range 100 {
		m.remember(string(rune('a'+i)), "f", 16)
	}
	require.Len(t, m.Known, 16)
	require.True(t, m.knows(string(rune('a'+99)), "f"))
	require.False(t, m.knows("a", "f"))
}

// Hostile input: a turn of thousands of secrets has a bounded number of signals,
// and says what it leaves out.
func TestSignalsPerTurnAreBounded(t *testing.T) {
	g := secretstest.New(5)
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("+k%d = '%s'", i, g.Provider("github")))
	}
	found := run(t, segmented(t, "a.py", sessionevents.DiffUpdate, nil, lines...), &memory{})
	require.Len(t, found, 64)
	require.Equal(t, "The value matches a provider's pattern (github-pat). The turn writes 36 more.", found[63].Reason)
	require.NotContains(t, found[62].Reason, "more")
}
