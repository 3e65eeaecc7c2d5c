package console

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turnView is one turn on the page.
type turnView struct {
	Number      int
	Gap, Facts  string
	Acts        []act
	Notes       []note
	Unsaid      []string
	UnsaidTitle string
	// Opinions are a model's answers about what was found here.
	Opinions      []opinion
	OpinionsTitle string
}

// act is one thing that was said or done in a turn.
type act struct {
	Person, Says, Thinking bool
	Text                   string
	Left                   int // characters of Text that are not shown
	Verb, Object, End      string
	Tone                   string
	Lines                  []line
	Output                 string
	Anchor                 string
}

// line is one line of an edit.
type line struct{ Class, Text string }

const (
	saysLimit   = 1500 // characters of what an agent or a person says
	thinkLimit  = 600
	objectLimit = 300 // characters of a command or path
	lineLimit   = 240
	maxLines    = 60 // lines of an edit
	maxActs     = 40 // acts of a turn
)

// turn returns a turn with what was said, done and noted in it.
func (m *Session) turn(t sessionreport.Turn) turnView {
	v := turnView{Number: t.Number, Notes: m.notes(t.Number), Unsaid: m.unsaid(t.Number)}
	switch {
	case t.Missing:
		v.Gap = "not watched: it never came"
	case t.Failed != "":
		v.Gap = "not watched: " + page.Plain(t.Failed)
	}
	if n := len(v.Unsaid); n > 0 {
		v.UnsaidTitle = page.Plural(n, "thing was", "things were") + " seen and not said"
	}
	if v.Opinions = m.opinions(t.Number); len(v.Opinions) > 0 {
		v.OpinionsTitle = opinionsTitle(v.Opinions)
	}
	said := m.Said[t.Number]
	if said == nil {
		if v.Gap == "" { // else it says so
			v.Facts = sessionreport.TurnFacts(t)
		}
		return v
	}
	for i := range said.Segments {
		if len(v.Acts) == maxActs {
			v.Facts = page.Plural(len(said.Segments)-i, "more act") + " of this turn: the full report counts them."
			break
		}
		one := actOf(&said.Segments[i], "turn-"+strconv.Itoa(t.Number)+"-"+strconv.Itoa(i))
		if said.Segments[i].Rejected {
			one.Tone, one.End = toneCare, m.refused(&said.Segments[i])
		}
		v.Acts = append(v.Acts, one)
	}
	return v
}

func actOf(s *sessionevents.Segment, anchor string) act {
	one := act{Anchor: anchor}
	switch s.Kind {
	case sessionevents.SegmentUser:
		one.Person = true
		one.Text, one.Left = passage(s.Text, saysLimit)
	case sessionevents.SegmentPlan:
		one.Says, one.Thinking = !s.Thinking, s.Thinking
		limit := saysLimit
		if s.Thinking {
			limit = thinkLimit
		}
		one.Text, one.Left = passage(s.Text, limit)
	case sessionevents.SegmentDiff:
		one.edit(s)
	case sessionevents.SegmentTodo:
		one.Verb = todoText(s.Todo)
	case sessionevents.SegmentError:
		one.called(s)
		one.Tone, one.End = toneAlarm, "failed"
		if s.Error != nil && s.Error.Signature != "" {
			one.Output = page.Plain(s.Error.Signature)
		}
	default:
		one.called(s)
	}
	return one
}

// refused says who stopped a call. An agent reports a hook's denial as it reports a person's: what the guard
// denied is not put down to the person.
func (m *Session) refused(s *sessionevents.Segment) string {
	if m.Report.Prevented == nil || s.Tool == nil {
		return "the person refused"
	}
	for i := range m.Report.Prevented.Calls {
		c := &m.Report.Prevented.Calls[i]
		if c.Outcome != sessionevents.GuardDenied {
			continue
		}
		same := c.Command != "" && (c.Command == s.Tool.Command || c.Command == s.Path)
		if same || c.Call != "" && c.Call == s.Tool.CallID {
			return "denied"
		}
	}
	return "the person refused"
}

// edit shows a file's edit.
func (a *act) edit(s *sessionevents.Segment) {
	a.Verb, a.Object = "edits", cutLine(s.Path, objectLimit)
	if s.Proposed {
		a.Verb = "proposes"
	}
	d := s.Diff
	if d == nil {
		return
	}
	switch d.Op {
	case sessionevents.DiffCreate:
		a.Verb = "writes"
	case sessionevents.DiffDelete:
		a.Verb = "deletes"
	case sessionevents.DiffRename:
		a.Verb = "renames"
	case sessionevents.DiffUpdate:
	}
	a.End = fmt.Sprintf("+%d −%d", len(d.Added()), len(d.Removed()))
	if d.Failed {
		a.End, a.Tone = "not applied", toneAlarm
	}
	left := d.Truncated
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			if len(a.Lines) == maxLines {
				left++
				continue
			}
			class := ""
			switch {
			case strings.HasPrefix(l, "+"):
				class = "add"
			case strings.HasPrefix(l, "-"):
				class = "del"
			}
			a.Lines = append(a.Lines, line{class, cutText(l, lineLimit)})
		}
	}
	if left > 0 {
		a.Lines = append(a.Lines, line{"soft", page.Plural(left, "more line")})
	}
}

