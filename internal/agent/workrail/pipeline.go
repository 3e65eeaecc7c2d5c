package workrail

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// pipelineContext recognises and reads .workrail/pipeline-runs/<run>-context.json.
var pipelineContext = transcript.Format{
	Name: PipelineName, Title: "WorkTrain pipeline context (.workrail/pipeline-runs)", Log: true, Whole: true,
	Document: true,
	Signs:    "`runId`, `pipelineMode`, `goal` and `phases`",
	Limits:   "run and phase events; see [WorkRail](agents/workrail.md)",
	Recognise: func(h transcript.Head) int {
		return transcript.Best(h, func(p record.Probe) int {
			if p.Has("runId", "pipelineMode", "phases") && p["phases"] == "{" {
				return 98
			}
			return 0
		})
	},
	Decode: func(a *transcript.Assembler) transcript.Decoder { return &pipelineDecoder{a: a} },
}

// contextDocument is what a coordinator keeps of a run, rewritten after each phase.
type contextDocument struct {
	Run       loose.String            `json:"runId"`
	Goal      loose.String            `json:"goal"`
	Workspace loose.String            `json:"workspace"`
	Started   loose.Time              `json:"startedAt"`
	Mode      loose.String            `json:"pipelineMode"`
	Worktree  loose.String            `json:"worktreePath"`
	Phases    map[string]*phaseRecord `json:"phases"`
}

// phaseRecord is one completed phase.
type phaseRecord struct {
	name      string
	Completed loose.Time   `json:"completedAt"`
	Session   loose.String `json:"sessionHandle"`
	Result    struct {
		Kind     loose.String    `json:"kind"`
		Artifact json.RawMessage `json:"artifact"`
		Recap    loose.String    `json:"recapMarkdown"`
	} `json:"result"`
}

// contracts lists what each phase must hand over; for a phase with another name, its artifact determines
// that.
var contracts = map[string]string{
	"discovery": "wr.discovery_handoff", "shaping": "wr.shaping_handoff", "coding": "wr.coding_handoff",
	"review": "wr.review_verdict", "differentiation": "wr.differentiation_handoff",
}

// order is the order of a pipeline, for phases without a time.
var order = []string{"differentiation", "discovery", "shaping", "coding", "review"}

type pipelineDecoder struct{ a *transcript.Assembler }

// Record reads the document.
func (d *pipelineDecoder) Record(r record.Record) error {
	var doc contextDocument
	if err := json.Unmarshal(r.Data, &doc); err != nil {
		return fmt.Errorf("not a pipeline context: %w", err)
	}
	if doc.Run == "" {
		return fmt.Errorf("a pipeline context without runId")
	}
	t := &teller{a: d.a, format: PipelineName, id: runID(d.a.Options(), string(doc.Run))}
	t.at(doc.Started.Time)
	t.tell(runevents.TypeRunStarted, "", &runevents.RunStarted{
		Actor: actor(), Kind: "pipeline", Goal: clip(doc.Goal, maxWords), Workspace: clip(doc.Workspace, maxPath),
		Project: d.a.Options().Project,
	})
	phases := doc.inOrder()
	if len(phases) > maxList {
		d.a.Problem("more than %d phases; the rest is left out", maxList)
		phases = phases[:maxList]
	}
	for _, p := range phases {
		d.phase(t, p, doc.Worktree != "")
	}
	return nil
}

// End has nothing to do.
func (d *pipelineDecoder) End() {}

