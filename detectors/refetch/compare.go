package refetch

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// compare reports the first retrieval of a call whose result is already known, and
// records all of them.
func (d *instance) compare(m *memory, p *detect.Pass, s *sessionevents.Segment) *detect.Finding {
	now := d.retrievals(p, s)
	var finding *detect.Finding
	repeated := 0
	for i := range now {
		now[i].Compactions = m.Compactions
		earlier, confidence := d.find(m, &now[i])
		if earlier == nil {
			continue
		}
		repeated++
		if finding == nil {
			finding = d.finding(s, earlier, &now[i], confidence)
		}
	}
	m.remember(now)
	if repeated < len(now) || finding != nil && finding.Confidence == d.config.Confidence.Covered && d.aboutToEdit(p, s) {
		return nil // the call also retrieved something new, or shows what is edited next
	}
	return finding
}

// aboutToEdit reports whether the plan before the read ends with an edit, for which its
// lines are needed.
func (d *instance) aboutToEdit(p *detect.Pass, s *sessionevents.Segment) bool {
	for i := s.Index - 1; i >= 0; i-- {
		if p.Turn.Segments[i].Kind != sessionevents.SegmentPlan {
			continue
		}
		sentences := prose.Sentences(p.Turn.Segments[i].Text)
		return slices.ContainsFunc(sentences[max(0, len(sentences)-2):], func(x prose.Sentence) bool { return d.config.Editing.MatchString(x.Text) })
	}
	return false
}

// remember adds retrievals, each replacing an earlier equal one.
func (m *memory) remember(now []retrieval) {
	for _, r := range now {
		for i := range m.Seen {
			if same(&m.Seen[i], &r) {
				m.Seen = append(m.Seen[:i], m.Seen[i+1:]...)
				break
			}
		}
		m.Seen = append(m.Seen, r)
	}
}

// find returns the newest earlier retrieval that makes now unnecessary, with the
// confidence.
func (d *instance) find(m *memory, now *retrieval) (*retrieval, float64) {
	for i := len(m.Seen) - 1; i >= 0; i-- {
		earlier := &m.Seen[i]
		if now.Turn-earlier.Turn > d.config.LogTurns {
			continue
		}
		if same(earlier, now) {
			switch {
			case agrees(earlier, now), now.Unchanged:
				return earlier, d.config.Confidence.Identical
			case (alike(earlier, now) || confirms(earlier, now)) && (earlier.Numbered || !now.Numbered):
				return earlier, d.config.Confidence.Covered
			}
			return nil, 0 // a different result is progress
		}
		if (covers(earlier, now) || confirms(earlier, now)) && (earlier.Numbered || !now.Numbered) {
			return earlier, d.config.Confidence.Covered
		}
	}
	return nil, 0
}

func (d *instance) finding(s *sessionevents.Segment, earlier, now *retrieval, confidence float64) *detect.Finding {
	e := detect.Whole(s)
	e.Path = now.Target
	e.ConflictsWith = &sessionevents.EarlierEvent{Turn: earlier.Turn, Path: earlier.Target, What: string(earlier.Kind) + " " + brief(earlier.subject()) + earlier.lines()}
	f := &detect.Finding{
		Subclass: string(now.Kind), Subject: now.subject(), Confidence: confidence,
		ReworkCost: reworkCost, SelfCorrect: selfCorrect, Evidence: []sessionevents.Evidence{e},
		Message: message(earlier, now),
		Reason: fmt.Sprintf("The %s of turn %d was made again in turn %d and nothing it depends on was written in between.",
			now.Kind, earlier.Turn, now.Turn),
	}
	if now.Turn-earlier.Turn > d.config.WindowTurns || earlier.Compactions != now.Compactions {
		f.Cap = detect.LogOnly
	}
	return f
}

// nouns name each kind of retrieval in a message.
var nouns = map[sessionevents.AccessKind]string{
	sessionevents.AccessRead: "read of", sessionevents.AccessSearch: "search for", sessionevents.AccessList: "listing of", sessionevents.AccessFetch: "fetch of",
	kindGit: "call of",
}

func message(earlier, now *retrieval) string {
	return fmt.Sprintf("The %s %s%s repeats turn %d and nothing it depends on has changed since. Use that result instead of asking again.",
		nouns[now.Kind], shown(now), now.lines(), earlier.Turn)
}

// shown returns what a retrieval is about, for a message.
func shown(r *retrieval) string {
	const words = 8
	switch {
	case r.Query == "":
		return quote.Path(r.Target)
	case r.Target == "":
		return quote.Whole(r.Query, words, "the same")
	}
	return quote.Whole(r.Query, words, "the same") + " in " + quote.Path(r.Target)
}

// brief shortens a subject to what fits into a message: 8 words, 80 characters.
func brief(subject string) string {
	return text.Short(text.Words(subject, 8), 81)
}
