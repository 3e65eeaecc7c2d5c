package workrail_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// read reads what is recognised as the format, with the source that read it.
func read(t *testing.T, format, text string, o transcript.Options) ([]events.Event, *transcript.Source) {
	t.Helper()
	s, err := all.Formats().Open(strings.NewReader(text), o)
	require.NoError(t, err)
	require.Equal(t, format, s.Format().Name)
	var list []events.Event
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return list, s
		}
		require.NoError(t, err)
		require.NoError(t, events.Validate(e, events.Limits{}))
		list = append(list, e)
	}
}

func of[T any](list []events.Event) (out []*T) {
	for _, e := range list {
		if data, is := e.Data.(*T); is {
			out = append(out, data)
		}
	}
	return out
}

func reasons(s *transcript.Source) (out []string) {
	list, _ := s.Problems()
	for _, p := range list {
		out = append(out, p.Reason)
	}
	return out
}

// daemon returns a log of the daemon, one event a minute from 2026-10-27 08:00.
func daemon(lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, `{%s,"ts":%d}`+"\n", l, 1793088000000+60000*i)
	}
	return b.String()
}

func session(kind, id, rest string) string {
	return fmt.Sprintf(`"kind":%q,"sessionId":"%s-0000-4000-8000-000000000000","workflowId":"wr.coding-task"%s`, kind,
		id, rest)
}

const alive = `"kind":"daemon_started","port":1,"workspacePath":"/srv/shop"`

// IN-11: each end of a session by its own word; a parked one has not failed, a word that
// is not known is kept for the rules to read as the worse (EV-3a).
func TestEndsOfSessions(t *testing.T) {
	for word, outcome := range map[string]string{
		"success": "success", "error": "failure", "timeout": "timeout", "stuck": "failure", "gate_parked": "",
		"evaporated": "evaporated", "": "unknown",
	} {
		list, s := read(t, "worktrain", daemon(alive, session("session_started", "aaaaaaaa",
			`,"workspacePath":"/srv/shop"`),
			session("session_completed", "aaaaaaaa", `,"outcome":"`+word+`","workrailSessionId":"sess_1"`)),
			transcript.Options{})
		ends := of[runevents.AgentCompleted](list)
		if outcome == "" {
			require.Empty(t, ends, word)
			require.Equal(t, map[string]int{"session parked at a gate": 1}, s.Stats().Noted)
			continue
		}
		require.Len(t, ends, 1, word)
		require.Equal(t, outcome, ends[0].Outcome)
		require.Equal(t, "coding-task-aaaaaaaa", ends[0].AgentID)
		require.Equal(t, "sess_1", ends[0].Session)
		require.Equal(t, int64(60000), ends[0].DurationMS)
		require.Equal(t, word == "stuck", ends[0].Status == "blocked")
	}
}

// What an agent reported stands with its end as findings; why it was stuck, as its words.
func TestIssuesAreFindings(t *testing.T) {
	list, _ := read(t, "worktrain", daemon(alive,
		session("issue_reported", "aaaaaaaa", `,"issueKind":"tool_failure","severity":"warn","summary":"npm is slow"`),
		session("issue_reported", "bbbbbbbb", `,"issueKind":"needs_human","severity":"fatal","summary":"which key?"`),
		session("signal_emitted", "bbbbbbbb", `,"signalKind":"approval_needed","signalId":"s","payload":{}`),
		session("agent_stuck", "bbbbbbbb", `,"reason":"no_progress","detail":"40 turns, no step"`),
		session("session_completed", "bbbbbbbb", `,"outcome":"stuck","detail":"no_progress"`),
		session("session_completed", "aaaaaaaa", `,"outcome":"success"`)), transcript.Options{})
	ends := of[runevents.AgentCompleted](list)
	require.Len(t, ends[0].Findings, 2)
	require.Equal(t, runevents.SeverityCritical, ends[0].Findings[0].Severity)
	require.Equal(t, "needs_human", ends[0].Findings[0].Category)
	require.Equal(t, "no_progress\nno_progress: 40 turns, no step", ends[0].Output)
	require.Equal(t, runevents.SeverityWarning, ends[1].Findings[0].Severity)
}

