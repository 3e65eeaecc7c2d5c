package archeflow

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// role returns the archetype of the line's agent, which is ArcheFlow's name for it.
func (l *line) role(f *fields) string {
	return strings.ToLower(short(first(f.Archetype, l.Agent), 100))
}

// agentID returns the agent's id: ArcheFlow has one agent per role at a time.
func (l *line) agentID(f *fields) string {
	if id := sessionid.Valid(string(first(l.Agent, f.Archetype))); id != "" {
		return id
	}
	return "agent"
}

func (r *run) agentStart(f *fields) {
	r.enter(string(r.now.Phase))
	r.tell(runevents.TypeAgentSpawned, &runevents.AgentSpawned{
		Actor: actor(), AgentID: r.now.agentID(f), Archetype: r.now.role(f), ModelFamily: family(string(f.Model)),
	})
}

// families maps ArcheFlow's tiers to model families.
var families = []string{"haiku", "sonnet", "opus", "gpt", "gemini", "qwen", "llama"}

func family(model string) string {
	model = strings.ToLower(model)
	for _, f := range families {
		if strings.Contains(model, f) {
			return f
		}
	}
	return ""
}

func (r *run) agentComplete(f *fields) {
	role := r.now.role(f)
	data := r.end(f, runevents.RunOutcomeSuccess)
	data.Output = short(f.Output, maxArtifact)
	if data.Output == "" {
		r.output(data, f, role)
	}
	data.FilesChanged = f.Files
	if f.TestsRun != nil {
		data.TestsRun = loose.Flag(bool(*f.TestsRun))
	}
	if role == "maker" {
		r.files.work(data, r.cycle)
	}
	ended(data)
	if f.DurationMS > 0 {
		r.durations[role] = int64(f.DurationMS)
	}
	r.tell(runevents.TypeAgentCompleted, data)
}

// statusLine matches the final line in which an agent states its status.
var statusLine = pattern.Must(`(?m)^[\s*_#>-]*(?:(?i:status)[\s*_:]*)?(DONE_WITH_CONCERNS|NEEDS_CONTEXT|BLOCKED|DONE)[\s*_.]*(?:$|[:(–—-])`)

// ended applies the status in an agent's own words (IN-12): one that is blocked or lacks context has not
// done its work.
func ended(data *runevents.AgentCompleted) {
	found := statusLine.FindAllStringSubmatch(data.Output, -1)
	if len(found) == 0 {
		return
	}
	switch found[len(found)-1][1] {
	case "BLOCKED":
		data.Status, data.Outcome = "blocked", runevents.RunOutcomeFailure
	case "NEEDS_CONTEXT":
		data.Status, data.Outcome = "partial", runevents.RunOutcomeFailure
	default:
		data.Status = "complete"
	}
}

// output adds what the agent wrote. If the line names a text that does not exist, shadows that only the
// text shows go unnoticed, and that is reported.
func (r *run) output(data *runevents.AgentCompleted, f *fields, role string) {
	text, ok, promised := r.files.output(f, r.phaseOf(), role, r.cycle)
	if !ok && promised {
		r.d.problem(r.now, "the agent's output is not next to the log; the agent is judged without it")
	}
	data.Output = text
}

func (r *run) agentFailed(f *fields)  { r.fail(f, runevents.RunOutcomeFailure) }
func (r *run) agentTimeout(f *fields) { r.fail(f, runevents.RunOutcomeTimeout) }

func (r *run) fail(f *fields, outcome string) {
	data := r.end(f, outcome)
	data.Output = short(f.Reason, maxFindingText)
	r.tell(runevents.TypeAgentCompleted, data)
}

// end returns what every end of an agent has in common.
func (r *run) end(f *fields, outcome string) *runevents.AgentCompleted {
	return &runevents.AgentCompleted{
		Actor: actor(), AgentID: r.now.agentID(f), Archetype: r.now.role(f), Session: sessionid.Valid(string(f.Session)),
		Phase: r.phaseOf(), Cycle: r.cycle, Outcome: outcome, DurationMS: max(int64(f.DurationMS), 0),
	}
}

// phaseOf returns the phase of the line.
func (r *run) phaseOf() string {
	if r.now.Phase != "" {
		return strings.ToLower(short(r.now.Phase, 100))
	}
	return r.phase
}
