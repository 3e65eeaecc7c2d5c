package researchspiral

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// finding returns the finding of a run at one of its marks. From the fourth turn on it
// has another subject, which later findings share so that they update it.
func (d *instance) finding(m *memory, p *detect.Pass, calls []retrieval, why string) detect.Finding {
	r := &m.Run
	f := detect.Finding{
		Subclass: "run", Subject: subjectOf(r, r.Turns >= d.QueueAt), Streak: r.Turns,
		ReworkCost: reworkCost, SelfCorrect: selfCorrect, Confidence: d.Confidence.Aimless,
		Evidence: evidence(p, r, calls),
	}
	action := "Say what you expect to find and make the first edit or test."
	// A named cause does not excuse a run of this length, and nothing excuses one that
	// reaches the last mark.
	again := p.Baseline().Known && (r.Turns > d.QueueAt && why == namedCause || r.Turns >= slices.Max(d.AgainAt) && why != studyFirst)
	if again && why != "" {
		action = "Make the edit or test that it is for."
	}
	if why != "" && !again {
		f.Cap, f.Confidence, action = detect.LogOnly, d.Confidence.Focused, "Make the edit or test it is for."
	}
	if r.Turns >= d.QueueAt {
		f.Floor = queueFloor
	}
	f.Message = fmt.Sprintf("Since turn %d, %d turns only read or searched%s; no edit, test or other effect. %s", r.From, r.Turns, names(r.Names), action)
	f.Reason = reason(m, why, f.Cap > 0)
	return f
}

// subjectOf returns the subject of a run, which changes from its fourth turn on so that
// later findings update that one.
func subjectOf(r *run, escalated bool) string {
	subject := fmt.Sprintf("research since turn %d", r.From)
	if escalated {
		subject += " (escalated)"
	}
	return subject
}

func reason(m *memory, why string, capped bool) string {
	r := &m.Run
	begin := fmt.Sprintf("%d research turns in a row, %d of %d calls followed from the task or an earlier result, %d repeated one", r.Turns, r.Linked/linked, r.Calls, r.Repeats)
	switch {
	case why != "" && capped:
		return begin + "; logged only, since " + why + "."
	case why != "":
		return begin + "; " + why + ", which excuses no run of this length."
	}
	if m.Lapsed {
		return begin + "; the cause was named before, and nothing was tried since."
	}
	return begin + "; no cause or change was named."
}

// names lists what was read last, each once; what does not fit in full is left out
// (JD-40).
func names(list []string) string {
	var shown []string
	for _, name := range list {
		if strings.ContainsAny(name, " …") || name != strings.Trim(quote.Name(name), `"`) {
			continue
		}
		if !slices.Contains(shown, name) {
			shown = append(shown, name)
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return " (last " + strings.Join(shown, ", ") + ")"
}

// evidence returns the turn's retrievals, or its words if it only announces research.
func evidence(p *detect.Pass, r *run, calls []retrieval) []sessionevents.Evidence {
	var segments []int
	for _, c := range calls {
		if !slices.Contains(segments, c.segment) {
			segments = append(segments, c.segment)
		}
	}
	if len(segments) == 0 {
		for _, flag := range p.Additions.RedFlags {
			segments = append(segments, flag.Segment)
		}
	}
	var out []sessionevents.Evidence
	for _, i := range segments[:min(len(segments), maxEvidence)] {
		e := detect.Whole(&p.Turn.Segments[i])
		e.ConflictsWith = &sessionevents.EarlierEvent{Turn: r.From, What: "the first of them"}
		out = append(out, e)
	}
	return out
}

// maxEvidence bounds the retrievals of a turn that a signal shows.
const maxEvidence = 3
