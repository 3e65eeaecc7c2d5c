package attest_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/attest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

var (
	morning = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	bySHA   = strings.Repeat("a1", 20)
	factSHA = strings.Repeat("b2", 20)
)

// recorded is a record in memory.
type recorded struct {
	record.Source
	segmented, decided []record.Entry
	heads              []chain.Head
}

func (r recorded) Partitions() int { return subjects.DefaultPartitions }

func (r recorded) Events(_ context.Context, of record.Selection, take func(record.Entry) error) error {
	all := r.segmented
	if of.Stream == events.StreamDecisions {
		all = r.decided
	}
	for _, e := range all {
		if of.Type != "" && e.Type != of.Type || of.Session != "" && e.Subject != of.Session || of.Run != "" && e.Group() != of.Run {
			continue
		}
		if err := take(e); err != nil {
			return err
		}
	}
	return nil
}

// fleet returns the sample fleet as it is recorded, with a commit that infrastructure reports.
func fleet(t testing.TB) recorded {
	t.Helper()
	core, err := machines.New(machines.Options{Rules: rules.Default(), IdleTimeout: time.Hour})
	require.NoError(t, err)
	play, err := demo.NewPlay(morning)
	require.NoError(t, err)
	commit := events.Event{
		ID: "fact-1", Source: "/git", Type: runevents.TypeGitCommit, Subject: "catalog-split", Correlation: "catalog-split", Time: morning.Add(time.Hour),
		Data: &runevents.GitCommit{Actor: runevents.Actor{Kind: "infra"}, SHA: factSHA, Branch: "wave1-agent-A", Letter: "A", Files: []string{"catalog/a.go"}},
	}
	r := recorded{}
	chained := core.Chain()
	chained.Folded = func(stage string, _ events.Event, derived []events.Event, _ string) {
		for _, e := range derived {
			header, data, err := events.EncodeBinary(e)
			require.NoError(t, err)
			stored, err := events.DecodeMessage(header, data)
			require.NoError(t, err)
			switch {
			case stage == core.Ingest.Stage() && e.Type == sessionevents.TypeTurnSegmented:
				r.segmented = append(r.segmented, record.Entry{Event: e, Raw: data})
			case stage == core.Dispatch.Stage():
				r.decided = append(r.decided, record.Entry{Event: stored})
			}
		}
	}
	for _, e := range append(play.Events, commit) {
		prepared, err := publish.Prepare(e)
		require.NoError(t, err)
		chained.Feed(prepared)
	}
	for p := range r.Partitions() {
		r.heads = append(r.heads, chain.Head{Stream: events.StreamDecisions, Partition: p, Sequence: uint64(100 + p), Digest: strings.Repeat("0f", 32)})
	}
	return r
}

func build(t testing.TB, from recorded, request attest.Request) *attest.Verdict {
	t.Helper()
	v, err := attest.Build(context.Background(), from, request, attest.Options{Now: morning, Build: "test", Heads: from.heads})
	require.NoError(t, err)
	return v
}

func newKey(t testing.TB) (nkeys.KeyPair, string) {
	t.Helper()
	key, err := nkeys.CreateAccount()
	require.NoError(t, err)
	public, err := key.PublicKey()
	require.NoError(t, err)
	return key, public
}

// editedBy returns a commit of a file that the session edited.
func editedBy(t testing.TB, r recorded, session string) attest.GitCommit {
	t.Helper()
	for _, e := range r.decided {
		if d, is := e.Data.(*sessionevents.TurnEvaluated); is && d.Session == session && d.Observed != nil && len(d.Observed.FilesEdited) > 0 {
			return attest.GitCommit{SHA: bySHA, Time: e.Time, Files: []string{d.Observed.FilesEdited[0], "docs/nobody.md"}}
		}
	}
	t.Fatal("the session edits nothing")
	return attest.GitCommit{}
}

