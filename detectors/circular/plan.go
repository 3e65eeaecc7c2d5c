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

// plans are what a turn plans.
type plans struct{ *turn }

// repeated reports a plan that largely repeats earlier ones although there was no
// news at all since the turn called news. It counts as a recurrence if one of the
// repeated sentences deliberates; otherwise it is only logged.
func (l *plans) repeated(news int) *detect.Finding {
	sentences := l.Additions.Sentences
	words := 0
	for i := range sentences {
		words += len(strings.Fields(sentences[i].Text))
	}
	if words < l.Plan.Words {
		return nil
	}
	l.memory.Planned = l.Turn.Turn
	if news >= l.Turn.Turn || acts(l.Pass) {
		return nil
	}
	same, first, turn, deliberate := 0, -1, 0, false
	for i, match := range l.Before.PlanMatches(l.Additions, news, l.Similar) {
		s := &sentences[i]
		deliberates := l.said[i].marked || l.said[i].decision != nil
		if match.Turn == 0 || !deliberates && l.Announces.MatchString(s.Text) {
			continue
		}
		deliberate = deliberate || deliberates
		same += len(strings.Fields(s.Text))
		turn = max(turn, match.Turn)
		if first < 0 {
			first = i
		}
	}
	if same == 0 || float64(same) < l.Plan.Share*float64(words) {
		return nil
	}
	if l.memory.learnt(turn, l.terms(sentences[first].Text)) {
		return nil
	}
	f := l.planned(&sentences[first], turn, 100*same/words)
	if f != nil && !deliberate {
		f.Cap = detect.LogOnly
	}
	return f
}

func (l *plans) planned(s *registry.Sentence, turn, share int) *detect.Finding {
	x := &deliberation{kind: asked, segment: s.Segment, offset: s.Offset, length: len(s.Text), text: s.Text, what: s.Text, thinking: s.Thinking, terms: l.terms(s.Text)}
	if len(x.terms) < l.RaisedWords {
		return nil
	}
	q := (&questions{l.turn}).open(x)
	if q.First == l.Turn.Turn {
		q.First, q.Last = turn, turn
	}
	f := (&questions{l.turn}).recur(q, x, repeated)
	if f == nil {
		return nil
	}
	f.Message = fmt.Sprintf("%d%% of this plan repeats that of turn %d, and nothing new came since. Act on it instead of planning it again.", share, turn)
	f.Reason = fmt.Sprintf("%d%% of the words of this turn's plan are in sentences much like those of turn %d, with no error, test result or message since.", share, turn)
	return f
}

// withdrawn reports what is proposed and rejected within one PLAN segment; that is normal
// thinking, so it is only logged.
func (l *plans) withdrawn() []detect.Finding {
	a := l.Additions
	var out []detect.Finding
	for i := range a.Sentences {
		s := &a.Sentences[i]
		next := l.withdrawal(a.Sentences, i)
		if next == nil {
			continue
		}
		what, ok := l.proposal(l.said[i].decision, s)
		if !ok {
			continue
		}
		out = append(out, detect.Finding{
			Subclass: withdrawn, Subject: what, ReworkCost: 1, SelfCorrect: 0.5, Cap: detect.LogOnly,
			Confidence: detect.Lexical(l.Confidence.Withdrawn, s.Thinking),
			Evidence:   []sessionevents.Evidence{detect.At(&l.Turn.Segments[s.Segment], s.Offset, next.Offset+len(next.Text)-s.Offset)},
			Message:    fmt.Sprintf("%s was proposed and rejected in one breath. Leave it and take the next step.", quoted(what)),
			Reason:     fmt.Sprintf("The plan proposes %s and rejects it in the next sentence.", quoted(what)),
		})
	}
	return out
}

// withdrawal returns the sentence that withdraws a proposal of sentence i: itself, or the
// next one of its segment, that rejects or reconsiders.
func (l *plans) withdrawal(sentences []registry.Sentence, i int) *registry.Sentence {
	s := &sentences[i]
	if (l.said[i].marked || l.said[i].decision != nil) && l.RejectsInside.MatchString(s.Text) {
		return s
	}
	if i+1 >= len(sentences) || sentences[i+1].Segment != s.Segment {
		return nil
	}
	next := &sentences[i+1]
	masked := prose.Parse(next.Text).Masked
	if l.said[i+1].flagged || l.Rejects.MatchString(masked) || l.RejectsNamed.MatchString(masked) && l.bothName(s.Text, next.Text) {
		return next
	}
	return nil
}

// bothName reports whether two sentences are about one thing that both name.
func (l *plans) bothName(a, b string) bool {
	terms := l.terms(a)
	return slices.ContainsFunc(l.terms(b), func(term string) bool { return slices.Contains(terms, term) })
}

// proposal returns what a sentence decides on or proposes.
func (l *plans) proposal(decision *registry.Decision, s *registry.Sentence) (string, bool) {
	if decision != nil && decision.Choice != "" {
		return l.subject(decision.Choice), true
	}
	document := prose.Parse(s.Text)
	what, ok := group(l.Proposes, document.Masked, document.Text)
	return l.subject(strings.TrimSpace(what)), ok && l.tells(l.terms(what))
}
