package circular

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// note records what is new in a segment: an error, a test result or a person's message
// that names a question's terms, or the first read of a file that a question names.
func (d *instance) note(m *memory, p *detect.Pass, s *sessionevents.Segment) {
	switch {
	case s.Kind == sessionevents.SegmentUser:
		m.News = p.Turn.Turn
		d.heard(m, p, s.Text)
	case s.Kind == sessionevents.SegmentError, s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, d.tests):
		m.News = p.Turn.Turn
		d.showed(m, s)
	case s.Tool != nil:
		d.found(m, p, s)
	}
	for _, a := range s.Accesses {
		if a.Kind == sessionevents.AccessRead && !s.Rejected && len(p.Before.Reads(a.Target)) == 0 {
			m.News = p.Turn.Turn
			file := prose.Terms(base(a.Target))
			m.inform(func(q *question) bool { return subset(file, q.Terms) })
		}
	}
}

func (d *instance) tests(effect string) bool { return slices.Contains(d.Tests, effect) }

// heard records a person's message: its terms, its answer to the previous turn's question, its
// doubts.
func (d *instance) heard(m *memory, p *detect.Pass, text string) {
	if len(m.Questions) == 0 {
		return
	}
	lower := strings.ToLower(text)
	all := d.Doubts.MatchString(text)
	answer := len(prose.Terms(text)) > 0
	m.inform(func(q *question) bool {
		return all || answer && q.Last >= p.Turn.Turn-1 || d.names(lower, q)
	})
}

// showed records an error or a test result.
func (d *instance) showed(m *memory, s *sessionevents.Segment) {
	if len(m.Questions) == 0 && len(m.Findings) == 0 {
		return
	}
	text := s.Text
	if s.Error != nil {
		text += "\n" + s.Error.Signature
	}
	if s.Result != nil {
		text += "\n" + s.Result.Head + "\n" + s.Result.Tail
	}
	if s.Tool != nil {
		text += "\n" + s.Tool.Command
	}
	lower := strings.ToLower(text)
	m.inform(func(q *question) bool { return d.names(lower, q) })
	m.informFindings(func(f *cause) bool { return d.shares(lower, f.Terms, f.Names) })
}

// names reports whether a text in lower case contains one of a question's words.
func (d *instance) names(lower string, q *question) bool {
	return !q.Informed && slices.ContainsFunc(q.Terms, func(w string) bool {
		return !d.general[w] && strings.Contains(lower, w)
	})
}

// base returns a file's name without its extension.
func base(target string) string {
	name := target[strings.LastIndexByte(target, '/')+1:]
	if at := strings.IndexByte(name, '.'); at > 0 {
		name = name[:at]
	}
	return name
}
