package strangers

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	session = "s-strangers"
	project = "r-strangers"
)

// script collects the inputs of a session and a run.
type script struct {
	list []events.Event
	at   time.Time
	turn int
}

func (s *script) add(typ events.Type, subject string, data any) {
	s.at = s.at.Add(time.Minute)
	if actor := reflect.ValueOf(data).Elem().FieldByName("Actor"); actor.IsValid() && actor.IsZero() {
		actor.Set(reflect.ValueOf(runevents.Actor{Kind: runevents.ActorOrchestrator}))
	}
	e := events.Event{
		ID: fmt.Sprint("input-", len(s.list)+1), Source: "/strangers", Type: typ, Subject: subject, Time: s.at, Data: data,
	}
	e.Credential = events.ClaimedRole(e)
	s.list = append(s.list, e)
}

// says is a turn of the agent.
func (s *script) says(blocks ...sessionevents.Block) {
	s.turn++
	s.add(sessionevents.TypeTurnRaw, session, &sessionevents.Turn{
		Session: session, TurnID: fmt.Sprint("t", s.turn), Agent: sessionevents.Agent{ID: "maker", Kind: "claude-code"}, Format: "blocks", Blocks: blocks, StopReason: "end_turn",
	})
}

func text(kind sessionevents.BlockType, text string) sessionevents.Block {
	return sessionevents.Block{Type: kind, Text: text}
}

// calls returns a call of a tool with its result.
func calls(n int, tool string, input map[string]string, output string, failed bool) []sessionevents.Block {
	id := fmt.Sprint("c", n)
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return []sessionevents.Block{
		{Type: sessionevents.BlockToolCall, ID: id, Name: tool, Input: raw},
		{Type: sessionevents.BlockToolResult, ID: id, Output: output, IsError: &failed},
	}
}

// writes returns a file that an agent creates.
func writes(n int, path string, lines ...string) []sessionevents.Block {
	blocks := calls(n, "Write", map[string]string{"file_path": path}, "ok", false)
	added := make([]string, len(lines))
	for i, line := range lines {
		added[i] = "+" + line
	}
	blocks[1].Patch = []sessionevents.FilePatch{{Path: path, Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{{NewStart: 1, Lines: added}}}}
	return blocks
}

// watched returns a session in which a text of a stranger is wherever one can be: in the task, a
// convention, paths, names, commands, errors, plans and searches, of which most are reported.
func watched(foreign string) []events.Event {
	s := &script{at: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
	s.add(sessionevents.TypeSessionOpened, session, &sessionevents.SessionOpened{
		Session: session, Task: "Fix the rounding in the invoice. " + foreign, Workspace: "shop", Agent: &sessionevents.Agent{ID: "maker", Kind: foreign},
		Constraints: []string{"Do not create new files: " + foreign},
		Conventions: []sessionevents.Convention{{ID: "http", Rule: "Never use axios; " + foreign, Wrapper: "apiClient"}},
	})
	s.says(append([]sessionevents.Block{text(sessionevents.BlockUser, "Don't add dependencies. "+foreign), text(sessionevents.BlockText, "I will also add a dashboard for "+foreign+". I'll quickly write a helper called "+foreign+".")},
		writes(1, "src/"+foreign+".py", "import axios", "API_KEY = 'Zx"+"9fQ2mLw7RtB4uVn8YkC3pHs6JdE1gA0'", "def "+foreign+"(x):", "    import hashlib", "    return hashlib.md5(password).hexdigest()")...)...)
	for n := range 12 {
		s.says(append([]sessionevents.Block{text(sessionevents.BlockText, "Let me reconsider whether to use "+foreign+" or a queue. Wait, actually "+foreign+".")},
			append(calls(10+n, "Bash", map[string]string{"command": "pytest " + foreign}, "Traceback\nError: "+foreign, true),
				calls(30+n, "Grep", map[string]string{"pattern": foreign, "path": "src/" + foreign}, "src/a.py:1: "+foreign, false)...)...)...)
	}
	s.says(append(writes(60, "docs/"+foreign+"/x.py", "def load():", "    return 1"), writes(61, "lib/"+foreign+".py", "def load():", "    return 1")...)...)
	s.add(sessionevents.TypeSessionClosed, session, &sessionevents.SessionClosed{Session: session, Reason: "completed"})
	return s.list
}

// led returns a run whose agents, reviewers and tools say a stranger's text.
func led(foreign string) []events.Event {
	s := &script{at: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
	add := func(typ events.Type, data any) { s.add(typ, project, data) }
	finding := runevents.Finding{ID: foreign, Severity: runevents.SeverityCritical, Category: foreign, File: "src/" + foreign, Text: foreign}
	add(runevents.TypeRunStarted, &runevents.RunStarted{Goal: foreign, Kind: foreign, Workflow: foreign, Project: foreign, Workspace: foreign, Budget: &runevents.Allowance{Limit: 100, Unit: "USD"}})
	for cycle := range 3 {
		add(runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: foreign, Cycle: cycle + 1})
		add(runevents.TypeAgentSpawned, &runevents.AgentSpawned{AgentID: id(foreign), Archetype: "maker"})
		add(runevents.TypeAgentCompleted, &runevents.AgentCompleted{
			AgentID: id(foreign), Archetype: "maker", Outcome: "failure", Phase: foreign, Task: foreign, Cycle: cycle + 1, Findings: []runevents.Finding{finding}, FilesChanged: []string{"src/" + foreign}, Output: foreign,
		})
		add(runevents.TypeReviewCompleted, &runevents.ReviewCompleted{Reviewer: foreign, Verdict: "rejected", Cycle: cycle + 1, Findings: []runevents.Finding{finding}})
		add(runevents.TypeCycleCompleted, &runevents.CycleCompleted{Cycle: cycle + 1, Findings: []runevents.Finding{finding}})
		add(runevents.TypeTaskCompleted, &runevents.TaskCompleted{Task: foreign, Outcome: "failure"})
	}
	add(runevents.TypeMergeCompleted, &runevents.MergeCompleted{SHA: foreign})
	add(runevents.TypeTestCompleted, &runevents.TestCompleted{Suite: foreign, SHA: foreign})
	add(runevents.TypeGitCommit, &runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorInfra}, Branch: "main", Author: foreign, Message: foreign, Files: []string{foreign}})
	add(runevents.TypeSpendReported, &runevents.SpendReported{Spent: 200, Limit: 100, Unit: foreign})
	add(runevents.TypeAgentSpawned, &runevents.AgentSpawned{AgentID: id(foreign)})
	add(runevents.TypeRunResumed, &runevents.RunResumed{Actor: runevents.Actor{Kind: runevents.ActorHuman}, By: foreign, Why: foreign})
	add(runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: foreign, PRURL: foreign, Summary: foreign})
	return s.list
}

// notOfID is what an id cannot hold.
var notOfID = pattern.Must(`[^A-Za-z0-9_-]+`)

// id returns a text as an id can hold it.
func id(foreign string) string {
	out := notOfID.ReplaceAllString(foreign, "-")
	return out[:min(len(out), 100)]
}
