package pipeline

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// sliceDone counts a task that names a slice of the plan, in the iteration at
// work. Without a cycle nothing says where an iteration ends (PL-42).
func (c *Context) sliceDone(task string, cycle int) {
	if !c.run.On || len(c.run.Open) == 0 {
		return
	}
	phase := &c.run.Open[len(c.run.Open)-1]
	if phase.Cycle == 0 || cycle != 0 && cycle != phase.Cycle {
		return
	}
	if found := c.config.patterns.slice.FindStringSubmatch(task); found != nil {
		c.countSlice(phase, found[1])
	}
}

func (c *Context) countSlice(phase *Phase, slice string) {
	slice = short(slice)
	if !slices.Contains(phase.Slices, slice) {
		phase.Slices = keep(phase.Slices, slice, 16)
	}
	if len(phase.Slices) > 1 && !phase.Warned {
		phase.Warned = true
		c.severalSlices(*phase, "slices "+several(phase.Slices))
	}
}

// slicesCompleted looks at what a phase says it finished: its slices, or notes
// that tell of several.
func (c *Context) slicesCompleted(phase Phase, finished []string, notes string) {
	for _, slice := range finished[:min(len(finished), 16)] {
		if strings.TrimSpace(slice) != "" {
			c.countSlice(&phase, slice)
		}
	}
	if phase.Warned || has(phase.Name, c.config.Phases.Plan) { // a plan tells of slices to come
		return
	}
	if said := c.tellsOfSeveral(notes); said != "" {
		c.severalSlices(phase, "its notes say: "+short(said))
	}
}

func (c *Context) severalSlices(phase Phase, which string) {
	j := c.phaseJudgement("SEVERAL-SLICES", "PL-42", phase.Name, "Phase %s did more than one slice of the plan in one iteration (%s): drift is caught slice by slice.", short(phase.Name), which)
	j.Evidence = c.evidence(phase.Event)
	c.warning(j)
}

// tellsOfSeveral is the sentence of the notes that says several slices are done.
func (c *Context) tellsOfSeveral(notes string) string {
	const most = 16 << 10
	sentences := strings.FieldsFunc(notes[:min(len(notes), most)], func(r rune) bool { return strings.ContainsRune(".;\n!?", r) })
	for _, sentence := range sentences {
		if c.config.patterns.slices.MatchString(sentence) && has(sentence, c.config.Slices.Done) && !has(sentence, c.config.Slices.NotDone) {
			return sentence
		}
	}
	return ""
}

// asked remembers what people asked for (PL-42).
func (c *Context) asked(text string) {
	if room := c.config.Kept.TextBytes - len(c.run.Asked); room > 0 && text != "" {
		c.run.Asked += strings.ToValidUTF8(strings.ToLower(text[:min(len(text), room)])+"\n", "")
	}
}

// markdownCommitted is PL-42. A publisher's claim is warned of as well: it says
// so of itself.
func (c *Context) markdownCommitted(d *runevents.GitCommit) {
	if !c.run.On || d.Blocked {
		return
	}
	var unasked []string
	for _, file := range d.Files {
		if c.markdown(file) && !c.wasAsked(file) {
			unasked = append(unasked, file)
		}
	}
	if len(unasked) == 0 {
		return
	}
	claimed := ""
	if c.Event.Credential != events.RoleInfra {
		claimed = " (as its publisher says)"
	}
	j := c.judgement("MARKDOWN-COMMITTED", "PL-42", "Markdown was committed that nobody asked for%s: %s.", claimed, several(unasked))
	for _, file := range unasked[:min(len(unasked), 8)] {
		j.Evidence = append(j.Evidence, runevents.Reference{Event: c.Event.ID, Path: short(file)})
	}
	j.Evidence = j.Evidence[1:]
	c.warning(j)
}

func (c *Context) markdown(file string) bool {
	at := strings.LastIndexByte(file, '.')
	return at >= 0 && slices.Contains(c.config.Markdown.Extensions, strings.ToLower(file[at+1:]))
}

// wasAsked reports a document that the goal, the ticket or the proposal names,
// or a task about documents.
func (c *Context) wasAsked(file string) bool {
	if slices.ContainsFunc(c.run.Proposed, func(p string) bool { return samePath(p, file) }) {
		return true
	}
	base := strings.ToLower(file[strings.LastIndexByte(file, '/')+1:])
	stem, _, _ := strings.Cut(base, ".")
	if len(stem) > 3 && strings.Contains(c.run.Asked, stem) {
		return true
	}
	return slices.ContainsFunc(c.config.Markdown.Asked, func(word string) bool { return strings.Contains(c.run.Asked, word) })
}
