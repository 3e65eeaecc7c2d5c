package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/topics"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn is one turn under evaluation: what it says, what people said before it, what it has
// reported. Each kind of contradiction embeds it.
type turn struct {
	*instance
	*detect.Pass
	memory      *memory
	findings    []detect.Finding
	removedRead bool
	removedText string
	planRead    bool
	planText    string
	usersRead   bool
	userTexts   []sentence
}

// plan is what the turn says, thinking included.
func (t *turn) plan() string {
	if !t.planRead {
		t.planRead = true
		var b strings.Builder
		for i := range t.Pass.Turn.Segments {
			if s := &t.Pass.Turn.Segments[i]; s.Kind == sessionevents.SegmentPlan {
				b.WriteString(s.Text + "\n")
			}
		}
		t.planText = strings.ToLower(b.String())
	}
	return t.planText
}

// removed is the text that the turn removes anywhere: an added line found in it was moved or was
// there before.
func (t *turn) removed() string {
	if !t.removedRead {
		t.removedRead = true
		for i := range t.Pass.Turn.Segments {
			t.removedText += detect.Joined(t.Pass.Turn.Segments[i].Diff.Removed())
		}
	}
	return t.removedText
}

// takenInWords reports whether a sentence of this turn names a choice and takes it.
func (t *turn) takenInWords(choice *topics.Choice) bool {
	return slices.ContainsFunc(t.Additions.Sentences, func(s registry.Sentence) bool {
		return !t.decisions.topics.Hedged(s.Text) && slices.ContainsFunc(t.decisions.namedIn(s.Text), func(n named) bool {
			return n.choice == choice && !n.rejected
		})
	})
}

// segment is the turn's segment of an index, nil if it is out of range.
func (t *turn) segment(index int) *sessionevents.Segment {
	if index < 0 || index >= len(t.Pass.Turn.Segments) {
		return nil
	}
	return &t.Pass.Turn.Segments[index]
}

// commandLines are the commands that a call of the shell runs, each on one line
// without what wraps it.
func (t *turn) commandLines(s *sessionevents.Segment) []string {
	if s.Tool == nil || s.Tool.Canonical != sessionevents.ToolShell || s.Rejected {
		return nil
	}
	return t.lines(s.Tool.Command)
}

func (d *instance) lines(command string) []string {
	var out []string
	for _, i := range d.commands.Invocations(command) {
		out = append(out, strings.Join(append([]string{i.Name}, i.Args...), " "))
	}
	return out
}

// sentence is a user's sentence with its words.
type sentence struct {
	text  string // lower case
	words []string
}

// users are the user's sentences so far, this turn's included.
func (t *turn) users() []sentence {
	if t.usersRead {
		return t.userTexts
	}
	t.usersRead = true
	b := t.Baseline()
	texts := []string{b.Task}
	for _, r := range b.Requests {
		texts = append(texts, r.Text)
	}
	texts = append(texts, b.Constraints...)
	for _, text := range texts {
		for _, s := range prose.Sentences(text) {
			lower := strings.ToLower(s.Text)
			t.userTexts = append(t.userTexts, sentence{lower, stemmed(lower)})
		}
	}
	return t.userTexts
}

func stemmed(text string) []string {
	words := similarity.Words(text)
	for i, w := range words {
		words[i] = similarity.Stem(w)
	}
	return words
}

// names reports whether a sentence names a thing: all of its words, in order.
func (s *sentence) names(thing string) bool {
	run := stemmed(strings.ToLower(thing))
	for i := 0; len(run) > 0 && i+len(run) <= len(s.words); i++ {
		if slices.Equal(s.words[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

// asked reports whether the user asked for the thing by name (SW-42): a sentence
// that orders it, with no negation before its name. The rule itself orders nothing.
func (t *turn) asked(thing, rule string) bool {
	for _, s := range t.users() {
		if s.text == rule || !s.names(thing) || !t.request.MatchString(s.text) {
			continue
		}
		at := strings.Index(s.text, strings.ToLower(thing))
		if at < 0 {
			at = len(s.text)
		}
		before := strings.Fields(s.text[:at])
		near := strings.Join(before[max(0, len(before)-t.NegationWords):], " ")
		if !t.negation.MatchString(near) {
			return true
		}
	}
	return false
}

// changing reports whether the task changes the pattern: a user's sentence with
// such a verb names one of the things, or the job they do.
func (t *turn) changing(names []string, rule string) bool {
	for _, s := range t.users() {
		verb := t.change.FindStringIndex(s.text)
		if verb == nil || s.text == rule || t.negation.MatchString(s.text[:verb[1]]) {
			continue
		}
		if slices.ContainsFunc(names, func(name string) bool { return name != "" && s.names(name) }) {
			return true
		}
	}
	return false
}

// reasoned reports whether the agent gives a reason: a sentence of this turn
// that names one of the things and says why.
func (t *turn) reasoned(names []string) bool {
	if !slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.Contains(t.plan(), strings.ToLower(name)) }) {
		return false
	}
	return slices.ContainsFunc(t.Additions.Sentences, func(s registry.Sentence) bool {
		lower := strings.ToLower(s.Text)
		named := slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.Contains(lower, strings.ToLower(name)) })
		return named && t.Reasons.MatchString(s.Text)
	})
}

