package workload

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// plan is a run of the ArcheFlow kind as it will be published: plan, do and check in cycles, then merge and
// test. A dysfunction changes pieces of it.
type plan struct {
	workflow, project string
	budget            float64

	planning, doing   time.Duration // how long the phases take
	explorers         int           // times that the explorer is spawned
	explorer, creator runevents.AgentCompleted
	proposal          runevents.ProposalPublished
	lessons           []runevents.Lesson
	spawned           runevents.AgentSpawned // figures of the maker's prompt

	attempts []string // outcomes of the maker's attempts, in the first cycle
	maker    runevents.AgentCompleted
	reviews  []runevents.AgentCompleted // of the first cycle, with verdicts
	cycles   []runevents.CycleCompleted

	addresses []string                  // findings that the maker of the second cycle works on
	early     []float64                 // spent before the tasks are done
	tasks     []runevents.TaskCompleted // after the last cycle
	spends    []float64
	passed    bool // the suite after the merge
	turns     []string
}

// changed are the files of a healthy run.
var changed = []string{"internal/orders/page.go", "internal/orders/page_test.go", "internal/orders/list.go"}

func finding(id string, severity runevents.Severity, category, file, text string) runevents.Finding {
	in := true
	return runevents.Finding{
		ID: id, Severity: severity, Category: category, File: file, Line: 12, Text: text,
		Fix: "Return an empty page instead.", Repro: "Ask for page 3 of 2.", InChangeset: &in, State: "open",
	}
}

// healthy returns a run with nothing wrong. Its figures vary with the seed within what is well.
func healthy(random *rand.Rand) plan {
	tested := true
	p := plan{
		workflow: "standard", budget: 100, planning: time.Duration(2+random.IntN(2)) * time.Minute, doing: time.Duration(3+random.IntN(3)) * time.Minute, explorers: 1,
		explorer: runevents.AgentCompleted{Archetype: "explorer", Output: explored, Outcome: runevents.RunOutcomeSuccess},
		creator:  runevents.AgentCompleted{Archetype: "creator", Output: "Add a page type to the list and pass it through. One new type, no new package.", Outcome: runevents.RunOutcomeSuccess},
		proposal: runevents.ProposalPublished{Files: changed, Abstractions: number(1), Packages: number(0), Words: number(180 + random.IntN(40)), TaskWords: number(200)},
		spawned:  runevents.AgentSpawned{Lessons: runevents.Tally(random.IntN(5)), PromptTokens: 20_000 + random.IntN(9000), ContextWindow: 200_000},
		attempts: []string{runevents.RunOutcomeSuccess},
		maker: runevents.AgentCompleted{
			Archetype: "maker", Output: "Pages are passed through; the tests are green.", FilesChanged: changed, DiffLines: number(120 + random.IntN(100)), Commits: number(3), TestsRun: &tested, Outcome: runevents.RunOutcomeSuccess,
		},
		tasks:  []runevents.TaskCompleted{{Task: "pages", Outcome: runevents.RunOutcomeSuccess}},
		spends: []float64{float64(5 + random.IntN(15)), float64(25 + random.IntN(20))},
		passed: true, addresses: []string{"F1", "F2"},
		turns: []string{"The list takes a page now.", "The tests of the list pass."},
	}
	first := finding("F1", runevents.SeverityCritical, "correctness", changed[0], "The last page is cut off when it is full.")
	second := finding("F2", runevents.SeverityWarning, "testing", changed[1], "No test asks for an empty page.")
	third := finding("F3", runevents.SeverityWarning, "quality", changed[2], "The limit is written down twice.")
	p.reviews = []runevents.AgentCompleted{
		{Archetype: "guardian", Verdict: "rejected", Findings: []runevents.Finding{first}},
		{Archetype: "skeptic", Verdict: "approved", Findings: []runevents.Finding{second}},
		{Archetype: "sage", Verdict: "approved", Findings: []runevents.Finding{third}, Output: "The limit is written down twice: name it once."},
	}
	for i := range p.reviews {
		p.reviews[i].Outcome, p.reviews[i].DurationMS, p.reviews[i].DiffLines = runevents.RunOutcomeSuccess, int64(60_000+random.IntN(60_000)), number(150)
	}
	p.cycles = []runevents.CycleCompleted{
		{Findings: []runevents.Finding{first, second, third}},
		{Findings: []runevents.Finding{third}},
		{},
	}
	return p
}

