package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/topics"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// edit is an applied DIFF as A2 looks at it.
type edit struct {
	segment   *sessionevents.Segment
	file      string
	ecosystem string
	text      string // added lines
	code      string // … without comments and strings
	codeRead  bool
	exempt    bool
	test      bool
	rewritten bool // a file that was read is rewritten: its old lines look added
}

// edited judges a DIFF.
func (t *turn) edited(s *sessionevents.Segment) {
	if !applied(s) {
		return
	}
	e := &edit{segment: s, file: t.Before.Path(s.Path), ecosystem: families.Ecosystem(s.Language), text: detect.Text(s)}
	e.exempt, e.test = t.exempt(e.file), t.isTest(e.file)
	e.rewritten = s.Diff.Op == sessionevents.DiffCreate && len(t.Before.Reads(e.file)) > 0
	if strings.HasSuffix(e.file, t.ConventionFile) {
		t.learnConventions(e.text)
	}
	if !t.memory.Edited && !t.isScratch(e.file) {
		t.memory.Edited, t.memory.Ran = true, nil
	}
	t.meets(e)
	t.paths(e)
	t.breaksFile(e)
	if kind := manifest.Of(e.file); kind != nil {
		t.dependencies(e, kind)
	} else if s.Diff.Op != sessionevents.DiffDelete && s.Diff.Op != sessionevents.DiffRename {
		t.bypasses(e)
		t.structureOf(e)
	}
	if s.Diff.Op == sessionevents.DiffCreate && !e.rewritten {
		t.memory.Made = bounded(t.memory.Made, hashOf(e.file), t.Limits.Made)
	}
}

// masked is the added code without comments and strings.
func (e *edit) masked() string {
	if !e.codeRead {
		e.codeRead = true
		e.code = syntax.Read(e.segment.Language, e.text).Code()
	}
	return e.code
}

// removed is the text that the turn removes anywhere: an added line found in it was moved or was
// there before.
func (t *turn) removed() string {
	if !t.removedRead {
		t.removedRead = true
		var b strings.Builder
		for i := range t.Pass.Turn.Segments {
			for _, line := range t.Pass.Turn.Segments[i].Diff.Removed() {
				b.WriteString(line.Text)
				b.WriteByte('\n')
			}
		}
		t.removedText = b.String()
	}
	return t.removedText
}

// uses finds where an edit begins to use a target: an import, or a call. The
// length is 0 where it does not.
func (t *turn) uses(e *edit, of target) (offset, length int) {
	if of.member != nil && of.member.Language != e.ecosystem {
		return 0, 0
	}
	for _, module := range e.segment.Imports {
		if t.imports(e.ecosystem, module, of) && !strings.Contains(t.removed(), module) {
			return max(strings.Index(e.text, module), 0), len(module)
		}
	}
	if of.choice != nil {
		return t.shows(e, of.choice)
	}
	calls := []string{of.literal}
	if of.member != nil {
		calls = of.member.Calls
	}
	for _, call := range calls {
		if at := findCall(e.masked(), call, e.ecosystem); at >= 0 && findCall(t.removed(), call, e.ecosystem) < 0 {
			return at, len(call)
		}
	}
	return 0, 0
}

// shows finds where an edit begins to use a topic's choice. A weak mark counts where the turn's words
// name the choice as well; nothing does in files, and beside words, of which the decision does not speak.
func (t *turn) shows(e *edit, choice *topics.Choice) (offset, length int) {
	topic := choice.Topic()
	if !topic.HoldsIn(e.file) || topic.IsAside(t.plan()) {
		return 0, 0
	}
	at, length := choice.Shown(e.text, t.takenInWords(choice))
	if length == 0 {
		return 0, 0
	}
	if _, before := choice.Shown(t.removed(), true); before > 0 {
		return 0, 0
	}
	return at, length
}

// takenInWords reports whether a sentence of this turn names a choice and takes it.
func (t *turn) takenInWords(choice *topics.Choice) bool {
	return slices.ContainsFunc(t.Additions.Sentences, func(s registry.Sentence) bool {
		return !t.decisions.topics.Hedged(s.Text) && slices.ContainsFunc(t.decisions.namedIn(s.Text), func(n named) bool {
			return n.choice == choice && !n.rejected
		})
	})
}

// imports reports whether a module is the target or lies below it.
func (t *turn) imports(ecosystem, module string, of target) bool {
	switch {
	case of.member != nil:
		return slices.Contains(t.libraries.Imported(ecosystem, module), of.member)
	case of.choice != nil:
		return slices.Contains(t.decisions.topics.Imported(module), of.choice)
	case of.module != "":
		top, _, _ := strings.Cut(strings.ToLower(module), "/")
		top, _, _ = strings.Cut(top, ".")
		return top == strings.ToLower(of.module) || strings.EqualFold(lastPart(module), of.module) && strings.Contains(module, "/")
	}
	rest, ok := strings.CutPrefix(module, of.literal)
	return ok && of.literal != "" && (rest == "" || strings.ContainsAny(rest[:1], "./:\\"))
}

func lastPart(module string) string { return families.LastPart(module) }
