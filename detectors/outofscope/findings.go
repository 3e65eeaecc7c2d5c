package outofscope

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// flag is an announced cleanup (RF12, RF13) whose object is not part of the task.
type flag struct {
	hit    *sessionevents.RedFlagHit
	object string
}

// flags finds this turn's announcements.
func (w *watch) flags() {
	for i := range w.pass.Additions.RedFlags {
		hit := &w.pass.Additions.RedFlags[i]
		if !slices.Contains(w.Flags, hit.ID) {
			continue
		}
		w.memory.Flag = w.pass.Turn.Turn
		if object := w.object(hit.Sentence); object != "" && !w.inTask(object) && !w.mentionsScope(object) {
			w.flagged = append(w.flagged, flag{hit, object})
		}
	}
}

// object returns what a sentence wants to clean up: its words without those of the
// announcement itself.
func (d *instance) object(sentence string) string {
	var out []string
	for _, word := range strings.Fields(sentence) {
		word = strings.Trim(word, "`'\"().,;:!?")
		if terms := prose.Terms(word); len(terms) > 0 && !slices.ContainsFunc(terms, func(t string) bool { return d.flagWords[t] }) {
			out = append(out, word)
		}
	}
	return strings.Join(out[:min(len(out), objectWords)], " ")
}

const objectWords = 6

// mentionsScope reports whether a text names something in scope.
func (w *watch) mentionsScope(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if slices.Contains(w.memory.Names, hash(stem(word))) || strings.ContainsAny(word, "./") && w.named(w.pass.Before.Path(word)) {
			return true
		}
	}
	return false
}

// findings returns the changes outside the scope, one for each file and kind, and
// announcements that were not acted on yet.
func (w *watch) findings() []detect.Finding {
	var out []detect.Finding
	drifts := w.drifts()
	for i := range w.outside {
		c := &w.outside[i]
		confidence := w.confidence(c)
		if confidence == 0 || !w.first(string(c.kind)+c.file) && !drifts {
			continue
		}
		f := c.finding(w.pass.Turn.Turn, confidence)
		if drifts {
			f.Floor = driftFloor
		}
		out = append(out, f)
	}
	if len(w.outside) == 0 && (w.memory.Open == "" || w.memory.Broad) {
		for _, f := range w.flagged {
			if w.first(f.object) {
				out = append(out, w.announcement(f))
			}
		}
	}
	return out
}

// confidence returns the confidence of a change, 0 if it is not reported. A mere edit
// counts only if something in scope was edited too. In an open scope only structure and
// style count, and only after the agent itself announced a cleanup.
func (w *watch) confidence(c *change) float64 {
	flagged := w.announcedWithin(1)
	if w.memory.Open != "" {
		if c.kind != kindEdit && (flagged || w.drifts()) {
			return w.Confidence.Open
		}
		return 0
	}
	switch {
	case flagged:
		return w.Confidence.Flagged
	case c.kind != kindEdit:
		return w.Confidence.Style
	case w.memory.Related > 0:
		return w.Confidence.Edit
	}
	return 0
}

// drifts reports whether most of the last edits are unrelated to a task whose location is
// known, by names or by edits in scope.
func (w *watch) drifts() bool {
	diffs := w.memory.Diffs
	open := w.memory.Open != ""
	outside := 0
	for _, d := range diffs {
		if !d.Related && (d.Styled || !open) {
			outside++
		}
	}
	if open && !w.announcedWithin(w.Drift.Diffs) {
		return false
	}
	anchored := w.memory.Related > 0 || len(w.baseline.Paths)+len(w.baseline.Identifiers) > 0
	return anchored && len(diffs) >= w.Drift.Least && float64(outside) > w.Drift.Share*float64(len(diffs))
}

// announcedWithin reports whether a cleanup was announced in this turn or the given
// number of turns before it.
func (w *watch) announcedWithin(turns int) bool {
	return w.memory.Flag > 0 && w.pass.Turn.Turn-w.memory.Flag <= turns
}

// first reports whether something was not reported before, and records it. A finding of
// the first turns is suppressed and may be reported again (SW-41).
func (w *watch) first(what string) bool {
	m, now := w.memory, hash(what)
	known := slices.Contains(m.Told, now)
	if w.pass.Turn.Turn > w.priming {
		m.Told = add(m.Told, w.Remembered.Files, now)
	}
	return !known
}

// finding reports the change of a turn.
func (c *change) finding(turn int, confidence float64) detect.Finding {
	return detect.Finding{
		Subclass: string(c.kind), Subject: c.file, Confidence: confidence, ReworkCost: reworkCost, SelfCorrect: selfCorrect,
		Evidence: []sessionevents.Evidence{c.evidence}, Message: c.message(turn),
		Reason: fmt.Sprintf("No user message names %s, its folder or a term in the edit, and no error or search for the task led there.", quote.Path(c.file)),
	}
}

// deeds describe what each kind of change does to the lines of a file.
var deeds = map[kind]string{
	kindRename: "renames", kindMove: "reorders lines of", kindReformat: "only reformats", kindComments: "only changes comments in", kindEdit: "changes",
}

func (c *change) message(turn int) string {
	deed := deeds[c.kind] + " " + quote.Path(c.file)
	switch {
	case c.to != "":
		deed = string(c.kind) + "s " + quote.Path(c.file) + " to " + quote.Path(c.to)
	case c.renamed != "":
		deed = "renames " + quote.Name(c.renamed) + " in " + quote.Path(c.file)
	}
	return fmt.Sprintf("Turn %d %s, which the task does not reach; revert that and leave it to a change of its own.", turn, deed)
}

func (w *watch) announcement(f flag) detect.Finding {
	segment := &w.pass.Turn.Segments[f.hit.Segment]
	return detect.Finding{
		Subclass: string(kindAnnounced), Subject: f.object, ReworkCost: reworkCost, SelfCorrect: selfCorrect,
		Confidence: detect.Lexical(w.Confidence.Announced, f.hit.Thinking),
		Evidence:   []sessionevents.Evidence{detect.At(segment, f.hit.Offset, f.hit.Length)},
		Message:    fmt.Sprintf("The announced cleanup of %s is not part of the task; leave it to a change of its own.", quote.Text(f.object)),
		Reason:     fmt.Sprintf("The plan announces a cleanup (%s) of something no user message is about.", f.hit.ID),
	}
}
