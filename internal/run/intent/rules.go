package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// layerRules apply to an event in this order, once the layer is on.
var layerRules = run.List(
	settings,
	ticketChecked,
	tier2Limited,
	contradictionsResolved,
	sourcesGiven,

	checkpointTurn,
	checkpointBeforeEdits,
	rivalNamed,
	checkpointTaken,
	failedSourcesListed,
	enoughContext,
	readingSkipped,
	confidence,

	assumptionsLate,
	assumptionsChecked,
	challengerSpawns,
	challengerSpawned,

	agentWorked,
	misreadByAgent,
	misreadByReview,
	phaseWorked,
	phaseRanHeld,
	observationsPlaced,
	questionsKept,

	sessionTurn,
	sourceEdited,
	editWhilePaused,
	firstEdit,
	workBegins,
	skippedIntent,
	assumptionsMissed,
	questionsUnresolved,
	councilSkipped,

	councilHeld,
	councilVague,
	councilMembers,
	councilOutput,
	councilConcluded,

	clarificationAnswered,
	answeredByAct,
	clarificationDefaulted,
	calibrationRecorded,
	runCompleted,
	gatesHeld,
)

// offRules apply while the layer is off, and record what later rules need.
var offRules = run.List(firstEditAhead, memberAhead)

// signalRules apply in the evaluator.
var signalRules = run.List(wrongPrior)

// questionsKept keeps open questions that would change the implementation until
// they are resolved or listed in the risk register (PL-38a).
var questionsKept = Rule{ID: "PL-38a", On: run.Types(runevents.TypePhaseCompleted), Run: run.With(func(c *Context, data *runevents.PhaseCompleted) {
	s, list := c.state, data.OpenQuestions
	for _, q := range list {
		said := c.config.text(q.Question)
		s.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(known Question) bool { return known.Text == said })
		if q.ChangesImplementation && strings.TrimSpace(q.Resolution) == "" && strings.TrimSpace(q.Risk) == "" {
			s.Questions = text.Newest(append(s.Questions, Question{Event: c.Event.ID, Text: said}), c.config.Kept.List)
		}
	}
})}

// questionsUnresolved is PL-38a: it warns about each open question when the
// implementation starts.
var questionsUnresolved = Rule{ID: "PL-38a", On: working, Run: func(c *Context) {
	if !c.working {
		return
	}
	for _, q := range c.state.Questions {
		c.warnOnce("PL-38a", CodeOpenQuestion, q.Text, fmt.Sprintf("Work began with an open question that changes it: %s Resolve it or put it into the risk register.", q.Text), q.Event)
	}
}}

// observationsPlaced is PL-38a: each observation of a retrospective has a disposition.
var observationsPlaced = Rule{ID: "PL-38a", On: run.Types(runevents.TypePhaseCompleted, runevents.TypeRunCompleted), Run: func(c *Context) {
	var list []runevents.Observation
	switch data := c.Event.Data.(type) {
	case *runevents.PhaseCompleted:
		list = data.Observations
	case *runevents.RunCompleted:
		list = data.Observations
	}
	for _, o := range list[:min(len(list), c.config.Kept.List)] {
		if !slices.Contains(c.config.Dispositions, strings.ToLower(strings.TrimSpace(o.Disposition))) {
			c.warn("PL-38a", CodeNoDisposition, fmt.Sprintf("The observation %s has no disposition (%s).", quote.Passage(c.config.text(o.Text)), strings.Join(c.config.Dispositions, ", ")))
		}
	}
}}

const (
	statusUnchecked    = "unchecked"
	statusContradicted = "contradicted"
)

// assumptionsLate is PL-38: assumptions are stated before the first edit.
var assumptionsLate = Rule{ID: "PL-38", On: run.Types(runevents.TypeAssumptionsStated), Run: run.With(func(c *Context, _ *runevents.AssumptionsStated) {
	s := c.state
	if s.Assumptions != "" {
		return
	}
	s.Assumptions = c.Event.ID
	if edit := s.FirstEdit; edit != nil {
		c.warnOnce("PL-38", CodeAssumptionsLate, "", fmt.Sprintf("Assumptions were stated after the first edit (%s).", edit.Path), edit.Event)
	}
})}

// assumptionsChecked is PL-38: each assumption is checked.
var assumptionsChecked = Rule{ID: "PL-38", On: run.Types(runevents.TypeAssumptionsStated), Run: run.With(func(c *Context, data *runevents.AssumptionsStated) {
	for _, a := range data.Assumptions {
		switch {
		case a.Status == statusContradicted:
			c.state.Log.Tally.ContradictedB++
		case unchecked(a):
			c.warnOnce("PL-38", CodeUnchecked, a.Assumption, fmt.Sprintf("Nobody has checked the assumption %s%s.", quote.Passage(c.config.text(a.Assumption)), howTo(a)))
		}
	}
})}

// unchecked reports whether an assumption is marked unchecked, or is unmarked and lacks
// evidence or a query that would falsify it.
func unchecked(a runevents.Assumption) bool {
	return a.Status == statusUnchecked || a.Status == "" && (strings.TrimSpace(a.Evidence) == "" || strings.TrimSpace(a.FalsificationQuery) == "")
}

func howTo(a runevents.Assumption) string {
	if query := strings.TrimSpace(a.FalsificationQuery); query != "" {
		return "; this would show it to be wrong: " + quote.Passage(clip(query, 200))
	}
	return " and no query is given that would show it to be wrong"
}

// assumptionsMissed is PL-38: a refactoring or architectural task states its
// assumptions before the first edit. If intent resolution is skipped, PL-37 applies
// instead.
var assumptionsMissed = Rule{ID: "PL-38", On: working, Run: func(c *Context) {
	if s := c.state; c.working && !s.Skip && c.config.structuralTask(s.Checkpoint) && s.Assumptions == "" {
		c.warnOnce("PL-38", CodeAssumptionsMissed, "", fmt.Sprintf("Work on a %s task began and no assumptions were stated.", quote.Name(s.Checkpoint.TaskType)), s.Checkpoint.Event)
	}
}}

// wrongPrior is PL-38 in the evaluator: a contradicted assumption is a wrong prior,
// Subtype B.
var wrongPrior = Rule{ID: "PL-38", On: run.Types(runevents.TypeAssumptionsStated), Run: run.With(func(c *Context, data *runevents.AssumptionsStated) {
	for _, a := range data.Assumptions {
		if a.Status != statusContradicted {
			continue
		}
		what := c.config.text(a.Assumption)
		c.Signal(sessionevents.Signal{
			Layer: sessionevents.LayerPipeline, Detector: "PL-38", Subclass: "B", Subject: what, Session: data.Session, Confidence: 1,
			Events: []string{c.Event.ID}, Message: fmt.Sprintf("The code contradicts %s. Read it again before you go on.", quote.Passage(clip(what, 120))), Reason: because(a, c.config.Kept.Text),
		})
	}
})}

func because(a runevents.Assumption, most int) string {
	if a.Evidence == "" {
		return "The agent's assumption was contradicted: the ticket is clear, its picture of the code is not."
	}
	return fmt.Sprintf("The agent's assumption was contradicted (%s): the ticket is clear, its picture of the code is not.", quote.Passage(clip(a.Evidence, most)))
}
