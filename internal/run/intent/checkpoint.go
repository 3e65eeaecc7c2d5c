package intent

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// checkpointTaken folds a checkpoint with its level (PL-31).
var checkpointTaken = Rule{ID: "PL-31", On: run.Types(runevents.TypeIntentCheckpoint), Run: run.With(func(c *Context, data *runevents.IntentCheckpoint) {
	s := c.state
	c.before, c.structure = s.Checkpoint, c.structural(data)
	sampled, _ := c.config.sampled(data.InterpretationClusters)
	s.Checkpoint = &Checkpoint{
		Event: c.Event.ID, Session: clip(data.Session, 128), Turn: data.Turn, TaskType: clip(data.TaskType, 40),
		Interpretation: strings.TrimSpace(c.config.text(data.Interpretation)), Rivals: c.config.texts(data.RivalInterpretations),
		Assumptions: c.config.texts(data.UnresolvedAssumptions), Self: selfReport(data),
		Effective: c.structure.level, Diverging: sampled != Clear,
	}
	s.Log.checkpoint(s.Checkpoint, data.ConfidenceBreakdown, c.config.Kept.Log)
})}

// readingSkipped is PL-37 at the checkpoint.
var readingSkipped = Rule{ID: "PL-37", On: run.Types(runevents.TypeIntentCheckpoint), Run: func(c *Context) {
	if c.state.Skip {
		c.skippedReading()
	}
}}

// confidence is PL-33: the start of the ladder. A revision starts it again only if its
// level is worse.
var confidence = Rule{ID: "PL-33", On: run.Types(runevents.TypeIntentCheckpoint), Run: run.With(func(c *Context, _ *runevents.IntentCheckpoint) {
	if !c.state.Skip && (c.before == nil || c.structure.level.above(c.before.Effective)) {
		c.route(c.structure)
	}
})}

// checkpointTurn is PL-32: a checkpoint is due in turns 3 to 5. A revision that a
// council or an operator requested may come at any time.
var checkpointTurn = Rule{ID: "PL-32", On: run.Types(runevents.TypeIntentCheckpoint), Run: run.With(func(c *Context, data *runevents.IntentCheckpoint) {
	before := c.state.Checkpoint
	if c.state.Skip || before != nil && (c.state.Council != nil || c.state.Confirmed) {
		return
	}
	first, last := c.config.Checkpoint.FirstTurn, c.config.Checkpoint.LastTurn
	low, high := data.Turn, data.Turn
	if data.Turn <= 0 { // between two turns: it may belong to either
		session := data.Session
		if session == "" { // the run's worker (PL-32)
			session = c.state.worker()
		}
		low = c.state.turnOf(session)
		high = low + 1
	}
	if high <= 0 || low == 0 || high >= first && low <= last {
		return
	}
	c.warn("PL-32", CodeCheckpointTurn, fmt.Sprintf("The checkpoint came in turn %d; turns %d–%d are the place for it.", low, first, last))
})}

// checkpointBeforeEdits is PL-32: the first checkpoint comes before edits.
var checkpointBeforeEdits = Rule{ID: "PL-32", On: run.Types(runevents.TypeIntentCheckpoint), Run: run.With(func(c *Context, data *runevents.IntentCheckpoint) {
	before := c.state.Checkpoint
	edit := c.state.FirstEdit
	if c.state.Skip || before != nil || edit == nil {
		return
	}
	if data.Session != "" && edit.Session != "" && edit.Session != data.Session {
		return
	}
	c.earlyEdit(edit)
})}

func (c *Context) earlyEdit(edit *Edit) {
	c.violateOnce("PL-32", CodeEarlyEdit, "", fmt.Sprintf("%s was edited before the intent checkpoint.", edit.Path), edit.Event)
}

// structure is a level with the signals that led to it.
type structure struct {
	level   Level
	reasons []string
}

func (s *structure) because(format string, args ...any) {
	s.reasons = append(s.reasons, fmt.Sprintf(format, args...))
}