// called shows a tool call and its result.
func (a *act) called(s *sessionevents.Segment) {
	t := s.Tool
	if t == nil {
		a.Verb, a.Object = "says", cutLine(s.Text, objectLimit)
		return
	}
	a.Verb, a.Object = verbOf(t), cutLine(objectOf(s), objectLimit)
	r := s.Result
	if r == nil {
		return
	}
	switch {
	case r.ExitCode != nil && *r.ExitCode != 0:
		a.End, a.Tone = "exit "+strconv.Itoa(*r.ExitCode), toneAlarm
	case r.IsError:
		a.End, a.Tone = "failed", toneAlarm
	}
	a.Output = strings.TrimSpace(r.Head)
	if r.Tail != "" {
		a.Output += "\n…\n" + strings.TrimSpace(r.Tail)
	}
}

var verbs = map[sessionevents.CanonicalTool]string{
	sessionevents.ToolRead: "reads", sessionevents.ToolSearch: "searches", sessionevents.ToolList: "lists", sessionevents.ToolEdit: "edits",
	sessionevents.ToolWrite: "writes", sessionevents.ToolShell: "runs", sessionevents.ToolPoll: "waits for", sessionevents.ToolFetch: "fetches",
	sessionevents.ToolAgent: "starts an agent", sessionevents.ToolAsk: "asks",
}

func verbOf(t *sessionevents.ToolCall) string {
	if verb := verbs[t.Canonical]; verb != "" {
		return verb
	}
	return "uses " + page.Plain(t.Name)
}

// objectOf returns what a call is about: its command, path or query, or else the beginning of its input.
func objectOf(s *sessionevents.Segment) string {
	switch {
	case s.Tool.Command != "":
		return s.Tool.Command
	case len(s.Accesses) > 0 && s.Accesses[0].Query != "":
		return s.Accesses[0].Query + " in " + s.Accesses[0].Target
	case len(s.Accesses) > 0:
		return s.Accesses[0].Target
	case s.Path != "":
		return s.Path
	}
	var input map[string]any
	if json.Unmarshal(s.Tool.Input, &input) == nil {
		for _, name := range []string{"description", "prompt", "question", "query", "url", "file_path", "path", "pattern"} {
			if text, is := input[name].(string); is && text != "" {
				return text
			}
		}
	}
	if text := string(s.Tool.Input); text != "{}" && text != "null" {
		return text
	}
	return ""
}

func todoText(items []sessionevents.TodoItem) string {
	done := 0
	for _, i := range items {
		if i.Status == sessionevents.TodoCompleted {
			done++
		}
	}
	return fmt.Sprintf("has %d of %s done on its list", done, page.Plural(len(items), "thing"))
}

// cutLine returns the beginning of a text on one line.
func cutLine(text string, limit int) string { return cutText(page.Plain(text), limit) }

func cutText(s string, limit int) string { return text.Short(strings.ToValidUTF8(s, ""), limit+1) }

// opinion is a question to a model with its answer, at its place in the timeline (AD-5).
type opinion struct{ What, Tone, Of, Text string }

// opinions returns the opinions of one turn: about its signals, and about new turns that end with it.
func (m *Session) opinions(turn int) (list []opinion) {
	if m.Report.Opinions == nil {
		return nil
	}
	detected := map[string]*sessionreport.Finding{}
	for _, part := range [][]sessionreport.Finding{
		m.Report.NotSent, m.Report.Logged, m.Report.Suppressed, m.Report.Corrected, m.Report.Expired, m.Report.Pending,
		m.Report.Said, m.Report.Coalesced,
	} {
		for i := range part {
			detected[part[i].Signal] = &part[i]
		}
	}
	for _, a := range m.Report.Opinions.Answers {
		at, about := a.Turn, a.About()
		if f := detected[a.Signal]; f != nil {
			at, about = f.Turn, f.Detector+": "+f.Message
		}
		if at != turn {
			continue
		}
		of := a.Model
		if price := a.Price(); price != "" {
			of += ", " + price
		}
		list = append(list, opinion{
			What: verdictOf(a), Tone: opinionTone(a), Of: page.Plain(of),
			Text: cutLine("Asked about "+strings.TrimSuffix(about, ".")+". It says: "+a.Says(), saysLimit),
		})
	}
	return list
}

func verdictOf(a sessionreport.Answer) string {
	switch {
	case a.Void != "":
		return "void"
	case a.Signal == "" && len(a.Findings) > 0:
		return page.Plural(len(a.Findings), "finding")
	case a.Signal == "":
		return "nothing"
	case a.Verdict == sessionevents.OpinionConfirmed && a.Worth == sessionevents.WorthNo:
		return "not worth it"
	}
	return string(a.Verdict)
}

func opinionTone(a sessionreport.Answer) string {
	if a.Void == "" && (a.Verdict == sessionevents.OpinionConfirmed || len(a.Findings) > 0) {
		return toneCare
	}
	return ""
}

// opinionsTitle returns how many there are, and their verdicts.
func opinionsTitle(list []opinion) string {
	text := page.Plural(len(list), "second opinion")
	var names []string
	for _, o := range list {
		if !slices.Contains(names, o.What) {
			names = append(names, o.What)
		}
	}
	for i, name := range names {
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		text += separator + name
	}
	return text
}