// knows reports whether the agent named a thing, now or before, or read a file
// of that name.
func (t *turn) knows(established string) bool {
	if established == "" {
		return false
	}
	if strings.Contains(t.plan(), strings.ToLower(established)) || slices.Contains(t.memory.Named, established) {
		return true
	}
	module := strings.ToLower(lastPart(established))
	for _, read := range t.Before.FilesRead() {
		if strings.EqualFold(lastPart(read.Path), module) {
			return true
		}
	}
	for _, read := range t.Additions.FilesRead {
		if strings.EqualFold(lastPart(read.Item.Path), module) {
			return true
		}
	}
	return false
}

func (t *turn) readFile(file string) bool {
	return file != "" && (len(t.Before.Reads(file)) > 0 ||
		slices.ContainsFunc(t.Additions.FilesRead, func(r registry.SegmentItem[registry.FileRead]) bool { return registry.SameFile(r.Item.Path, file) }))
}

// knownFiles are the files of the codebase index, else those read.
func (t *turn) knownFiles() []string {
	if files := t.Before.CodebaseFiles(); len(files) > 0 {
		return files
	}
	var files []string
	for _, read := range t.Before.FilesRead() {
		files = append(files, read.Path)
	}
	return files
}

func (t *turn) made(file string) bool { return slices.Contains(t.memory.Made, hashOf(file)) }

// contradiction is a candidate on its way to becoming a finding.
type contradiction struct {
	subclass    string
	thing       string // what is used, added or changed: the subject
	established string // what it contradicts
	rule        string // its words, where someone stated it
	cost        int
	confidence  float64
	known       bool // the agent read or named what is established
	logOnly     bool
	planned     bool // rests on words alone: code that does it is a finding of its own
	inferred    bool
	request     bool                   // a person asked for it: a reason of the agent's own does not excuse it
	lexical     *sessionevents.Segment // the PLAN it was said in
	evidence    sessionevents.Evidence
	message     string
	reason      string
}

// report makes a finding of a contradiction unless it was signaled before; the
// validators that look at the task and the plan have their say here.
func (t *turn) report(c contradiction) {
	key := c.subclass + " " + c.thing
	if slices.Contains(t.memory.Told, key) {
		return
	}
	if c.planned {
		key = "plan " + c.thing
		told := func(k string) bool { return strings.HasSuffix(k, " "+c.thing) }
		if slices.ContainsFunc(t.memory.Told, told) {
			return
		}
	}
	f := detect.Finding{
		Subclass: c.subclass, Subject: c.thing, Confidence: c.confidence, ReworkCost: c.cost, SelfCorrect: unknownCorrects,
		Evidence: []sessionevents.Evidence{c.evidence}, Message: c.message, Reason: c.reason,
	}
	if c.known {
		f.SelfCorrect = knownCorrects
	}
	if c.lexical != nil {
		f.Confidence = detect.Lexical(f.Confidence, c.lexical.Thinking)
	}
	if c.inferred {
		f.Cap = queueCap
	}
	names := []string{c.thing, c.established}
	switch {
	case t.asked(c.thing, strings.ToLower(c.rule)):
		f.Suppressed = detect.UserDirected
	case c.logOnly || c.planned || !c.request && (t.changing(names, strings.ToLower(c.rule)) || t.reasoned(names)):
		f.Cap = detect.LogOnly
	}
	t.memory.Told = detect.Once(t.memory.Told, key, t.Limits.Told)
	t.findings = append(t.findings, f)
}

// quoteOf is evidence for a sentence of a PLAN, which folding may have changed.
func quoteOf(s *sessionevents.Segment, sentence string) sessionevents.Evidence {
	text := detect.Text(s)
	if at := strings.Index(text, sentence); at >= 0 {
		return detect.At(s, at, len(sentence))
	}
	return detect.Whole(s)
}

// below reports whether a file is in a folder; "." holds all.
func below(file, dir string) bool {
	return dir == "." || dir == "" || strings.HasPrefix(file, dir+"/")
}

// at is a file with the number of its line where it is known: "a.go:12".
func at(e *sessionevents.Evidence) string {
	return quote.Place(e.Path, e.Line)
}
