package workload

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// pipe is a run of phases as it will be published: steps in order, each with a name by which a dysfunction
// finds it. It has a method for each part of a run, and for each way in which a part may be wrong.
type pipe struct {
	run   string
	steps []pipeStep
	// touched are the steps that a dysfunction changed, so that two of them can be
	// put into one run where they leave each other alone.
	touched map[string]bool
	choice  task
}

type pipeStep struct {
	name  string
	after time.Duration
	about string // follows the run's id, "" for the run itself
	data  any
}

// typeOf is the event type of a Go type of data.
var typeOf = func() map[reflect.Type]events.Type {
	types := map[reflect.Type]events.Type{}
	for _, d := range events.All() {
		if _, known := types[reflect.TypeOf(d.New())]; !known {
			types[reflect.TypeOf(d.New())] = d.Type
		}
	}
	return types
}()

func (p *pipe) add(name string, after time.Duration, data any) {
	p.steps = append(p.steps, pipeStep{name: name, after: after, data: data})
}

func (p *pipe) place(name string) int {
	at := slices.IndexFunc(p.steps, func(s pipeStep) bool { return s.name == name })
	if at < 0 {
		panic("the pipeline has no step " + name)
	}
	return at
}

// change alters the data of a step.
func change[T any](p *pipe, name string, how func(*T)) {
	p.touched[name] = true
	how(p.steps[p.place(name)].data.(*T))
}

// drop takes steps out.
func (p *pipe) drop(names ...string) {
	for _, name := range names {
		p.touched[name] = true
		at := p.place(name)
		p.steps = slices.Delete(p.steps, at, at+1)
	}
}

// insert adds an event of the run after a step, which it does not touch.
func (p *pipe) insert(behind string, after time.Duration, data any) {
	p.put(behind, pipeStep{after: after, data: data})
}

// put adds any step; steps added after one step keep the order of the calls.
func (p *pipe) put(behind string, step pipeStep) {
	at := p.place(behind) + 1
	for at < len(p.steps) && p.steps[at].name == "" {
		at++
	}
	p.touched["behind "+behind] = true
	p.steps = slices.Insert(p.steps, at, step)
}

// move moves a step to after another.
func (p *pipe) move(name, behind string) {
	moved := p.steps[p.place(name)]
	p.drop(name)
	p.touched["behind "+behind] = true
	p.steps = slices.Insert(p.steps, p.place(behind)+1, moved)
}

// tell returns the whole run.
func (p *pipe) tell(start time.Time) []events.Event {
	t := &teller{run: p.run, at: start}
	for _, s := range p.steps {
		t.about(s.after, p.run+s.about, typeOf[reflect.TypeOf(s.data)], s.data)
	}
	return t.list
}

// task is what a pipeline builds.
type task struct {
	title, text, goal, reading, file, test, branch string
	criteria                                       []string
}

var tasks = []task{
	{
		title: "Return 404 for unknown users", text: "`GET /users/{id}` answers 500 today.", goal: "Return 404 for unknown users.",
		reading: "Answer 404 where the lookup finds nobody.", file: "src/users.go", test: "src/users_test.go", branch: "unknown-users",
		criteria: []string{"GET /users/unknown answers 404", "A known id answers 200 as before"},
	},
	{
		title: "Retry failed charges three times", text: "`charge` gives up after the first timeout today.", goal: "Retry failed charges.",
		reading: "Charge again after a timeout, three times at most.", file: "src/pay.go", test: "src/pay_test.go", branch: "retry-charges",
		criteria: []string{"A charge that times out is sent again", "After three timeouts the order is marked unpaid"},
	},
	{
		title: "Export the orders of a month as CSV", text: "`POST /exports` answers 501 today.", goal: "Export orders as CSV.",
		reading: "Write one row for each order of the month.", file: "src/export.go", test: "src/export_test.go", branch: "export-orders",
		criteria: []string{"POST /exports with month=2026-02 answers 200", "The file has one row for each order"},
	},
}

// soundPipe returns a run of four phases with nothing wrong, from ticket to merge. The seed decides what
// optional steps are published, and every figure.
func soundPipe(run string, random *rand.Rand) *pipe {
	p := &pipe{run: run, touched: map[string]bool{}, choice: tasks[random.IntN(len(tasks))]}
	p.begin(random)
	p.plan(random)
	p.build(random)
	p.review(random)
	p.end()
	return p
}

