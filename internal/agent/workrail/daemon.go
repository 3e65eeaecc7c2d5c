package workrail

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// daemonLog recognises and reads ~/.workrail/events/daemon/<day>.jsonl.
var daemonLog = transcript.Format{
	Name: DaemonName, Title: "WorkTrain daemon event log (JSONL)", Log: true,
	Signs:     "`kind` of a daemon's event and `ts`, with the field that this kind always has",
	Limits:    "run events; see [WorkRail](agents/workrail.md)",
	Recognise: func(h transcript.Head) int { return transcript.Best(h, daemonConfidence) },
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &daemonDecoder{a: a, sessions: map[string]*daemonSession{}}
	},
}

// daemonLine is one event of the log.
type daemonLine struct {
	Kind      loose.String `json:"kind"`
	At        loose.Time   `json:"ts"`
	Session   loose.String `json:"sessionId"`
	Store     loose.String `json:"workrailSessionId"`
	Workflow  loose.String `json:"workflowId"`
	Workspace loose.String `json:"workspacePath"`
	Outcome   loose.String `json:"outcome"`
	Detail    loose.String `json:"detail"`
	Reason    loose.String `json:"reason"`
	IssueKind loose.String `json:"issueKind"`
	Severity  loose.String `json:"severity"`
	Summary   loose.String `json:"summary"`
	Signal    loose.String `json:"signalKind"`
	Input     loose.Int    `json:"inputTokens"`
	Output    loose.Int    `json:"outputTokens"`
}

// daemonKinds are the events of the log, each with a field that it always has. The value is its reader; nil
// if the event is not about a run.
var daemonKinds = map[string]struct {
	field string
	read  func(*daemonDecoder, *daemonLine)
}{
	"daemon_started":      {"workspacePath", (*daemonDecoder).started},
	"daemon_stopped":      {"reason", (*daemonDecoder).stopped},
	"daemon_heartbeat":    {"activeSessions", nil},
	"trigger_fired":       {"triggerId", nil},
	"session_queued":      {"triggerId", nil},
	"session_dropped":     {"triggerId", (*daemonDecoder).noted},
	"session_started":     {"sessionId", (*daemonDecoder).sessionStarted},
	"session_completed":   {"sessionId", (*daemonDecoder).sessionCompleted},
	"session_aborted":     {"sessionId", (*daemonDecoder).sessionAborted},
	"step_advanced":       {"sessionId", (*daemonDecoder).advanced},
	"issue_reported":      {"sessionId", (*daemonDecoder).issue},
	"agent_stuck":         {"sessionId", (*daemonDecoder).stuck},
	"signal_emitted":      {"sessionId", (*daemonDecoder).signal},
	"delivery_attempted":  {"outcome", (*daemonDecoder).delivered},
	"llm_turn_started":    {"sessionId", nil},
	"llm_turn_completed":  {"sessionId", (*daemonDecoder).tokens},
	"tool_called":         {"sessionId", nil},
	"tool_error":          {"sessionId", nil},
	"tool_call_started":   {"sessionId", nil},
	"tool_call_completed": {"sessionId", nil},
	"tool_call_failed":    {"sessionId", nil},
}

// daemonConfidence requires a kind of the log, its time and the field of that kind.
func daemonConfidence(p record.Probe) int {
	known, is := daemonKinds[p["kind"]]
	if !is || !p.Has("ts", known.field) || p.Has("eventId") || p.Has("specversion") {
		return 0
	}
	return 96
}

// daemonSession is what is remembered of a session until it ends.
type daemonSession struct {
	workflow string
	begun    time.Time
	steps    int
	why      string // why it was found stuck
	findings []runevents.Finding
}

// maxSessions limits how many sessions are remembered at a time.
const maxSessions = 256

// daemonDecoder reads a log. The lifetime of a daemon is a run, its sessions are the agents.
type daemonDecoder struct {
	a        *transcript.Assembler
	run      *teller // nil between two lifetimes
	lives    int
	sessions map[string]*daemonSession
	oldest   []string
	spent    int64
}

// Record reads one line.
func (d *daemonDecoder) Record(r record.Record) error {
	l := &daemonLine{}
	if err := json.Unmarshal(r.Data, l); err != nil {
		return fmt.Errorf("not an event of the daemon: %w", err)
	}
	if l.Kind == "" {
		return fmt.Errorf("an event without kind")
	}
	known, is := daemonKinds[string(l.Kind)]
	if !is {
		d.a.Problem("an event of unknown kind: %s", plainName(l.Kind))
		return nil
	}
	if known.read == nil {
		return nil
	}
	if l.Kind == "daemon_started" {
		d.run = nil // another lifetime
	}
	d.begin(l)
	d.run.at(l.At.Time)
	known.read(d, l)
	return nil
}

// End has nothing to do: a daemon whose log ends is still running.
func (d *daemonDecoder) End() {}

