package ledger

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// digest reads one turn in order: each claim is judged by what precedes it.
type digest struct {
	*evidence
	sentences map[int][]registry.Sentence
}

// Digest returns what a turn adds to a ledger, without changing the ledger.
func (c *Config) Digest(l *Ledger, t *sessionevents.TurnSegmented, r *registry.Registry, additions *registry.Turn) *Turn {
	next := *l
	d := &digest{
		evidence:  &evidence{c: c, t: t, registry: r, l: &next, out: &Turn{Before: l, After: &next}},
		sentences: map[int][]registry.Sentence{},
	}
	next.Joined = l.Joined || l.Asked.Zero() && l.Acted.Zero() && t.Turn > 1
	if t.Unread() {
		next.Unread = Place{Turn: t.Turn}
	}
	next.Checks, next.Files = slices.Clone(l.Checks), slices.Clone(l.Files)
	next.Claims, next.Troubles, next.Promises = slices.Clip(l.Claims), slices.Clone(l.Troubles), slices.Clone(l.Promises)
	next.Symbols, next.Looked, next.Acts = slices.Clone(l.Symbols), slices.Clip(l.Looked), slices.Clip(l.Acts)
	for i, s := range additions.Sentences {
		if i >= c.Limits.Sentences {
			break
		}
		d.sentences[s.Segment] = append(d.sentences[s.Segment], s)
	}
	if t.Continuity != nil && t.Continuity.Fork {
		next.Troubles = nil
	}
	d.survey()
	promiseReader{d}.attend()
	for i := range t.Segments {
		d.segment(&t.Segments[i])
	}
	promiseReader{d}.attend()
	d.standing()
	d.outlive()
	if d.out.Final {
		next.Answered = t.Turn
	}
	d.bound()
	return d.out
}

// survey reads the turn as a whole: whether it ends the response, and how the primary
// qualifies its claims.
func (d *digest) survey() {
	tools, said := false, false
	for i := range d.t.Segments {
		s := &d.t.Segments[i]
		switch {
		case s.Tool != nil:
			tools = true
			d.out.Final = d.out.Final || d.finishes(s)
			d.qualifies(callText(s))
		case s.Kind == sessionevents.SegmentPlan && !s.Thinking:
			said = true
			d.qualifies(s.Text)
		}
		if s.Kind == sessionevents.SegmentPlan && d.out.Conceals == "" {
			d.conceals(s.Index)
		}
	}
	if d.out.Final = d.out.Final || said && !tools; d.out.Final {
		d.qualify()
	}
}

func (d *digest) qualifies(text string) {
	if text == "" {
		return
	}
	d.out.text += "\n" + text
}

func (d *digest) conceals(segment int) {
	for _, s := range d.sentences[segment] {
		if d.c.Conceals.MatchString(s.Text) && d.c.Concealed.MatchString(s.Text) && !d.c.Secret.MatchString(s.Text) {
			d.out.Conceals, d.out.ConcealsAt = d.shorten(s.Text), segment
			return
		}
	}
}

func (d *digest) segment(s *sessionevents.Segment) {
	at := d.place(s)
	switch s.Kind {
	case sessionevents.SegmentUser:
		d.message(s, at)
		return
	case sessionevents.SegmentPlan:
		if !s.Thinking {
			if d.c.Explains.MatchString(s.Text) {
				d.l.Explained = at
			}
			promiseReader{d}.planned(s.Text, sessionevents.PromiseTodo, at)
			for _, sentence := range d.sentences[s.Index] {
				d.claim(sentence.Text, s.Index, sentence.Offset)
			}
		}
		return
	}
	if s.Rejected || s.Proposed {
		return
	}
	if len(s.Todo) > 0 {
		promiseReader{d}.todo(s, at)
	}
	aparts{d}.note(s)
	checkReader{d}.checks(s, at)
	changeReader{d}.mutations(s, at)
	changeReader{d}.symbols(s, at)
	changeReader{d}.edited(s)
	d.variables(s, at)
	d.call(s, at)
}

func (d *digest) place(s *sessionevents.Segment) Place { return Place{d.t.Turn, s.Index} }

// message reads a person's message.
func (d *digest) message(s *sessionevents.Segment, at Place) {
	text := s.Text
	if strings.TrimSpace(text) == "" {
		return
	}
	d.l.Asked, d.l.NoChecks = at, d.c.NoChecks.MatchString(text)
	if often := d.c.comesAndGoes(text); often || d.c.Reports.MatchString(text) {
		d.l.Reported, d.l.Blamed, d.l.Intermittent = at, d.c.blamed(text), often
	}
	d.heard(at)
	promiseReader{d}.requests(text, at)
	promiseReader{d}.planned(text, sessionevents.PromiseTodo, at)
}

