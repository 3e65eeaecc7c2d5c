package archeflow

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// role is the archetype of the line's agent, the name ArcheFlow knows it by.
func (r *run) role(f *fields) string {
	return strings.ToLower(short(first(f.Archetype, r.now.Agent), 100))
}

// agentID is the agent's id: ArcheFlow has one agent a role at a time.
func (r *run) agentID(f *fields) string {
	if id := sessionid.Valid(string(first(r.now.Agent, f.Archetype))); id != "" {
		return id
	}
	return "agent"
}

func (r *run) agentStart(f *fields) {
	r.enter(string(r.now.Phase))
	r.tell(runevents.TypeAgentSpawned, &runevents.AgentSpawned{
		Actor: actor(), AgentID: r.agentID(f), Archetype: r.role(f), ModelFamily: family(string(f.Model)),
	})
}

// families are the model families that ArcheFlow's tiers name.
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
	role := r.role(f)
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

// statusLine is the word with which an agent says at the end how it went.
var statusLine = pattern.Must(`(?m)^[\s*_#>-]*(?:(?i:status)[\s*_:]*)?(DONE_WITH_CONCERNS|NEEDS_CONTEXT|BLOCKED|DONE)[\s*_.]*(?:$|[:(–—-])`)

// ended takes the status that an agent's own words give (IN-12): one that is blocked or
// lacks context has not done its work.
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

// output is what the agent wrote. Where its line names a text that is not there,
// shadows that only the text shows cannot be seen, and that is reported.
func (r *run) output(data *runevents.AgentCompleted, f *fields, role string) {
	text, ok, promised := r.files.output(f, r.phaseOf(), role, r.cycle)
	if !ok && promised {
		r.d.problem(r.now, "what the agent wrote is not beside the log; it is judged without its text")
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

// end is what any end of an agent says.
func (r *run) end(f *fields, outcome string) *runevents.AgentCompleted {
	return &runevents.AgentCompleted{
		Actor: actor(), AgentID: r.agentID(f), Archetype: r.role(f), Session: sessionid.Valid(string(f.Session)),
		Phase: r.phaseOf(), Cycle: r.cycle, Outcome: outcome, DurationMS: max(int64(f.DurationMS), 0),
	}
}

// phaseOf is the phase of the line.
func (r *run) phaseOf() string {
	if r.now.Phase != "" {
		return strings.ToLower(short(r.now.Phase, 100))
	}
	return r.phase
}