func TestAVerdictSaysWhatIsRecorded(t *testing.T) {
	r := fleet(t)
	v := build(t, r, attest.Request{Sessions: []string{"payments-webhook"}})
	require.Len(t, v.Sessions, 1)
	s := v.Sessions[0]
	require.Equal(t, "payments-webhook", s.ID)
	require.NotEmpty(t, s.Agent.Kind)
	require.Positive(t, s.Turns.Watched)
	require.Equal(t, s.Turns.Received, s.Turns.Watched)
	require.Regexp(t, "^[0-9a-f]{64}$", s.Transcript)
	require.NotEmpty(t, s.Interrupts)
	said := s.Interrupts[0]
	require.Equal(t, "B1", said.Detector)
	var found *attest.Finding
	for i := range s.Findings {
		if s.Findings[i].Signal == said.Signals[0] {
			found = &s.Findings[i]
		}
	}
	require.NotNil(t, found)
	require.Equal(t, "fired", found.End)
	require.NotEmpty(t, found.File)
	require.Positive(t, found.Line)
	require.Len(t, v.Rules, 1)
	require.NotEmpty(t, v.Rules[0].Config)
	require.Len(t, v.Heads, 1, "of the partition of the session alone")
	require.NotContains(t, all(t, v), demo.PlantSecrets("{{stripe_key}}"), "SW-7")
	_, err := attest.Build(context.Background(), r, attest.Request{Sessions: []string{"never"}}, attest.Options{})
	require.ErrorIs(t, err, attest.ErrNothing)
}

// No text of a transcript is in it: no message, no quote, no command.
func TestAVerdictQuotesNothing(t *testing.T) {
	r := fleet(t)
	for _, e := range r.decided {
		d, is := e.Data.(*sessionevents.InterruptFired)
		if !is {
			continue
		}
		form := all(t, build(t, r, attest.Request{Sessions: []string{d.Session}}))
		require.NotContains(t, form, d.Message)
		for _, evidence := range d.Evidence {
			if len(evidence.Quote) > 12 && evidence.Quote != evidence.Path {
				require.NotContains(t, form, evidence.Quote)
			}
		}
	}
}

func all(t testing.TB, v *attest.Verdict) string {
	t.Helper()
	form, err := json.Marshal(v)
	require.NoError(t, err)
	return string(form)
}

func TestCommitsAreFoundFromFactsAndEdits(t *testing.T) {
	r := fleet(t)
	v := build(t, r, attest.Request{Commits: []attest.GitCommit{{SHA: factSHA}}})
	require.Equal(t, attest.FoundFact, v.Commits[0].Found)
	require.Equal(t, "catalog-split", v.Commits[0].Run)
	require.Equal(t, "A", v.Commits[0].Letter)
	require.Len(t, v.Runs, 1)
	require.NotEmpty(t, v.Runs[0].Gates)

	v = build(t, r, attest.Request{Runs: []string{"catalog-split"}})
	require.Equal(t, factSHA, v.Commits[0].SHA, "a run brings the commits that facts name")

	asked := editedBy(t, r, "csv-export")
	v = build(t, r, attest.Request{Commits: []attest.GitCommit{asked}})
	require.Equal(t, attest.FoundEdits, v.Commits[0].Found)
	require.Equal(t, "csv-export", v.Commits[0].Files[0].Edits[0].Session)
	require.Equal(t, "csv-export", v.Sessions[0].ID)
	require.Contains(t, strings.Join(v.Unknown, "\n"), "1 of its 2 files were edited by no watched session")

	before := asked
	before.Time = morning.Add(-time.Hour)
	v = build(t, r, attest.Request{Commits: []attest.GitCommit{before}})
	require.Equal(t, attest.FoundNone, v.Commits[0].Found, "an edit after the commit is not its source")
	require.Empty(t, v.Sessions)
	require.Contains(t, strings.Join(v.Unknown, "\n"), "nothing that was watched edited its files")

	guess := asked
	guess.Candidate = true
	v = build(t, r, attest.Request{Sessions: []string{"csv-export"}, Commits: []attest.GitCommit{guess}})
	require.Len(t, v.Commits, 1)
	v = build(t, r, attest.Request{Sessions: []string{"user-search"}, Commits: []attest.GitCommit{guess}})
	require.Empty(t, v.Commits, "another session's")
}