const explored = `The list reads all orders and cuts the page in memory; the store can do it itself.

## Findings

- The store takes limit and offset already.
- The handler has the page number at hand.

## Recommendation

Pass limit and offset from the handler to the store, and test the last page.
`

// teller writes a plan down as events.
type teller struct {
	run  string
	at   time.Time
	n    int
	list []events.Event
}

func (t *teller) say(after time.Duration, typ events.Type, data any) {
	t.about(after, t.run, typ, data)
}

func (t *teller) about(after time.Duration, subject string, typ events.Type, data any) {
	t.n++
	t.at = t.at.Add(after)
	t.list = append(t.list, events.Event{
		ID: fmt.Sprintf("%s-%03d", t.run, t.n), Source: source, Type: typ, Subject: subject, Time: t.at, PartitionKey: t.run, Correlation: t.run, Data: data,
	})
}

var (
	orchestrator = runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "archeflow"}
	pause        = 10 * time.Second
)

// tell returns the whole run.
func (p plan) tell(run string, start time.Time) []events.Event {
	t := &teller{run: run, at: start}
	t.say(0, runevents.TypeRunStarted, &runevents.RunStarted{
		Actor: orchestrator, Workspace: "/srv/" + p.project, Project: p.project, Kind: "build", Goal: "Add pages to the list of orders.",
		Workflow: p.workflow, Budget: &runevents.Allowance{Limit: p.budget, Unit: "usd"},
	})
	p.first(t)
	for n := range p.cycles {
		p.cycle(t, n+1)
	}
	p.spend(t, p.early)
	for i, task := range p.tasks {
		task.Actor = orchestrator
		if task.Task == "" {
			task.Task = fmt.Sprintf("task-%d", i+1)
		}
		t.say(pause, runevents.TypeTaskCompleted, &task)
	}
	p.spend(t, p.spends)
	t.say(pause, runevents.TypeMergeCompleted, &runevents.MergeCompleted{Actor: orchestrator, SHA: "5ca1ab1e"})
	t.say(pause, runevents.TypeTestCompleted, &runevents.TestCompleted{Actor: orchestrator, Scope: "unscoped", Passed: p.passed, Suite: "all", AfterMerge: new(true), SHA: "5ca1ab1e"})
	t.say(pause, runevents.TypeRunCompleted, &runevents.RunCompleted{Actor: orchestrator, Outcome: "success"})
	return t.list
}

func (p plan) spend(t *teller, list []float64) {
	for _, spent := range list {
		t.say(pause, runevents.TypeSpendReported, &runevents.SpendReported{Actor: orchestrator, Spent: spent, Limit: p.budget, Unit: "usd"})
	}
}

// first is the plan phase of the first cycle.
func (p plan) first(t *teller) {
	t.say(pause, runevents.TypePhaseStarted, &runevents.PhaseStarted{Actor: orchestrator, Phase: "plan", Cycle: 1})
	for range p.explorers {
		p.agent(t, p.explorer, "plan", 1, p.planning/time.Duration(2*p.explorers), runevents.AgentSpawned{})
	}
	proposal := p.proposal
	proposal.Actor = orchestrator
	t.say(p.planning/4, runevents.TypeProposalPublished, &proposal)
	p.agent(t, p.creator, "plan", 1, p.planning/4, runevents.AgentSpawned{})
	t.say(0, runevents.TypePhaseCompleted, &runevents.PhaseCompleted{Actor: orchestrator, Phase: "plan", Cycle: 1})
}