// inOrder returns the phases in the order of completion.
func (doc *contextDocument) inOrder() []*phaseRecord {
	var out []*phaseRecord
	for name, p := range doc.Phases {
		if p != nil && strings.TrimSpace(name) != "" {
			p.name = name
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *phaseRecord) int {
		if !a.Completed.IsZero() && !b.Completed.IsZero() && !a.Completed.Equal(b.Completed.Time) {
			return a.Completed.Compare(b.Completed.Time)
		}
		if n := slices.Index(order, a.name) - slices.Index(order, b.name); n != 0 {
			return n
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}

// phase emits that a phase began, and its handoff. A result is judged by its artifact and notes; what the
// coordinator calls it is only compared (PL-1).
func (d *pipelineDecoder) phase(t *teller, p *phaseRecord, ownWorktree bool) {
	data := &runevents.PhaseCompleted{
		Actor: actor(), Phase: clip(p.name, maxWords), ContractRef: contracts[p.name],
		Notes: clip(p.Result.Recap, maxText), ClaimedResult: clip(p.Result.Kind, maxWords),
	}
	if len(p.Result.Artifact) > 0 && string(p.Result.Artifact) != "null" {
		a, ok := artifact(p.Result.Artifact)
		if !ok {
			d.a.Problem("the artifact of phase %s is not readable; it counts as missing",
				plainName(loose.String(p.name)))
		} else {
			data.Artifacts = []runevents.Artifact{a}
		}
	}
	sum := sha256.Sum256(append([]byte(p.name+"\x00"+string(p.Result.Recap)+"\x00"), p.Result.Artifact...))
	about := hex.EncodeToString(sum[:16]) // a phase that ran again has other content
	t.tell(runevents.TypePhaseStarted, about, &runevents.PhaseStarted{
		Actor: actor(), Phase: data.Phase, ContractRef: data.ContractRef,
	})
	t.at(p.Completed.Time)
	if ownWorktree && p.name == "coding" { // the coordinator owns the branch (PL-6)
		t.tell(runevents.TypeAgentStarted, about, &runevents.AgentStarted{
			Actor: actor(), AgentID: "coding", Session: sessionOf(p.Session), Isolation: "worktree",
		})
	}
	t.tell(runevents.TypePhaseCompleted, about, data)
	if len(data.Artifacts) > 0 {
		if review := verdict(data.Artifacts[0], data.Phase); review != nil {
			t.tell(runevents.TypeReviewCompleted, about, review)
		}
	}
}

// Limits on one text, in bytes, and on lists (EV-3).
const (
	maxText  = 64 << 10
	maxWords = 400
	maxPath  = 1024
	maxList  = 64
)

// teller emits the events of one run.
type teller struct {
	a      *transcript.Assembler
	format string
	id     string
	last   time.Time
}

// tell emits an event. Its id is derived from the run and the record that reports it, so that what is read
// again counts once (EV-2).
func (t *teller) tell(typ events.Type, about string, data any) {
	source := transcript.SourceOf(t.format)
	if t.last.IsZero() {
		t.last = transcript.Epoch
	}
	t.a.Pass(events.Event{
		ID:     events.DerivedID("adapter", source, t.id+"\x00"+string(typ)+"\x00"+about, 0),
		Source: source, Type: typ, Subject: t.id, Time: t.last, Data: data,
		Correlation: t.id, PartitionKey: t.id,
	})
}

// at advances the run's clock; time never runs backwards within a run.
func (t *teller) at(when time.Time) {
	if when.After(t.last) {
		t.last = when.UTC()
	}
}

func actor() runevents.Actor {
	return runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "workrail"}
}

// runID returns the id that the user asked for, or else the first name that can be an id.
func runID(o transcript.Options, names ...string) string {
	if o.Run != "" {
		return o.Run
	}
	for _, name := range names {
		if id := sessionid.Valid(name); id != "" {
			return id
		}
	}
	return StoreName
}

func clip[T ~string](s T, limit int) string {
	return text.Cut(strings.TrimSpace(string(s)), limit)
}

// plainName returns a name that can be shown to people without quoting content.
func plainName(s loose.String) string {
	for _, r := range string(s) {
		if (r < 'a' || r > 'z') && r != '_' && r != '.' {
			return "another kind"
		}
	}
	return clip(s, 40)
}