// A signed attestation opens, and is derived again from what is recorded.
func TestAnAttestationVerifies(t *testing.T) {
	r := fleet(t)
	key, public := newKey(t)
	for _, request := range []attest.Request{
		{Sessions: []string{"payments-webhook"}},
		{Runs: []string{"flaky-tests"}},
		{Runs: []string{"catalog-split"}},
		{Commits: []attest.GitCommit{editedBy(t, r, "csv-export"), {SHA: factSHA}}},
	} {
		v := build(t, r, request)
		signed, err := v.Sign(context.Background(), key)
		require.NoError(t, err)
		require.True(t, attest.Is(signed))
		a, err := attest.Open(signed, []string{public})
		require.NoError(t, err)
		require.Equal(t, v, a.Verdict)
		require.Equal(t, public, a.Signer)
		faults, err := attest.Compare(context.Background(), a, r, attest.Options{Now: morning, Heads: r.heads})
		require.NoError(t, err)
		require.Empty(t, faults)
	}
}

// tamper is one edit of an attestation and the place at which it is found.
type tamper struct {
	name, place string
	edit        func(*edited)
}

// edited is an attestation in parts.
type edited struct {
	t        *testing.T
	envelope map[string]any
	payload  map[string]any
	resign   nkeys.KeyPair // sign again, as one who has a key
}

func (e *edited) signature() map[string]any {
	return e.envelope["signatures"].([]any)[0].(map[string]any)
}
func (e *edited) predicate() map[string]any { return e.payload["predicate"].(map[string]any) }
func (e *edited) subject(i int) map[string]any {
	return e.payload["subject"].([]any)[i].(map[string]any)
}

func (e *edited) session() map[string]any {
	return e.predicate()["sessions"].([]any)[0].(map[string]any)
}

// tampers returns edits without the key.
func tampers(own, stranger nkeys.KeyPair) []tamper {
	const broken = "signatures[0].sig"
	return []tamper{
		{"the payload type", "payloadType", func(e *edited) { e.envelope["payloadType"] = "text/plain" }},
		{"no signature", "signatures", func(e *edited) { e.envelope["signatures"] = []any{} }},
		{"two signatures", "signatures", func(e *edited) {
			e.envelope["signatures"] = append(e.envelope["signatures"].([]any), e.signature())
		}},
		{"a byte of the signature", broken, func(e *edited) {
			sig := []byte(e.signature()["sig"].(string))
			sig[3] ^= 1
			e.signature()["sig"] = string(sig)
		}},
		{"the signature's spare bits", broken, func(e *edited) {
			sig := strings.TrimRight(e.signature()["sig"].(string), "=")
			e.signature()["sig"] = sig[:len(sig)-1] + string(sig[len(sig)-1]+1) + "=="
		}},
		{"a stranger's key", "signatures[0].keyid", func(e *edited) { e.resign = stranger }},
		{"another key id", "signatures[0].keyid", func(e *edited) { e.signature()["keyid"] = "x" }},
		{"a field of the envelope", "envelope", func(e *edited) { e.envelope["note"] = "x" }},
		{"a finding removed", broken, func(e *edited) { e.session()["findings"] = []any{} }},
		{"an interrupt that was heeded", broken, func(e *edited) {
			e.session()["interrupts"].([]any)[0].(map[string]any)["heed"] = "perhaps"
		}},
		{"the rules version", broken, func(e *edited) { e.predicate()["rules"] = []any{} }},
		{"a head", broken, func(e *edited) { e.predicate()["heads"] = []any{} }},
		{"a subject", broken, func(e *edited) { e.subject(0)["name"] = "session/other" }},
		// Signed again by one who has the key: what contradicts itself shows, the rest with a bundle.
		{"signed: the statement's type", "statement", func(e *edited) { e.payload["_type"] = "https://in-toto.io/Statement/v2"; e.resign = own }},
		{"signed: a legacy statement", "statement._type", func(e *edited) { e.payload["_type"] = "https://in-toto.io/Statement/v0.1"; e.resign = own }},
		{"signed: the predicate's type", "statement.predicateType", func(e *edited) { e.payload["predicateType"] = "https://slsa.dev/provenance/v1"; e.resign = own }},
		{"signed: a subject's name", "statement.subject[0].name", func(e *edited) { e.subject(0)["name"] = "session/other"; e.resign = own }},
		{"signed: a subject's digest", "statement.subject[0].digest", func(e *edited) {
			e.subject(0)["digest"] = map[string]any{"sha256": strings.Repeat("0", 64)}
			e.resign = own
		}},
		{"signed: a subject more", "statement.subject[1]", func(e *edited) {
			e.payload["subject"] = append(e.payload["subject"].([]any), map[string]any{"name": "commit/x", "digest": map[string]any{"sha1": bySHA}})
			e.resign = own
		}},
		{"signed: a field of the predicate", "predicate", func(e *edited) { e.predicate()["grade"] = "A"; e.resign = own }},
		{"signed: another schema", "predicate.schema_version", func(e *edited) { e.predicate()["schema_version"] = 2; e.resign = own }},
		{"signed: more turns watched than received", "predicate.sessions[0].turns.watched", func(e *edited) {
			e.session()["turns"].(map[string]any)["watched"] = 1000
			e.resign = own
		}},
	}
}