// The life of a daemon is a run; the log of the next day begins in the middle of one.
func TestLivesOfADaemon(t *testing.T) {
	stopped := `"kind":"daemon_stopped","reason":%q`
	list, _ := read(t, "worktrain", daemon(alive, fmt.Sprintf(stopped, "crash"), alive, fmt.Sprintf(stopped,
		"graceful"),
		session("session_started", "aaaaaaaa", `,"workspacePath":"/srv/web"`)), transcript.Options{})
	var ids []string
	for _, e := range list {
		if e.Type == runevents.TypeRunStarted {
			ids = append(ids, e.Subject)
		}
	}
	require.Equal(t, []string{
		"worktrain-shop-20261027-080000", "worktrain-shop-20261027-080200",
		"worktrain-web-20261027",
	}, ids)
	ends := of[runevents.RunCompleted](list)
	require.Equal(t, "failure", ends[0].Outcome)
	require.Equal(t, "cancelled", ends[1].Outcome)
	again, _ := read(t, "worktrain", daemon(alive, fmt.Sprintf(stopped, "crash")), transcript.Options{
		Run:    "night",
		Follow: true,
	})
	require.Equal(t, "night", again[0].Subject)
}

// IN-1: what is not known is named, what is broken counted; a log of others is none of this.
func TestWhatIsNotKnownIsNamed(t *testing.T) {
	_, s := read(t, "worktrain", daemon(alive, `"kind":"moon_phase","x":1`, `"kind":"Naïve Kind"`)+"{broken\n",
		transcript.Options{})
	require.Equal(t, []string{
		"an event of unknown kind: moon_phase", "an event of unknown kind: another kind",
	}, reasons(s)[:2])
	require.Len(t, reasons(s), 3)
	for _, other := range []string{
		`{"kind":"tool_called","name":"x","ts":1}`, `{"kind":"session_started","sessionId":"a"}`, `{"kind":"x","ts":1}`,
	} {
		s, err := all.Formats().Open(strings.NewReader(other+"\n"), transcript.Options{})
		require.True(t, err != nil || !strings.HasPrefix(s.Format().Name, "work"), other)
	}
}

// store returns a session's events from index first on.
func store(first int, kinds ...string) string {
	var b strings.Builder
	for i, l := range kinds {
		kind, data, _ := strings.Cut(l, " ")
		n := first + i
		fmt.Fprintf(&b,
			`{"v":1,"eventId":"e%d","eventIndex":%d,"sessionId":"sess_1","kind":%q,`+
				`"dedupeKey":"k:%d","scope":{"runId":"run_1"},"data":%s,"timestampMs":%d}`+"\n",
			n, n, kind, n, data, 1793088000000+1000*n)
	}
	return b.String()
}

const (
	shaping = `run_started {"workflowId":"wr.shaping"}`
	done    = `run_completed {"captureConfidence":"none"}`
)

func output(content string) string {
	return `node_output_appended {"outputId":"o","outputChannel":"artifact",` +
		`"payload":{"payloadKind":"artifact_ref","sha256":"sha256:x"` + content + `}}`
}

func closed(path string, first, last int) string {
	return fmt.Sprintf(`{"v":1,"manifestIndex":%d,"sessionId":"sess_1","kind":"segment_closed",`+
		`"firstEventIndex":%d,"lastEventIndex":%d,"segmentRelPath":%q,"sha256":"sha256:x","bytes":1}`+"\n",
		first, first, last, path)
}