// structural is PL-31: it counts signals; floors, samples and the agent's own
// report raise the level. Without a checkpoint it returns the ticket's level.
func (c *Context) structural(data *runevents.IntentCheckpoint) *structure {
	out := &structure{}
	n := c.state.ticketSignals(out)
	if data == nil {
		out.level = c.config.levelOf(n)
		return out
	}
	b := readBreakdown(data.ConfidenceBreakdown)
	noTier0 := c.state.Sources.Tier0 == Empty || b.tier0 == Empty
	noTier1 := c.state.Sources.Tier1 == Empty || b.tier1 == Empty
	assumptions := max(len(data.UnresolvedAssumptions), b.assumptions)
	for _, one := range []struct {
		holds bool
		what  string
	}{
		{slices.Contains(c.config.StructuralTasks, data.TaskType), "task type " + data.TaskType},
		{noTier0, "Tier 0 is empty"},
		{noTier1, "Tier 1 is empty"},
		{assumptions > c.config.AssumptionsOver, fmt.Sprintf("%d unresolved assumptions", assumptions)},
		{data.QuestionSpecificity != nil && *data.QuestionSpecificity >= c.config.QuestionSpecificity, "the agent has a specific question"},
	} {
		if one.holds {
			n++
			out.because("%s", one.what)
		}
	}
	out.level = c.config.levelOf(n)
	c.floors(out, data, noTier0)
	return out
}

// ticketSignals counts the ticket's signals; an operator's answer settles them.
func (s *State) ticketSignals(out *structure) int {
	t := s.Ticket
	if t == nil || s.Confirmed {
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

// floors adds what makes a level at least uncertain, and what raises it by itself.
func (c *Context) floors(out *structure, data *runevents.IntentCheckpoint, noTier0 bool) {
	always := slices.Contains(c.config.CouncilAlways, data.TaskType)
	if noTier0 || always {
		out.level = worse(out.level, Uncertain)
	}
	if failed := c.state.Sources.Failed; len(failed) > 0 {
		out.level = worse(out.level, Uncertain)
		out.because("sources failed: %s", strings.Join(failed, ", "))
	}
	if level, share := c.config.sampled(data.InterpretationClusters); level != Clear {
		out.level = worse(out.level, level)
		out.because("samples of the interpretation diverge (%.2f of the greatest entropy)", share)
	}
	if c.config.inconsistent(data.PlanConsistency) {
		out.level = worse(out.level, Uncertain)
		out.because("plans made independently of each other disagree")
	}
	if self := selfReport(data); self != Clear {
		out.level = worse(out.level, self)
		out.because("the agent says %s", self)
	}
}

// selfReport returns the level that the agent reports, the worse of its two fields.
func selfReport(data *runevents.IntentCheckpoint) Level {
	return worse(Level(data.AmbiguityLevel), readBreakdown(data.ConfidenceBreakdown).level)
}

// Level is how clear the intent is. The zero value means unknown.
type Level string

// Levels.
const (
	Clear     Level = "clear"
	Uncertain Level = "uncertain"
	Ambiguous Level = "ambiguous"
)

func (l Level) rank() int {
	switch l {
	case Uncertain:
		return 1
	case Ambiguous:
		return 2
	}
	return 0
}

// above reports whether a level is worse than another.
func (l Level) above(other Level) bool { return l.rank() > other.rank() }

// worse returns the worse of two levels (PL-31: the maximum counts); an unknown
// level counts as clear.
func worse(a, b Level) Level {
	if b.above(a) {
		return b
	}
	if a.rank() == 0 {
		return Clear
	}
	return a
}

// levelOf returns the level for a number of structural signals.
func (c *Config) levelOf(signals int) Level {
	switch {
	case signals >= c.Levels.Ambiguous:
		return Ambiguous
	case signals >= c.Levels.Uncertain:
		return Uncertain
	}
	return Clear
}

// tolerance absorbs rounding errors of logarithms: nine samples in three equal clusters
// have exactly half of the maximum entropy.
const tolerance = 1e-9

// Spread returns the Shannon entropy of samples in clusters of the given sizes as a share
// of its maximum, log2 k: 0 if all are in one cluster, 1 if each has its own. It returns
// false for fewer than least samples.
func Spread(clusters []int, least int) (share float64, ok bool) {
	k := 0.0
	for _, n := range clusters {
		if n > 0 {
			k += float64(n)
		}
	}
	if k < float64(least) || k < 2 {
		return 0, false
	}
	h := 0.0
	for _, n := range clusters {
		if n > 0 {
			p := float64(n) / k
			h -= p * math.Log2(p)
		}
	}
	return math.Max(0, h/math.Log2(k)), true
}

// sampled returns the level that follows from samples of the interpretation; samples can
// only raise the level (PL-31).
func (c *Config) sampled(clusters []int) (Level, float64) {
	share, ok := Spread(clusters, c.Entropy.LeastSamples)
	switch {
	case !ok || share <= tolerance:
		return Clear, share
	case share >= c.Entropy.Ambiguous-tolerance:
		return Ambiguous, share
	}
	return Uncertain, share
}