// compared returns edits by one who has the key: only what is recorded shows them.
func compared(own nkeys.KeyPair) []tamper {
	sign := func(place string, edit func(*edited)) tamper {
		return tamper{place, place, func(e *edited) { edit(e); e.resign = own }}
	}
	finding := func(e *edited) map[string]any { return e.session()["findings"].([]any)[0].(map[string]any) }
	return []tamper{
		sign("predicate.sessions[0].findings", func(e *edited) { e.session()["findings"] = []any{} }),
		sign("predicate.sessions[0].findings[0].line", func(e *edited) { finding(e)["line"] = 999 }),
		sign("predicate.sessions[0].findings[0].end", func(e *edited) { finding(e)["end"] = "logged" }),
		sign("predicate.sessions[0].findings[0].detector", func(e *edited) { finding(e)["detector"] = "C3" }),
		sign("predicate.sessions[0].interrupts[0].heed", func(e *edited) {
			e.session()["interrupts"].([]any)[0].(map[string]any)["heed"] = "certainly"
		}),
		sign("predicate.sessions[0].agent.kind", func(e *edited) { e.session()["agent"].(map[string]any)["kind"] = "person" }),
		sign("predicate.sessions[0].turns.not_watched", func(e *edited) { e.session()["turns"].(map[string]any)["not_watched"] = 3 }),
		sign("predicate.rules[0].config", func(e *edited) {
			e.predicate()["rules"].([]any)[0].(map[string]any)["config"] = "0000"
		}),
		sign("predicate.sessions[0].transcript_sha256", func(e *edited) {
			other := strings.Repeat("7", 64)
			e.session()["transcript_sha256"] = other
			e.subject(0)["digest"] = map[string]any{"sha256": other}
		}),
		sign("predicate.heads[0].digest", func(e *edited) {
			e.predicate()["heads"].([]any)[0].(map[string]any)["digest"] = strings.Repeat("7", 64)
		}),
		sign("predicate.heads[0].sequence", func(e *edited) {
			e.predicate()["heads"].([]any)[0].(map[string]any)["sequence"] = 5000
		}),
	}
}