func files(list map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range list {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// IN-11: the store is read by its manifest, segment by segment; what is there twice counts
// once, and segments do not speak for themselves where it lies beside them.
func TestStore(t *testing.T) {
	one := store(0, `session_created {}`, shaping,
		`node_output_appended {"outputId":"r","outputChannel":"recap",`+
			`"payload":{"payloadKind":"notes","notesMarkdown":"shaped"}}`)
	two := store(2,
		`node_output_appended {"outputId":"r","outputChannel":"recap",`+
			`"payload":{"payloadKind":"notes","notesMarkdown":"never"}}`,
		output(`,"content":{"pitchPath":"p","selectedShape":"s","appetite":"a","keyConstraints":[],`+
			`"rabbitHoles":[],"outOfScope":[],"validationChecklist":[]}`), done)
	list, s := read(t, "workrail", closed("events/1.jsonl", 0, 2)+closed("events/2.jsonl", 2, 4),
		transcript.Options{Beside: files(map[string]string{
			"sess_1/events/1.jsonl": one, "sess_1/events/2.jsonl": two,
		})})
	require.Empty(t, reasons(s))
	require.Equal(t, "sess_1", list[0].Subject)
	phase := of[runevents.PhaseCompleted](list)[0]
	require.Equal(t, "shaped", phase.Notes)
	require.Equal(t, "wr.shaping_handoff", phase.Artifacts[0].Kind, "its fields tell what it is (EV-3a)")
	require.Equal(t, "pipeline", of[runevents.RunStarted](list)[0].Kind)

	list, _ = read(t, "workrail-segment", one,
		transcript.Options{Beside: files(map[string]string{"manifest.jsonl": "{}"})})
	require.Empty(t, list)
	alone, _ := read(t, "workrail-segment", one, transcript.Options{})
	require.Len(t, of[runevents.PhaseStarted](alone), 1)
}

// A manifest leads to no file but those of its own session.
func TestManifestsNameNoOtherFiles(t *testing.T) {
	for _, path := range []string{"../other/events/1.jsonl", "/etc/passwd", `..\\..\\x`, "events/../../x"} {
		_, s := read(t, "workrail", closed(path, 0, 1), transcript.Options{Beside: refusing{t}})
		require.Len(t, reasons(s), 1, path)
	}
	_, s := read(t, "workrail", closed("events/gone.jsonl", 0, 1), transcript.Options{Beside: files(nil)})
	require.Contains(t, reasons(s)[0], "its content is unknown")
}

type refusing struct{ t *testing.T }

func (f refusing) Open(name string) (fs.File, error) {
	require.True(f.t, strings.HasPrefix(name, "sess_1/"), name)
	return nil, fs.ErrNotExist
}

// IN-1: a handoff that lies elsewhere is not called missing.
func TestArtifactsElsewhereAreNotMissing(t *testing.T) {
	list, s := read(t, "workrail-segment", store(0, shaping, output(""), done), transcript.Options{})
	require.Empty(t, of[runevents.PhaseCompleted](list))
	require.Len(t, of[runevents.RunCompleted](list), 1)
	require.Contains(t, reasons(s)[0], "not judged")
}

// The kind of an artifact by its fields, where enough of them are there and no other fits.
func TestKindsByFields(t *testing.T) {
	for content, kind := range map[string]string{
		`{"selectedDirection":"d","designDocPath":"p","keyInvariants":[]}`:                "wr.discovery_handoff",
		`{"keyDecisions":[],"filesChanged":[],"testsAdded":[],"extra":1}`:                 "wr.coding_handoff",
		`{"verdict":"clean","confidence":"high","findings":[],"summary":"s","version":3}`: "wr.review_verdict",
		`{"keyDecisions":[],"filesChanged":[]}`:                                           "",
		`{"verdict":"clean","summary":"s"}`:                                               "",
		`{"kind":"acme.release","tag":"v1"}`:                                              "acme.release",
		`"{\"kind\":\"wr.coding_handoff\",\"keyDecisions\":[]}"`:                          "wr.coding_handoff",
		`["keyDecisions"]`: "",
		`{"pitchPath":"p","selectedShape":"s","appetite":"a","verdict":"x","confidence":"high"}`: "wr.shaping_handoff",
	} {
		list, _ := read(t, "workrail-segment", store(0, shaping, output(`,"content":`+content), done),
			transcript.Options{})
		got := ""
		if phase := of[runevents.PhaseCompleted](list)[0]; len(phase.Artifacts) > 0 {
			got = phase.Artifacts[0].Kind
		}
		require.Equal(t, kind, got, content)
	}
}

// A pipeline's context is read again after each phase: what was told keeps its id.
func TestPipelineContextGrows(t *testing.T) {
	context := func(phases string) string {
		return `{"runId":"r-1","goal":"g","workspace":"/w","startedAt":"2026-10-27T08:00:00Z",` +
			`"pipelineMode":"FULL","phases":{` + phases + `}}`
	}
	coding := `"coding":{"completedAt":"2026-10-27T09:00:00Z","sessionHandle":"s2",` +
		`"result":{"kind":"partial","recapMarkdown":"coded"}}`
	discovery := `"discovery":{"completedAt":"2026-10-27T08:30:00Z","sessionHandle":"s1",` +
		`"result":{"kind":"fallback","recapMarkdown":null}}`
	first, _ := read(t, "workrail-pipeline", context(discovery), transcript.Options{})
	second, _ := read(t, "workrail-pipeline", context(coding+","+discovery), transcript.Options{})
	require.Equal(t, first, second[:len(first)])
	phases := of[runevents.PhaseCompleted](second)
	require.Equal(t, "discovery", phases[0].Phase)
	require.Equal(t, "wr.coding_handoff", phases[1].ContractRef)
	require.Equal(t, "partial", phases[1].ClaimedResult)
	again, _ := read(t, "workrail-pipeline", context(strings.Replace(discovery, "null", `"tried again"`, 1)),
		transcript.Options{})
	require.NotEqual(t, first[1].ID, again[1].ID, "a phase that ran again is told again")
}
