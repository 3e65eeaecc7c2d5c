package circular

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// repeatedPlan reports a plan that largely repeats earlier ones although there was no
// news at all since the turn called news. It counts as a recurrence if one of the
// repeated sentences deliberates; otherwise it is only logged.
func (d *instance) repeatedPlan(m *memory, p *detect.Pass, said []sentence, news int) *detect.Finding {
	sentences := p.Additions.Sentences
	words := 0
	for i := range sentences {
		words += len(strings.Fields(sentences[i].Text))
	}
	if words < d.Plan.Words {
		return nil
	}
	m.Planned = p.Turn.Turn
	if news >= p.Turn.Turn || acts(p) {
		return nil
	}
	same, first, turn, deliberate := 0, -1, 0, false
	for i, match := range p.Before.PlanMatches(p.Additions, news, d.Similar) {
		s := &sentences[i]
		deliberates := said[i].marked || said[i].decision != nil
		if match.Turn == 0 || !deliberates && d.Announces.MatchString(s.Text) {
			continue
		}
		deliberate = deliberate || deliberates
		same += len(strings.Fields(s.Text))
		turn = max(turn, match.Turn)
		if first < 0 {
			first = i
		}
	}
	if same == 0 || float64(same) < d.Plan.Share*float64(words) {
		return nil
	}
	if m.learnt(turn, d.terms(sentences[first].Text)) {
		return nil
	}
	f := d.planned(m, p, &sentences[first], turn, 100*same/words)
	if f != nil && !deliberate {
		f.Cap = detect.LogOnly
	}
	return f
}

func (d *instance) planned(m *memory, p *detect.Pass, s *registry.Sentence, turn, share int) *detect.Finding {
	x := &deliberation{kind: asked, segment: s.Segment, offset: s.Offset, length: len(s.Text), text: s.Text, what: s.Text, thinking: s.Thinking, terms: d.terms(s.Text)}
	if len(x.terms) < d.RaisedWords {
		return nil
	}
	q := d.open(m, p, x)
	if q.First == p.Turn.Turn {
		q.First, q.Last = turn, turn
	}
	f := d.recur(p, q, x, repeated)
	if f == nil {
		return nil
	}
	f.Message = fmt.Sprintf("%d%% of this plan repeats that of turn %d, and nothing new came since. Act on it instead of planning it again.", share, turn)
	f.Reason = fmt.Sprintf("%d%% of the words of this turn's plan are in sentences much like those of turn %d, with no error, test result or message since.", share, turn)
	return f
}

// withdrawn reports what is proposed and rejected within one PLAN segment; that is normal
// thinking, so it is only logged.
func (d *instance) withdrawn(p *detect.Pass, said []sentence) []detect.Finding {
	a := p.Additions
	var out []detect.Finding
	for i := range a.Sentences {
		s := &a.Sentences[i]
		next := d.withdrawal(a.Sentences, said, i)
		if next == nil {
			continue
		}
		what, ok := d.proposal(said[i].decision, s)
		if !ok {
			continue
		}
		out = append(out, detect.Finding{
			Subclass: withdrawn, Subject: what, ReworkCost: 1, SelfCorrect: 0.5, Cap: detect.LogOnly,
			Confidence: detect.Lexical(d.Confidence.Withdrawn, s.Thinking),
			Evidence:   []sessionevents.Evidence{detect.At(&p.Turn.Segments[s.Segment], s.Offset, next.Offset+len(next.Text)-s.Offset)},
			Message:    fmt.Sprintf("%s was proposed and rejected in one breath. Leave it and take the next step.", quoted(what)),
			Reason:     fmt.Sprintf("The plan proposes %s and rejects it in the next sentence.", quoted(what)),
		})
	}
	return out
}

// withdrawal returns the sentence that withdraws a proposal of sentence i: itself, or the
// next one of its segment, that rejects or reconsiders.
func (d *instance) withdrawal(sentences []registry.Sentence, said []sentence, i int) *registry.Sentence {
	s := &sentences[i]
	if (said[i].marked || said[i].decision != nil) && d.RejectsInside.MatchString(s.Text) {
		return s
	}
	if i+1 >= len(sentences) || sentences[i+1].Segment != s.Segment {
		return nil
	}
	next := &sentences[i+1]
	masked := prose.Parse(next.Text).Masked
	if said[i+1].flagged || d.Rejects.MatchString(masked) || d.RejectsNamed.MatchString(masked) && d.bothName(s.Text, next.Text) {
		return next
	}
	return nil
}

// bothName reports whether two sentences are about one thing that both name.
func (d *instance) bothName(a, b string) bool {
	terms := d.terms(a)
	return slices.ContainsFunc(d.terms(b), func(term string) bool { return slices.Contains(terms, term) })
}

// proposal returns what a sentence decides on or proposes.
func (d *instance) proposal(decision *registry.Decision, s *registry.Sentence) (string, bool) {
	if decision != nil && decision.Choice != "" {
		return d.subject(decision.Choice), true
	}
	document := prose.Parse(s.Text)
	what, ok := group(d.Proposes, document.Masked, document.Text)
	return d.subject(strings.TrimSpace(what)), ok && d.tells(d.terms(what))
}
