package pipeline

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// agentSlice is PL-42 for the task of an agent.
var agentSlice = Rule{ID: "PL-42", On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
	c.sliceDone(d.Task, d.Cycle)
})}

// taskSlice is PL-42 for a task.
var taskSlice = Rule{ID: "PL-42", On: run.Types(runevents.TypeTaskCompleted), Run: run.With(func(c *Context, d *runevents.TaskCompleted) {
	c.sliceDone(d.Task, 0)
})}

// sliceDone counts a task that names a slice of the plan in the current iteration.
// Without a cycle nothing marks the end of an iteration (PL-42).
func (c *Context) sliceDone(task string, cycle int) {
	if !c.run.On || len(c.run.Open) == 0 {
		return
	}
	phase := &c.run.Open[len(c.run.Open)-1]
	if phase.Cycle == 0 || cycle != 0 && cycle != phase.Cycle {
		return
	}
	if found := c.config.Slices.Name.FindStringSubmatch(task); found != nil {
		iteration{c, phase}.did(found[1])
	}
}

// iteration is one of a phase: it does one slice of the plan (PL-42).
type iteration struct {
	*Context
	phase *Phase
}

// did counts a slice.
func (i iteration) did(slice string) {
	phase := i.phase
	slice = short(slice)
	if !slices.Contains(phase.Slices, slice) {
		phase.Slices = text.Newest(append(phase.Slices, slice), 16)
	}
	if len(phase.Slices) > 1 && !phase.Warned {
		phase.Warned = true
		i.several("slices " + several(phase.Slices))
	}
}

// slicesCompleted is PL-42 for what a phase reports as finished: its slices, or
// notes that report several.
var slicesCompleted = Rule{ID: "PL-42", On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, d *runevents.PhaseCompleted) {
	phase := c.phase
	one := iteration{c, &phase}
	for _, slice := range d.Slices[:min(len(d.Slices), 16)] {
		if strings.TrimSpace(slice) != "" {
			one.did(slice)
		}
	}
	if phase.Warned || has(phase.Name, c.config.Phases.Plan) { // a plan names slices to come
		return
	}
	if said := c.config.Slices.mentionsSeveral(d.Notes); said != "" {
		one.several("its notes say: " + short(said))
	}
})}

// several warns of more than one.
func (i iteration) several(which string) {
	j := i.phaseJudgement("SEVERAL-SLICES", "PL-42", i.phase.Name, "Phase %s did more than one slice of the plan in one iteration (%s): drift is caught slice by slice.", short(i.phase.Name), which)
	j.Evidence = i.evidence(i.phase.Event)
	i.warning(j)
}

// mentionsSeveral returns the sentence of the notes that reports several finished
// slices.
func (s *SlicePatterns) mentionsSeveral(notes string) string {
	const most = 16 << 10
	sentences := strings.FieldsFunc(notes[:min(len(notes), most)], func(r rune) bool { return strings.ContainsRune(".;\n!?", r) })
	for _, sentence := range sentences {
		if s.Several.MatchString(sentence) && has(sentence, s.Done) && !has(sentence, s.NotDone) {
			return sentence
		}
	}
	return ""
}
