package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
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

// words of a name: fix-review_2 and fixReview2 are fix, review, 2.
func words(name string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && lower:
			end()
			word.WriteRune(unicode.ToLower(r))
		default:
			word.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	end()
	return out
}

// has reports whether a name contains one of the words.
func has(name string, list []string) bool {
	return slices.ContainsFunc(words(name), func(word string) bool { return slices.Contains(list, word) })
}

// same reports whether two names differ at most in case and punctuation.
func same(a, b string) bool { return a == b || slices.Equal(words(a), words(b)) && len(words(a)) > 0 }

// short bounds a text that quotes the input.
func short(s string) string {
	const most = 160
	return text.Cut(text.Valid(text.Line(s)), most)
}

// several lists at most so many things for people.
func several(names []string) string {
	const most = 8
	shown := make([]string, 0, most+1)
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, quote.Path(name))
	}
	if len(names) > most {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// loopControl is PL-8: a loop must continue or stop by what it found.
var loopControl = Rule{ID: "PL-8", On: run.Types(runevents.TypeCycleCompleted), Run: run.With(func(c *Context, d *runevents.CycleCompleted) {
	for i := range c.run.Open { // the next iteration begins (PL-42)
		c.run.Open[i].Slices, c.run.Open[i].Warned = nil, false
	}
	if d.Decision == "" || !c.run.On && c.run.Kind != "" {
		return
	}
	open := openFindings(d.Findings)
	switch {
	case len(open) > 0 && d.Decision == "stop" && d.LimitReached:
		c.run.Leftovers = text.Newest(append(c.run.Leftovers, Leftover{
			Cycle: d.Cycle, Event: c.Event.ID, Findings: bounded(open, c.config.Kept.Items), Residual: bounded(said(d.Residual), c.config.Kept.Items),
		}), c.config.Kept.Phases)
	case len(open) > 0 && d.Decision == "stop":
		c.warning(c.judgement("LOOP-STOPPED-WITH-FINDINGS", "PL-8", "Cycle %d stops with %s open, below the limit of its loop: %s.", d.Cycle, text.Count(len(open), "finding"), several(open)))
	case len(open) == 0 && d.Decision == "continue":
		c.warning(c.judgement("LOOP-CONTINUED-CLEAN", "PL-8", "Cycle %d goes on though it found nothing.", d.Cycle))
	case len(open) == 0 && d.Decision == "stop" && len(said(d.Checked)) == 0:
		c.warning(c.judgement("CLEAN-STOP-UNEXPLAINED", "PL-8", "Cycle %d stops clean and does not say what was checked.", d.Cycle))
	}
})}

// openFindings names the findings that are neither fixed nor deferred.
func openFindings(findings []runevents.Finding) []string {
	var out []string
	for i, f := range findings {
		if f.State == "fixed" || f.State == "deferred" {
			continue
		}
		name := f.ID
		if name == "" {
			name = f.Text
		}
		if strings.TrimSpace(name) == "" {
			name = fmt.Sprintf("finding %d", i+1)
		}
		out = append(out, name)
	}
	return out
}

// said returns the texts that are not blank.
func said(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return strings.TrimSpace(text) == "" })
}

func bounded(list []string, most int) []string {
	out := make([]string, 0, min(len(list), most))
	for _, text := range list[:min(len(list), most)] {
		out = append(out, short(text))
	}
	return out
}