func (p *pipe) begin(random *rand.Rand) {
	c := p.choice
	p.add("run", 0, &runevents.RunStarted{
		Actor: orchestrator, Workspace: "/srv/" + p.run, Project: p.run, Kind: "pipeline", Goal: c.goal, Trigger: &runevents.Trigger{ID: "hook"},
		Budget: &runevents.Allowance{Limit: 20, Unit: "usd"},
	})
	p.add("ticket", pause, &runevents.TicketReceived{Actor: orchestrator, Title: c.title, Text: c.text, AcceptanceCriteria: slices.Clone(c.criteria)})
	p.add("context", pause, &runevents.ContextAssembled{Actor: orchestrator, Phase: "discovery", Bytes: 900 + random.IntN(7293), Sections: []runevents.ContextSection{
		{Name: "adr", Tier: number(0), Bytes: 3000}, {Name: "epic", Tier: number(1), Bytes: 500}, {Name: "design", Tier: number(2), Tokens: 400 + random.IntN(500), Bytes: 300, Source: "docs/design.md"},
	}})
}

func (p *pipe) plan(random *rand.Rand) {
	c := p.choice
	p.phase("discovery", "wr.discovery", "wr.discovery_handoff", 0)
	p.opens("scout", "Find out what is to be changed: "+c.goal)
	turn := 3 + random.IntN(3)
	for n := 1; n < turn; n++ {
		p.turn("scout", n, call("Read", map[string]string{"file_path": fmt.Sprintf("/srv/%s/src/part%d.go", p.run, n)}, "package src\n"))
	}
	p.add("checkpoint", pause, &runevents.IntentCheckpoint{
		Actor: runevents.Actor{Kind: runevents.ActorWaveAgent, ID: "scout-1"}, Session: p.run + "-scout", Turn: turn, TaskType: "targeted_fix", Interpretation: c.reading, AmbiguityLevel: "clear",
	})
	p.add("assumptions", pause, &runevents.AssumptionsStated{Actor: runevents.Actor{Kind: runevents.ActorWaveAgent, ID: "scout-1"}, Session: p.run + "-scout", Assumptions: []runevents.Assumption{
		{Assumption: "Nobody else writes " + c.file, Evidence: c.file + ":12", FalsificationQuery: "git log " + c.file, Status: "confirmed"},
	}})
	p.closes("scout")
	p.handover("discovery", map[string]any{
		"kind": "wr.discovery_handoff", "version": 1, "selectedDirection": c.reading, "designDocPath": "docs/design.md", "confidenceBand": "high", "keyInvariants": texts("invariant", 1+random.IntN(12)),
	})
	p.phase("shaping", "wr.shaping", "wr.shaping_handoff", 0)
	p.handover("shaping", map[string]any{
		"kind": "wr.shaping_handoff", "version": 1, "pitchPath": "docs/pitch.md", "selectedShape": "one function", "appetite": "small", "keyConstraints": texts("constraint", random.IntN(9)),
		"rabbitHoles": []string{}, "outOfScope": []string{}, "validationChecklist": c.criteria,
	})
}

func (p *pipe) build(random *rand.Rand) {
	c := p.choice
	p.phase("coding", "wr.coding-task", "wr.coding_handoff", 1)
	p.add("coder", pause, &runevents.AgentSpawned{
		Actor: orchestrator, AgentID: "coder-1", Role: "coder", Mode: "full", RequiredKeys: []string{"task"}, ContextKeys: []string{"tier0", "shaping_handoff", "task"}, MaxTurns: 10 + random.IntN(30),
	})
	p.opens("coder", c.goal)
	p.turn("coder", 1, call("Read", map[string]string{"file_path": "/srv/" + p.run + "/" + c.file}, "package src\n"))
	p.turn("coder", 2, call("Write", map[string]string{"file_path": "/srv/" + p.run + "/" + c.file, "content": "package src\n\nconst limit = 3\n"}, "File created successfully."))
	p.turn("coder", 3, call("Bash", map[string]string{"command": "go test ./src"}, "ok  \tsrc\t0.1s"))
	p.closes("coder")
	p.add("commit", pause, &runevents.GitCommit{Actor: infra, SHA: "4be1d09", Branch: c.branch, Author: "coder-1", Files: []string{c.file, c.test}})
	tested := true
	p.add("coder done", pause, &runevents.AgentCompleted{
		Actor: orchestrator, AgentID: "coder-1", Phase: "coding", Cycle: 1, Task: "slice-1", Outcome: runevents.RunOutcomeSuccess,
		FilesChanged: []string{c.file, c.test}, DiffLines: number(40 + random.IntN(60)), Commits: number(1), TestsRun: &tested,
	})
	p.add("task", pause, &runevents.TaskCompleted{Actor: orchestrator, Task: "slice-1", Outcome: runevents.RunOutcomeSuccess})
	p.handover("coding", map[string]any{
		"kind": "wr.coding_handoff", "version": 1, "branchName": c.branch, "keyDecisions": []string{c.reading}, "knownLimitations": []string{}, "testsAdded": []string{c.test}, "filesChanged": []string{c.file, c.test},
	})
}