// begin opens the run of a daemon's lifetime. A log that begins in the middle of one, as the next day's
// does, is named after that day.
func (d *daemonDecoder) begin(l *daemonLine) {
	if d.run != nil {
		return
	}
	d.lives++
	at := l.At.UTC()
	name := at.Format("20060102")
	if l.Kind == "daemon_started" {
		name = at.Format("20060102-150405")
	}
	if folder := path.Base(strings.ReplaceAll(string(l.Workspace), `\`, "/")); folder != "." && folder != "/" {
		name = folder + "-" + name
	}
	id := runID(d.a.Options(), DaemonName+"-"+name)
	if d.lives > 1 && d.a.Options().Run != "" {
		id = sessionid.Valid(fmt.Sprintf("%s-%d", id, d.lives))
	}
	d.run = &teller{a: d.a, format: DaemonName, id: id}
	d.run.at(at)
	d.spent = 0
	d.run.tell(runevents.TypeRunStarted, "", &runevents.RunStarted{
		Actor: actor(), Kind: "build", Workspace: clip(l.Workspace, maxPath), Project: d.a.Options().Project,
	})
}

func (d *daemonDecoder) started(*daemonLine) {}

// stopped ends the lifetime, and with it the run.
func (d *daemonDecoder) stopped(l *daemonLine) {
	outcome := "cancelled" // somebody stopped it; its sessions ended as they did
	if l.Reason != "graceful" {
		outcome = runevents.RunOutcomeFailure
	}
	d.run.tell(runevents.TypeRunCompleted, "", &runevents.RunCompleted{
		Actor: actor(), Outcome: outcome, Summary: "WorkTrain: daemon stopped, " + clip(l.Reason, maxWords),
	})
	d.run = nil
}

// session returns what is known of the line's session.
func (d *daemonDecoder) session(l *daemonLine) *daemonSession {
	key := string(l.Session)
	if s := d.sessions[key]; s != nil {
		return s
	}
	if len(d.oldest) >= maxSessions {
		delete(d.sessions, d.oldest[0])
		d.oldest = d.oldest[1:]
	}
	s := &daemonSession{begun: l.At.UTC()}
	d.sessions[key] = s
	d.oldest = append(d.oldest, key)
	return s
}

func (d *daemonDecoder) sessionStarted(l *daemonLine) {
	s := d.session(l)
	s.workflow = clip(l.Workflow, maxWords)
	d.run.tell(runevents.TypeAgentSpawned, string(l.Session), &runevents.AgentSpawned{
		Actor: actor(), AgentID: agentOf(l, s.workflow),
	})
}

func (d *daemonDecoder) advanced(l *daemonLine) { d.session(l).steps++ }

func (d *daemonDecoder) tokens(l *daemonLine) {
	d.session(l)
	d.spent += max(int64(l.Input), 0) + max(int64(l.Output), 0)
}

// issue keeps what the agent reported, as a finding of its own.
func (d *daemonDecoder) issue(l *daemonLine) {
	s := d.session(l)
	if len(s.findings) < maxList {
		s.findings = append(s.findings, runevents.Finding{
			Severity: severities[l.Severity], Category: clip(l.IssueKind, maxWords), Text: clip(l.Summary, maxWords),
			State: "open",
		})
	}
}

func (d *daemonDecoder) stuck(l *daemonLine) {
	d.session(l).why = strings.TrimSuffix(clip(l.Reason, maxWords)+": "+clip(l.Detail, maxWords), ": ")
}

// signal records what an agent asked of its coordinator; one that is blocked is an issue.
func (d *daemonDecoder) signal(l *daemonLine) {
	switch l.Signal {
	case "blocked", "approval_needed", "data_needed":
		l.IssueKind, l.Severity, l.Summary = l.Signal, "error", "signalled to the coordinator"
		d.issue(l)
	}
}

// sessionCompleted emits how a session ended. One that stopped at a gate waits for an answer and has not
// failed; an unknown kind of end counts as the worse (EV-3a).
func (d *daemonDecoder) sessionCompleted(l *daemonLine) {
	s := d.session(l)
	if l.Outcome == "gate_parked" {
		d.a.Note("session parked at a gate")
		return
	}
	if s.workflow == "" {
		s.workflow = clip(l.Workflow, maxWords)
	}
	data := &runevents.AgentCompleted{
		Actor: actor(), AgentID: agentOf(l, s.workflow), Session: sessionOf(l.Store), Task: s.workflow,
		Outcome: clip(l.Outcome, maxWords), Findings: s.findings,
	}
	switch data.Outcome {
	case "error":
		data.Outcome = runevents.RunOutcomeFailure
	case "stuck":
		data.Outcome, data.Status = runevents.RunOutcomeFailure, "blocked"
	case "":
		data.Outcome = "unknown"
	}
	var said []string
	for _, text := range []string{clip(l.Detail, maxWords), s.why} {
		if text != "" && !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	data.Output = strings.Join(said, "\n")
	if took := l.At.Sub(s.begun).Milliseconds(); took > 0 {
		data.DurationMS = took
	}
	about := string(l.Session) + "\x00" + l.At.UTC().Format(time.RFC3339Nano)
	d.run.tell(runevents.TypeAgentCompleted, about, data)
	if d.spent > 0 {
		d.run.tell(runevents.TypeSpendReported, about, &runevents.SpendReported{
			Actor: actor(),
			Spent: float64(d.spent), Unit: "tokens",
		})
	}
	delete(d.sessions, string(l.Session))
	d.oldest = slices.DeleteFunc(d.oldest, func(key string) bool { return key == string(l.Session) })
}

// sessionAborted handles a session that ended with the daemon, which nobody failed at.
func (d *daemonDecoder) sessionAborted(*daemonLine) { d.a.Note("session aborted with the daemon") }

func (d *daemonDecoder) noted(l *daemonLine) { d.a.Note(plainName(l.Kind)) }

func (d *daemonDecoder) delivered(l *daemonLine) {
	if l.Outcome != "success" {
		d.a.Note("failed delivery")
	}
}

// agentOf names a session as an agent of the run: its workflow, and the beginning of its id.
func agentOf(l *daemonLine, workflow string) string {
	id := string(l.Session)
	if first, _, is := strings.Cut(id, "-"); is && len(first) == 8 {
		id = first
	}
	return cmp.Or(strings.TrimLeft(sessionid.Valid(strings.TrimPrefix(workflow, "wr.")+"-"+id), "-"), "session")
}

func sessionOf(native loose.String) string { return sessionid.Valid(string(native)) }