func (c tamper) done(t *testing.T, signed []byte) []byte {
	t.Helper()
	e := &edited{t: t}
	require.NoError(t, json.Unmarshal(signed, &e.envelope))
	payload, err := base64.StdEncoding.DecodeString(e.envelope["payload"].(string))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(payload, &e.payload))
	before, err := json.Marshal(e.payload)
	require.NoError(t, err)
	c.edit(e)
	after, err := json.Marshal(e.payload)
	require.NoError(t, err)
	if !bytes.Equal(before, after) {
		payload = after
	}
	e.envelope["payload"] = base64.StdEncoding.EncodeToString(payload)
	if e.resign != nil {
		public, err := e.resign.PublicKey()
		require.NoError(t, err)
		text := fmt.Sprintf("DSSEv1 %d %s %d %s", len(attest.PayloadType), attest.PayloadType, len(payload), payload)
		sig, err := e.resign.Sign([]byte(text))
		require.NoError(t, err)
		e.envelope["signatures"] = []any{map[string]any{"keyid": public, "sig": base64.StdEncoding.EncodeToString(sig)}}
	}
	out, err := json.Marshal(e.envelope)
	require.NoError(t, err)
	return out
}

func TestEveryEditOfAnAttestationIsFoundAtItsPlace(t *testing.T) {
	r := fleet(t)
	key, public := newKey(t)
	stranger, _ := newKey(t)
	signed, err := build(t, r, attest.Request{Sessions: []string{"payments-webhook"}}).Sign(context.Background(), key)
	require.NoError(t, err)
	untouched := tamper{edit: func(e *edited) { e.resign = key }}.done(t, signed)
	_, err = attest.Open(untouched, []string{public})
	require.NoError(t, err, "the test's own signature counts")
	for _, c := range tampers(key, stranger) {
		t.Run(c.name, func(t *testing.T) {
			_, err := attest.Open(c.done(t, signed), []string{public})
			var fault *attest.Fault
			require.ErrorAs(t, err, &fault)
			require.Equal(t, c.place, fault.Place, fault)
		})
	}
	for name, changed := range map[string]string{ // what a map cannot hold, and other programs read otherwise
		"a payload in front of the payload": strings.Replace(string(untouched), `{`, `{"payload":"e30=",`, 1),
		"a payload of another case":         strings.Replace(string(untouched), `{`, `{"Payload":"e30=",`, 1),
		"a brace at the end":                string(untouched) + "}",
		"a second envelope":                 string(untouched) + string(untouched),
	} {
		_, err := attest.Open([]byte(changed), []string{public})
		var fault *attest.Fault
		require.ErrorAs(t, err, &fault, name)
		require.Equal(t, "envelope", fault.Place, name)
	}
	for _, c := range compared(key) {
		t.Run("compared: "+c.name, func(t *testing.T) {
			a, err := attest.Open(c.done(t, signed), []string{public})
			require.NoError(t, err)
			faults, err := attest.Compare(context.Background(), a, r, attest.Options{Now: morning, Heads: r.heads})
			require.NoError(t, err)
			require.Len(t, faults, 1, faults)
			require.Equal(t, c.place, faults[0].Place)
		})
	}
}

// Whatever a file holds, opening it does not panic, and only what was signed opens.
func FuzzOpen(f *testing.F) {
	key, public := newKey(f)
	r := recorded{}
	for i := range 3 {
		r.decided = append(r.decided, record.Entry{Event: events.Event{
			ID: fmt.Sprint(i), Type: sessionevents.TypeTurnEvaluated, Subject: "s1", Time: morning,
			Data: &sessionevents.TurnEvaluated{Session: "s1", Turn: i + 1},
		}})
	}
	turn := events.Event{Type: sessionevents.TypeTurnSegmented, Subject: "s1"}
	r.segmented = []record.Entry{{Event: turn, Raw: []byte("{}")}}
	signed, err := build(f, r, attest.Request{Sessions: []string{"s1"}}).Sign(context.Background(), key)
	require.NoError(f, err)
	f.Add(signed)
	f.Add([]byte(`{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[{"keyid":"x","sig":"eA=="}]}`))
	f.Add([]byte("{}"))
	opened, err := attest.Open(signed, []string{public})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		attest.Is(data)
		a, err := attest.Open(data, []string{public})
		if err != nil {
			return
		}
		require.Equal(t, opened.Verdict, a.Verdict)
	})
}