// call reads the words and effects of a call besides its checks and writes.
func (d *digest) call(s *sessionevents.Segment, at Place) {
	if s.Kind == sessionevents.SegmentError && s.Tool != nil && slices.ContainsFunc(effectKinds, func(k effectKind) bool { return slices.Contains(s.Tool.Effects, k.effect) }) {
		d.l.Failing = at
	}
	if s.Kind == sessionevents.SegmentError && s.Tool != nil && s.Tool.Canonical == sessionevents.ToolShell {
		d.l.Vain = at
	}
	if s.Tool == nil || s.Kind == sessionevents.SegmentError {
		return
	}
	checkReader{d}.shows(s, at)
	d.acts(s, at)
	switch s.Tool.Canonical {
	case sessionevents.ToolShell:
		d.l.Shell = true
		checkReader{d}.runs(s, at)
	case sessionevents.ToolAgent:
		d.delegated(s, at)
	}
	d.fabricates(s)
	if d.handsOver(s) {
		for _, sentence := range sentencesOf(callText(s)) {
			if strings.Count(sentence, " ") > 1 {
				d.claim(sentence, s.Index, 0)
			}
		}
	}
}

// delegated notes that a subagent worked, unless it only says what it is going to do, or was only launched.
func (d *digest) delegated(s *sessionevents.Segment, at Place) {
	d.heard(at)
	output := ""
	if s.Result != nil {
		output = s.Result.Head + "\n" + s.Result.Tail
	}
	switch {
	case output != "" && d.c.Launches.MatchString(output):
		d.l.Launched = at
	case output == "" || !d.c.reader.Announces(output):
		d.l.Delegated = at
	default:
		d.l.Announced = at
	}
}

// heard takes a subagent in the background for one that has worked: what a person or a tool says since may be its
// report.
func (d *digest) heard(at Place) {
	if !d.l.Launched.Zero() {
		d.l.Delegated, d.l.Launched = at, Place{}
	}
}

func (d *digest) shorten(s string) string { return text.Cut(text.Line(s), d.c.Limits.TextBytes) }

func (d *digest) bound() {
	limits := d.c.Limits
	d.l.Checks = last(d.l.Checks, limits.Checks, &d.l.Evicted)
	d.l.Files = last(d.l.Files, limits.Files, &d.l.Evicted)
	d.l.Claims = last(d.l.Claims, limits.Claims, &d.l.Evicted)
	d.l.Promises = last(d.l.Promises, limits.Promises, &d.l.Evicted)
	d.l.Troubles = last(d.l.Troubles, limits.Troubles, &d.l.Evicted)
	d.out.Change.Evicted = d.l.Evicted
}

func last[T any](list []T, most int, evicted *int) []T {
	if extra := len(list) - most; extra > 0 {
		*evicted += extra
		return slices.Clone(list[extra:])
	}
	return list
}

// finishes reports whether a call ends the session with a report: a finish tool or command.
func (d *digest) finishes(s *sessionevents.Segment) bool {
	if s.Tool == nil || s.Kind == sessionevents.SegmentError {
		return false
	}
	return slices.Contains(d.c.FinishTools, strings.ToLower(s.Tool.Name)) || s.Tool.Command != "" && d.c.FinishCommands.MatchString(s.Tool.Command)
}

// handsOver reports whether a call describes the work to others: the report that ends a
// session, the message of a commit, the text of a pull request.
func (d *digest) handsOver(s *sessionevents.Segment) bool {
	return d.finishes(s) || s.Tool != nil && s.Kind != sessionevents.SegmentError && s.Tool.Command != "" && d.c.HandsOver.MatchString(s.Tool.Command)
}

// callText returns the text of a call: the texts of its input, or its command line.
func callText(s *sessionevents.Segment) string {
	if s.Tool == nil {
		return ""
	}
	if s.Tool.Command != "" {
		return commitText(s.Tool.Command)
	}
	var fields map[string]any
	if s.Tool.Canonical != sessionevents.ToolOther || json.Unmarshal(s.Tool.Input, &fields) != nil {
		return ""
	}
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if text, ok := fields[key].(string); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// commitText returns the message within the command line of a commit or pull request: the
// text in quotes or in a here-document.
func commitText(command string) string {
	for _, mark := range []string{"EOF", "-m ", "-am ", "--message", "--body ", "-b "} {
		if _, after, ok := strings.Cut(command, mark); ok {
			return strings.Trim(after, "'\"=\n )")
		}
	}
	return ""
}

func sentencesOf(text string) []string {
	var out []string
	for _, s := range prose.Sentences(text) {
		out = append(out, s.Text)
	}
	return out
}

// fabricates records a call that itself prints or writes the output of a check.
func (d *digest) fabricates(s *sessionevents.Segment) {
	if s.Rejected || s.Proposed || s.Tool == nil {
		return
	}
	text := ""
	switch command := strings.TrimSpace(s.Tool.Command); {
	case strings.HasPrefix(command, "echo ") || strings.HasPrefix(command, "printf "):
		if !strings.ContainsAny(command, ";|&$`") {
			text = command
		}
	case s.Kind == sessionevents.SegmentDiff && d.c.Logs.MatchString(s.Path) && s.Diff != nil && !s.Diff.Failed:
		for _, l := range s.Diff.Added() {
			text += l.Text + "\n"
		}
	}
	if m := d.c.Printed.FindString(text); m != "" && d.out.Printed == "" {
		d.out.Printed, d.out.PrintedAt = d.shorten(strings.TrimSpace(text)), s.Index
	}
}