func (p *pipe) review(random *rand.Rand) {
	c := p.choice
	p.phase("review", "mr-review", "wr.review_verdict", 1)
	p.add("judge", pause, &runevents.AgentSpawned{
		Actor: orchestrator, AgentID: "judge-1", Role: "evaluator", Mode: "blind", DeclaredInputs: []string{"diff", "tier0", "criteria"}, ContextKeys: []string{"diff", "tier0", "criteria"},
	})
	review := &runevents.ReviewCompleted{Actor: orchestrator, Reviewer: "judge-1", Cycle: 1, Verdict: "clean", DurationMS: int64(120_000 + random.IntN(120_000))}
	for _, item := range c.criteria {
		review.Checklist = append(review.Checklist, runevents.ChecklistItem{Item: item, Result: "passed"})
	}
	p.add("verdict", 2*time.Minute, review)
	p.add("scope", pause, &runevents.ScopeChecked{
		Actor: orchestrator, CriteriaSource: "ticket", MissingCount: number(0), CreepCount: number(0),
		Criteria: []runevents.Criterion{{Criterion: c.criteria[0], Source: "explicit", Status: "met", Evidence: c.test + ":9"}, {Criterion: c.criteria[1], Source: "explicit", Status: "met", Evidence: c.test + ":21"}},
	})
	p.handover("review", map[string]any{
		"kind": "wr.review_verdict", "version": 1, "verdict": "clean", "confidence": "high", "findings": []any{}, "summary": "as shaped",
	})
	p.add("cycle", pause, &runevents.CycleCompleted{Actor: orchestrator, Cycle: 1, Decision: "stop", Checked: runevents.TextList{"bounds", "errors"}})
}

func (p *pipe) end() {
	p.add("merge gate", pause, &runevents.GateRequested{Actor: orchestrator, Gate: runevents.GateMerge})
	p.add("merge", pause, &runevents.MergeCompleted{Actor: orchestrator, SHA: "4be1d09"})
	p.add("tests", pause, &runevents.TestCompleted{Actor: orchestrator, Scope: "unscoped", Passed: true, Suite: "all", AfterMerge: new(true), SHA: "4be1d09"})
	p.add("calibration", pause, &runevents.CalibrationRecorded{Actor: orchestrator, Outcome: "merged", Breakdown: map[string]any{"overallAmbiguityLevel": "clear"}, Correction: "none", Verdict: "clean"})
	p.add("end", pause, &runevents.RunCompleted{Actor: orchestrator, Outcome: runevents.RunOutcomeSuccess})
}

func (p *pipe) phase(name, workflow, contract string, cycle int) {
	p.add(name, pause, &runevents.PhaseStarted{Actor: orchestrator, Phase: name, Workflow: workflow, ContractRef: contract, Cycle: cycle})
}

func (p *pipe) handover(phase string, document map[string]any) {
	started := p.steps[p.place(phase)].data.(*runevents.PhaseStarted)
	p.add(phase+" done", time.Minute, &runevents.PhaseCompleted{
		Actor: orchestrator, Phase: phase, Workflow: started.Workflow, Cycle: started.Cycle, Artifacts: []runevents.Artifact{artifact(document)},
	})
}

// opens, turn and closes are a session of the run.
func (p *pipe) opens(who, asked string) {
	id := p.run + "-" + who
	p.steps = append(p.steps, pipeStep{who + " opens", pause, "-" + who, &sessionevents.SessionOpened{
		Session: id, Run: p.run, Workspace: "/srv/" + p.run, Task: asked, Agent: &sessionevents.Agent{ID: who + "-1", Kind: "claude-code"},
	}})
}

func (p *pipe) turn(who string, n int, block sessionevents.Block) {
	p.steps = append(p.steps, pipeStep{fmt.Sprintf("%s turn %d", who, n), pause, "-" + who, p.turnOf(who, n, block)})
}

func (p *pipe) turnOf(who string, n int, block sessionevents.Block) *sessionevents.Turn {
	block.ID, block.Type = fmt.Sprintf("%s-%d", who, n), sessionevents.BlockToolCall
	result := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: block.ID, Output: block.Output, IsError: new(bool)}
	block.Output = ""
	return &sessionevents.Turn{
		Session: p.run + "-" + who, Run: p.run, TurnID: fmt.Sprintf("t%d", n), Format: "blocks", Agent: sessionevents.Agent{ID: who + "-1", Kind: "claude-code"}, Blocks: []sessionevents.Block{block, result},
	}
}

func (p *pipe) closes(who string) {
	p.steps = append(p.steps, pipeStep{who + " closes", pause, "-" + who, &sessionevents.SessionClosed{Session: p.run + "-" + who, Reason: "completed"}})
}
