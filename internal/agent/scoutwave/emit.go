package scoutwave

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func itoa(n int) string { return strconv.Itoa(n) }

func sorted[K int | string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// emitter turns a document into run events. An event's id is derived from its content, so that rereading a
// document after an edit yields new events only for what is new (EV-2).
type emitter struct {
	a     *transcript.Assembler
	id    string
	ticks int
}

var (
	scout      = runevents.Actor{Kind: runevents.ActorScout, ID: "scout"}
	planner    = runevents.Actor{Kind: runevents.ActorOrchestrator, ID: runevents.PlanDocument}
	scaffolder = runevents.Actor{Kind: runevents.ActorScaffold, ID: "scaffold"}
)

// emit emits the events of a document, in the order of the protocol.
func emit(a *transcript.Assembler, d *document) {
	e := &emitter{a: a, id: runOf(a.Options(), d)}
	e.tell(runevents.TypeRunStarted, "", &runevents.RunStarted{
		Actor: planner, Kind: "saw", Goal: clip(d.title, 400), Workspace: clip(d.repository,
			1024), Project: a.Options().Project,
	})
	if d.verdict != "" || len(d.scaffolds) > 0 {
		verdict := d.verdict
		if verdict == "" {
			verdict = "SUITABLE WITH CAVEATS" // a plan without a verdict was not found suitable
			a.Note("plan without a verdict")
		}
		e.tell(runevents.TypeScoutCompleted, "", &runevents.ScoutCompleted{
			Actor: scout, Verdict: verdict,
			Scaffolds: pending(d.scaffolds), Waves: len(d.waves),
		})
	}
	for _, n := range sorted(d.waves) {
		planned := &runevents.WavePlanned{Actor: scout, Wave: n}
		for _, letter := range sorted(d.waves[n]) {
			planned.Agents = append(planned.Agents, runevents.WaveAgent{Letter: letter, Owns: d.waves[n][letter]})
		}
		e.tell(runevents.TypeWavePlanned, itoa(n), planned)
	}
	if d.critic != nil {
		d.critic.Actor = planner
		e.tell(runevents.TypeReviewCompleted, "critic", d.critic)
	}
	e.scaffolds(d)
	for _, r := range d.reports {
		e.report(r)
	}
}

// runOf returns the run's id: the requested one, or else the document's slug or title.
func runOf(o transcript.Options, d *document) string {
	if o.Run != "" {
		return o.Run
	}
	for _, name := range []string{d.slug, d.title} {
		if id := sessionid.Valid(strings.Join(strings.Fields(strings.ToLower(name)), "-")); id != "" {
			return id
		}
	}
	return sessionid.OfContent(Name, []byte(d.title))
}

// pending returns the scaffolds as the scout lists them; their outcomes are separate events.
func pending(list []runevents.Scaffold) []runevents.Scaffold {
	out := slices.Clone(list)
	for i := range out {
		out[i].Status = "pending"
	}
	return out
}

// scaffolds emits which ones were committed or failed (WP-10).
func (e *emitter) scaffolds(d *document) {
	for _, s := range d.scaffolds {
		status := strings.ToLower(s.Status)
		_, reason, _ := strings.Cut(s.Status, ":")
		switch {
		case strings.HasPrefix(status, "committed"):
			sha := strings.Trim(strings.TrimSpace(s.Status[len("committed"):]), "()`: ")
			e.tell(runevents.TypeScaffoldCommitted, s.File, &runevents.ScaffoldCommitted{
				Actor: scaffolder,
				Files: []string{s.File}, SHA: clip(sha, 64),
			})
		case strings.HasPrefix(status, "failed"):
			e.tell(runevents.TypeScaffoldFailed, s.File, &runevents.ScaffoldFailed{
				Actor: scaffolder,
				Files: []string{s.File}, Reason: clip(reason, 400),
			})
		}
	}
}

// report emits how an agent ended. If its status and its own verification differ, the worse one counts.
func (e *emitter) report(r report) {
	status, outcome := strings.ToLower(strings.TrimSpace(r.status)), runevents.RunOutcomeSuccess
	switch {
	case status == "partial" || status == "blocked":
		outcome = runevents.RunOutcomeFailure
	case strings.HasPrefix(strings.ToUpper(strings.TrimSpace(r.verified)), "FAIL"):
		status, outcome = "partial", runevents.RunOutcomeFailure
		e.a.Note("complete with a failed verification")
	case status != "complete":
		outcome = runevents.RunOutcomeFailure
	}
	if strings.EqualFold(strings.TrimSpace(r.failure), "timeout") {
		outcome = runevents.RunOutcomeTimeout
	}
	var said []string
	for _, part := range []string{r.failure, r.verified, r.notes} {
		if part = strings.TrimSpace(part); part != "" {
			said = append(said, part)
		}
	}
	name := "wave" + itoa(r.wave) + "-agent-" + r.letter
	data := &runevents.AgentCompleted{
		Actor: runevents.Actor{
			Kind: runevents.ActorWaveAgent,
			ID:   name,
		}, AgentID: name, Outcome: outcome, Status: status, Commit: clip(r.commit, 64),
		Output: clip(strings.Join(said, "\n"),
			maxText), FilesChanged: paths(r.changed), FilesCreated: paths(r.created), Wave: r.wave, Letter: r.letter,
	}
	if r.wave == 0 {
		data.AgentID, data.Letter = "agent-"+r.letter, ""
		data.Actor.ID = data.AgentID
	}
	e.tell(runevents.TypeAgentCompleted, name, data)
	if r.deviations > 0 {
		e.a.Note("interface deviations")
	}
}

func paths(list []string) []string {
	var out []string
	for _, one := range list {
		if file := cleanFile(one); file != "" && len(out) < maxFiles {
			out = append(out, file)
		}
	}
	return out
}

// tell emits an event; its id is derived from its content and subject.
func (e *emitter) tell(typ events.Type, about string, data any) {
	said, err := json.Marshal(data)
	if err != nil {
		e.a.Problem("an event cannot be written")
		return
	}
	sum := sha256.Sum256(said)
	source := transcript.SourceOf(Name)
	e.ticks++
	e.a.Pass(events.Event{
		ID: events.DerivedID("adapter", source,
			e.id+"\x00"+string(typ)+"\x00"+about+"\x00"+hex.EncodeToString(sum[:16]), 0),
		Source: source, Type: typ, Subject: e.id, Time: transcript.Epoch.Add(time.Duration(e.ticks) * time.Second), Data: data,
		Correlation: e.id, PartitionKey: e.id,
	})
}
