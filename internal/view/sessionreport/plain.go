package sessionreport

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	maxSmaller = 6 // findings that were not said
	maxShown   = 5 // claims that the record does not show
)

// RenderPlain writes the report for a person at a terminal of so many columns (0 or less: lines are not
// wrapped): what happened and what to do, in words (CO-9b). How it was decided, counts and coverage are
// in [RenderText]. A nil style is plain.
func RenderPlain(w io.Writer, m Model, width int, style page.Style) error {
	s := &screen{page.NewScreen(width, style)}
	s.Line("", "SCAFFOLD-WATCH SESSION REPORT", s.Style.Heading)
	s.Line("", called(m), s.Style.Muted)
	if m.Session.Task != "" {
		s.Line("", "Task: "+passage(m.Session.Task), asIs)
	}
	happened := m.Happened()
	if len(happened) == 0 {
		happened = []string{foundOrGap(m)}
	}
	s.part("What happened", happened)
	s.opinions(m)
	s.next(m.ToDo())
	s.prevented(m.Prevented)
	s.said(m)
	s.halts(m.Halts)
	s.forRun(m.ForRun)
	s.part(subagentsTitle, subagentLines(m))
	s.claims(m)
	s.part("Seen and not said", smaller(m))
	s.part("What it changed", m.Leaves())
	s.part("For the next session", m.Advice)
	s.part("Not watched", gaps(m.Coverage))
	s.WriteByte('\n')
	s.Line("", "--explain shows how it was decided, what was counted and what was watched.", s.Style.Muted)
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("write the report of session %s: %w", m.Session.ID, err)
	}
	return nil
}

// foundOrGap says that nothing was found, unless nothing was watched.
func foundOrGap(m Model) string {
	if !m.Coverage.whole() {
		return notWatched(m.Coverage)
	}
	return Nothing
}

// called names a session for a person: what it is called, by whom, how long.
func called(m Model) string {
	id := m.Session.ID
	if naming.Opaque(id) {
		id = naming.Short([]string{id})[id]
	}
	text := "Session " + id
	if project := naming.Project(m.Session.Workspace); project != "" {
		text += " in " + project
	}
	if a := m.Session.Agent; a != nil && a.Kind != "" {
		text += ", " + a.Kind
		if a.Model != "" {
			text += " with " + a.Model
		}
	}
	text += ", " + page.Plural(m.Turns, "turn", "turns")
	if !m.Session.Closed {
		text += ", still open"
	}
	return text
}

// next lists what a person can do.
func (s *screen) next(list []Next) {
	if len(list) == 0 {
		return
	}
	s.Heading("What to do")
	for _, n := range list {
		s.Line("  • ", n.Text, asIs)
		if n.Command != "" {
			s.Line("      ", n.Command, s.Style.Good)
		}
	}
}

// said lists what the agent was told, or would have been.
func (s *screen) said(m Model) {
	if len(m.Interrupts) == 0 {
		return
	}
	title := "What it was told"
	if !m.delivered() {
		title = "What it would have been told"
	}
	s.Heading(title)
	for i := range m.Interrupts {
		f := &m.Interrupts[i]
		look := s.Style.Urgent
		if f.FromQueue {
			look = asIs
		}
		s.Line("  ", fmt.Sprintf("Turn %d: %s", f.Turn, m.title(f.Detector)), look)
		s.Line("    ", f.Message, asIs)
		evidence, about := m.restsOn(*f)
		for _, e := range evidence {
			if text := brief(e.Quote); text != "" {
				s.Line("    ", fmt.Sprintf("turn %d: %s", about.Turn, quote.Passage(e.Quote)), s.Style.Muted)
				break
			}
		}
		if text, good := reacted(f); text != "" {
			look := s.Style.Muted
			if good {
				look = s.Style.Good
			}
			s.Line("    ", text, look)
		}
	}
}

// reacted is what became of what was said, "" where that is not known.
func reacted(f *Fired) (text string, good bool) {
	switch {
	case f.Dismissed:
		return "A person said: a false alarm.", false
	case len(f.Deliveries) == 0:
		return "", false
	case f.Heed == "heeded":
		return "The agent reacted.", true
	case f.Heed == "ignored":
		return "The agent did not react.", false
	}
	return "", false
}

// claims lists what the record does not show of what the agent claimed at the end of its responses.
func (s *screen) claims(m Model) {
	if m.Done == nil {
		return
	}
	shown, left := 0, 0
	for i := range m.Done.Claims {
		c := &m.Done.Claims[i]
		if !c.Final || c.Verdict != sessionevents.Contradicted && c.Verdict != sessionevents.Unproven {
			continue
		}
		if shown == maxShown {
			left++
			continue
		}
		if shown == 0 {
			s.Heading("Claimed, and not shown by the record")
		}
		shown++
		verdict, look := "without evidence", asIs
		if c.Verdict == sessionevents.Contradicted {
			verdict, look = "contradicted", s.Style.Urgent
		}
		s.Line("  ", fmt.Sprintf("Turn %d, %s: %s", c.Turn, verdict, quote.Line(c.Text)), look)
		if c.Why != "" {
			s.Line("    ", c.Why, s.Style.Muted)
		}
	}
	if left > 0 {
		s.Line("  ", page.Plural(left, "more claim", "more claims")+": scaffoldwatch done", s.Style.Muted)
	}
}

// claimsDetector finds claims without proof, which have a part of their own.
const claimsDetector = "E1"

// smaller lists findings that were not said, the most urgent first, each once.
func smaller(m Model) (list []string) {
	var all []Finding
	known := map[string]bool{}
	for _, group := range [][]Finding{m.NotSent, m.Pending, m.Logged, m.Suppressed} {
		for _, f := range group {
			if text := described(f); !known[text] && (f.Detector != claimsDetector || m.Done == nil) {
				known[text] = true
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(
		all,
		func(a, b Finding) int { return cmp.Or(cmp.Compare(b.Urgency, a.Urgency), cmp.Compare(a.Turn, b.Turn)) },
	)
	for i, f := range all {
		if i == maxSmaller {
			list = append(list, page.Plural(len(all)-i, "more", "more"))
			break
		}
		list = append(list, fmt.Sprintf("Turn %d: %s", f.Turn, described(f)))
	}
	if n := len(m.Corrected); n > 0 {
		list = append(list, page.Plural(n, "thing", "things")+" that the agent put right by itself")
	}
	return list
}

// gaps are what silence does not cover, in words; none where all was watched.
func gaps(c Coverage) (list []string) {
	if c.Received > 0 && !c.whole() {
		list = append(list, notWatched(c))
	}
	for _, f := range c.Failed {
		list = append(list, fmt.Sprintf("Turn %d: %s", f.Turn, f.Why))
	}
	list = append(list, refusedText(c)...)
	if c.NoBaseline > 0 {
		list = append(list, "What was asked for is not known in "+page.Plural(c.NoBaseline, "turn", "turns")+".")
	}
	if len(c.Unsupported) > 0 {
		list = append(list, "Languages and formats that are not read: "+unsupportedText(c)+".")
	}
	return append(append(list, unreadText(c)...), c.Rules...)
}