// cycle is do and check.
func (p plan) cycle(t *teller, n int) {
	t.say(pause, runevents.TypePhaseStarted, &runevents.PhaseStarted{Actor: orchestrator, Phase: "do", Cycle: n})
	attempts := []string{runevents.RunOutcomeSuccess}
	if n == 1 {
		attempts = p.attempts
		if len(p.lessons) > 0 {
			t.say(pause, runevents.TypeMemoryInjected, &runevents.MemoryInjected{Actor: orchestrator, Lessons: p.lessons, AgentID: t.run + "-maker"})
		}
	}
	for i, outcome := range attempts {
		maker, spawned := p.maker, p.spawned
		switch {
		case outcome != runevents.RunOutcomeSuccess:
			maker = runevents.AgentCompleted{Archetype: "maker"}
		case n > 1: // it follows the corrective action
			maker.FilesChanged, maker.Commits, spawned = p.proposal.Files[:2], number(2), runevents.AgentSpawned{}
		}
		if n == 2 {
			maker.Addresses = p.addresses
		}
		if maker.Outcome = outcome; i > 0 {
			maker.AgentID = fmt.Sprintf("%s-maker-%d", t.run, i+1)
		}
		p.agent(t, maker, "do", n, p.doing/time.Duration(len(attempts)), spawned)
	}
	if n == 1 {
		p.session(t)
	}
	t.say(0, runevents.TypePhaseCompleted, &runevents.PhaseCompleted{Actor: orchestrator, Phase: "do", Cycle: n})
	t.say(pause, runevents.TypePhaseStarted, &runevents.PhaseStarted{Actor: orchestrator, Phase: "check", Cycle: n})
	for i, review := range p.reviews {
		if n > 1 {
			review = p.later(review, i, p.cycles[n-1].Findings)
		}
		p.agent(t, review, "check", n, time.Minute, runevents.AgentSpawned{})
	}
	t.say(0, runevents.TypePhaseCompleted, &runevents.PhaseCompleted{Actor: orchestrator, Phase: "check", Cycle: n})
	done := p.cycles[n-1]
	done.Actor, done.Cycle = orchestrator, n
	t.say(0, runevents.TypeCycleCompleted, &done)
}

// later returns what a reviewer says in a later cycle: its share of what is open.
func (p plan) later(review runevents.AgentCompleted, place int, open []runevents.Finding) runevents.AgentCompleted {
	review.Findings, review.Verdict, review.Output = nil, "approved", ""
	for i, f := range open {
		if i%len(p.reviews) != place {
			continue
		}
		review.Findings = append(review.Findings, f)
		if f.Severity == runevents.SeverityCritical {
			review.Verdict = "rejected"
		}
	}
	return review
}

// agent is spawned and completes.
func (p plan) agent(t *teller, done runevents.AgentCompleted, phase string, cycle int, takes time.Duration, spawned runevents.AgentSpawned) {
	done.Actor, done.Phase, done.Cycle = orchestrator, phase, cycle
	if done.AgentID == "" {
		done.AgentID = t.run + "-" + done.Archetype
	}
	spawned.Actor, spawned.AgentID, spawned.Archetype = orchestrator, done.AgentID, done.Archetype
	t.say(pause, runevents.TypeAgentSpawned, &spawned)
	t.say(takes, runevents.TypeAgentCompleted, &done)
}

// session returns the events of the maker's own session, as its harness publishes
// them.
func (p plan) session(t *teller) {
	id := t.run + "-session"
	agent := sessionevents.Agent{ID: t.run + "-maker", Kind: "claude-code"}
	t.about(pause, id, sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{Session: id, Run: t.run, Workspace: "/srv/" + p.project, Agent: &agent})
	for i, text := range p.turns {
		t.about(pause, id, sessionevents.TypeTurnRaw, &sessionevents.Turn{
			Session: id, Run: t.run, TurnID: fmt.Sprintf("t%d", i+1), Format: "blocks", Agent: agent, Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: text}},
		})
	}
	t.about(pause, id, sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: id, Reason: "completed"})
}
