package intent

import (
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// checkpoint is PL-32, and where the ladder begins (PL-33).
func (d *decision) checkpoint(data *runevents.IntentCheckpoint) {
	s := d.state
	before := s.Checkpoint
	d.checkpointTurn(data, before)
	d.checkpointEdits(data, before)
	structure := d.structural(data)
	sampled, _ := d.config.sampled(data.InterpretationClusters)
	s.Checkpoint = &Checkpoint{
		Event: d.event, Session: clip(data.Session, 128), Turn: data.Turn, TaskType: clip(data.TaskType, 40),
		Interpretation: strings.TrimSpace(d.text(data.Interpretation)), Rivals: d.texts(data.RivalInterpretations),
		Assumptions: d.texts(data.UnresolvedAssumptions), Self: selfReport(data),
		Effective: structure.level, Diverging: sampled != Clear,
	}
	s.Log.checkpoint(s.Checkpoint, data.ConfidenceBreakdown, d.config.Kept.Log)
	d.sourcesListed(data)
	if s.Skip {
		d.skippedReading()
		return
	}
	if before != nil && !structure.level.above(before.Effective) {
		return // a revision: the ladder was climbed for the first one
	}
	d.route(structure)
}

// checkpointTurn warns of a checkpoint outside of turns 3–5. A revision that was
// asked for, by a council or an operator, may come when it comes.
func (d *decision) checkpointTurn(data *runevents.IntentCheckpoint, before *Checkpoint) {
	if d.state.Skip || before != nil && (d.state.Council != nil || d.state.Confirmed) {
		return
	}
	first, last := d.config.Checkpoint.FirstTurn, d.config.Checkpoint.LastTurn
	low, high := data.Turn, data.Turn
	if data.Turn <= 0 { // said between two turns: it belongs to the one before or after
		low = d.state.turnOf(data.Session)
		high = low + 1
	}
	if high <= 0 || low == 0 || high >= first && low <= last {
		return
	}
	d.warn("PL-32", CodeCheckpointTurn, fmt.Sprintf("The checkpoint came in turn %d; turns %d–%d are the place for it.", low, first, last))
}

// checkpointEdits is a violation where edits came before the first checkpoint.
func (d *decision) checkpointEdits(data *runevents.IntentCheckpoint, before *Checkpoint) {
	edit := d.state.FirstEdit
	if d.state.Skip || before != nil || edit == nil {
		return
	}
	if data.Session != "" && edit.Session != "" && edit.Session != data.Session {
		return
	}
	d.earlyEdit(edit)
}

func (d *decision) earlyEdit(edit *Edit) {
	d.violateOnce("PL-32", CodeEarlyEdit, "", fmt.Sprintf("%s was edited before the intent checkpoint.", edit.Path), edit.Event)
}

// structure is the level with what led to it.
type structure struct {
	level   Level
	reasons []string
}

func (s *structure) because(format string, args ...any) {
	s.reasons = append(s.reasons, fmt.Sprintf(format, args...))
}

// structural is PL-31: signals are counted, floors and samples raise the level,
// and so does what the agent says itself. Without a checkpoint it is the
// ticket's level.
func (d *decision) structural(data *runevents.IntentCheckpoint) *structure {
	out := &structure{}
	n := d.ticketSignals(out)
	if data == nil {
		out.level = d.config.levelOf(n)
		return out
	}
	b := readBreakdown(data.ConfidenceBreakdown)
	noTier0 := d.state.Context.Tier0 == Empty || b.tier0 == Empty
	noTier1 := d.state.Context.Tier1 == Empty || b.tier1 == Empty
	assumptions := max(len(data.UnresolvedAssumptions), b.assumptions)
	for _, one := range []struct {
		holds bool
		what  string
	}{
		{slices.Contains(d.config.StructuralTasks, data.TaskType), "task type " + data.TaskType},
		{noTier0, "Tier 0 is empty"},
		{noTier1, "Tier 1 is empty"},
		{assumptions > d.config.AssumptionsOver, fmt.Sprintf("%d unresolved assumptions", assumptions)},
		{data.QuestionSpecificity != nil && *data.QuestionSpecificity >= d.config.QuestionSpecificity, "the agent has a specific question"},
	} {
		if one.holds {
			n++
			out.because("%s", one.what)
		}
	}
	out.level = d.config.levelOf(n)
	d.floors(out, data, noTier0)
	return out
}

// ticketSignals counts the ticket's; an operator who answered has settled them.
func (d *decision) ticketSignals(out *structure) int {
	t := d.state.Ticket
	if t == nil || d.state.Confirmed {
		return 0
	}
	n := t.WordSignals
	if n > 0 {
		out.because("%s", t.Words)
	}
	if t.NoCriteria {
		n++
		out.because("no acceptance criteria")
	}
	return n
}

// floors are what makes a level at least uncertain, and what only raises it.
func (d *decision) floors(out *structure, data *runevents.IntentCheckpoint, noTier0 bool) {
	always := slices.Contains(d.config.CouncilAlways, data.TaskType)
	if noTier0 || always {
		out.level = worse(out.level, Uncertain)
	}
	if failed := d.state.Context.Failed; len(failed) > 0 {
		out.level = worse(out.level, Uncertain)
		out.because("sources failed: %s", strings.Join(failed, ", "))
	}
	if level, share := d.config.sampled(data.InterpretationClusters); level != Clear {
		out.level = worse(out.level, level)
		out.because("samples of the interpretation diverge (%.2f of the greatest entropy)", share)
	}
	if self := selfReport(data); self != Clear {
		out.level = worse(out.level, self)
		out.because("the agent says %s", self)
	}
}

// selfReport is what the agent says, in whichever field it is worse.
func selfReport(data *runevents.IntentCheckpoint) Level {
	return worse(Level(data.AmbiguityLevel), readBreakdown(data.ConfidenceBreakdown).level)
}
