package circular

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// news is what a turn brings that questions and causes did not know.
type news struct{ *turn }

// note records what is new in a segment: an error, a test result or a person's message
// that names a question's terms, or the first read of a file that a question names.
func (n *news) note(s *sessionevents.Segment) {
	switch {
	case s.Kind == sessionevents.SegmentUser:
		n.memory.News = n.Turn.Turn
		n.heard(s.Text)
	case s.Kind == sessionevents.SegmentError, s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, n.tests):
		n.memory.News = n.Turn.Turn
		n.showed(s)
	case s.Tool != nil:
		n.found(s)
	}
	for _, a := range s.Accesses {
		if a.Kind == sessionevents.AccessRead && !s.Rejected && len(n.Before.Reads(a.Target)) == 0 {
			n.memory.News = n.Turn.Turn
			file := prose.Terms(base(a.Target))
			n.memory.inform(func(q *question) bool { return subset(file, q.Terms) })
		}
	}
}

func (d *instance) tests(effect string) bool { return slices.Contains(d.Tests, effect) }

// heard records a person's message: its terms, its answer to the previous turn's question, its
// doubts.
func (n *news) heard(text string) {
	if len(n.memory.Questions) == 0 {
		return
	}
	lower := strings.ToLower(text)
	all := n.Doubts.MatchString(text)
	answer := len(prose.Terms(text)) > 0
	n.memory.inform(func(q *question) bool {
		return all || answer && q.Last >= n.Turn.Turn-1 || n.names(lower, q)
	})
}

// showed records an error or a test result.
func (n *news) showed(s *sessionevents.Segment) {
	if len(n.memory.Questions) == 0 && len(n.memory.Findings) == 0 {
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
	n.memory.inform(func(q *question) bool { return n.names(lower, q) })
	n.memory.informFindings(func(f *cause) bool { return n.shares(lower, f.Terms, f.Names) })
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
