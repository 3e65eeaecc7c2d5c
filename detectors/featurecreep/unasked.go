package featurecreep

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// answers are turns after a question, which asks for no act.
type answers struct{ *turn }

// unasked returns the edits and other acts of a turn that a question does not ask for.
func (x *answers) unasked() []detect.Finding {
	var out []detect.Finding
	for i := range x.Turn.Segments {
		segment := &x.Turn.Segments[i]
		if segment.Rejected || segment.Proposed {
			continue
		}
		var f *detect.Finding
		switch {
		case segment.Kind == sessionevents.SegmentDiff:
			f = x.unaskedEdit(segment)
		case segment.Kind == sessionevents.SegmentPlan:
			f = x.unaskedPlan(segment)
		case segment.Kind == sessionevents.SegmentTool && segment.Tool != nil:
			f = x.unaskedAct(segment)
		}
		if f != nil {
			f.Subclass, f.ReworkCost, f.SelfCorrect, f.WeighsRequest = "unasked", reworkCost, selfCorrect, true
			out = append(out, *f)
		}
	}
	return out
}

// unaskedPlan judges the announcement that what was asked about will now be done: it is
// only logged, since nothing has happened yet (JD-2 requires a fact).
func (x *answers) unaskedPlan(s *sessionevents.Segment) *detect.Finding {
	q := &x.memory.Asking
	if q.Kind != inquiring || s.Thinking || contains(q.Reported, "edit") || contains(q.Reported, "announcement") {
		return nil
	}
	for _, sentence := range prose.Sentences(s.Text) {
		if strings.HasSuffix(sentence.Text, "?") || !x.Announces.MatchString(sentence.Text) || x.offers.MatchString(sentence.Text) {
			continue
		}
		q.Reported = append(q.Reported, "announcement")
		f := x.unaskedFinding(q, "change of turn "+strconv.Itoa(x.Turn.Turn), "announces a change", "Answer it, and ask before changing code.", true)
		f.Confidence = x.Confidence.Unasked
		f.Evidence = append(filesRead(x.Pass), detect.At(s, sentence.Offset, sentence.Length))
		slices.Reverse(f.Evidence)
		return f
	}
	return nil
}

// filesRead returns evidence of where the change will be made: the files that the turn
// opens.
func filesRead(p *detect.Pass) (out []sessionevents.Evidence) {
	for _, r := range p.Additions.FilesRead {
		if len(out) < 2 {
			out = append(out, detect.Whole(&p.Turn.Segments[r.Segment]))
		}
	}
	return out
}

// unaskedEdit judges an edit while a question is in effect: of a file that existed, or a
// document. An attempt counts as well.
func (x *answers) unaskedEdit(s *sessionevents.Segment) *detect.Finding {
	q := &x.memory.Asking
	if q.Kind == ordering || s.Diff == nil || contains(q.Reported, "edit") {
		return nil
	}
	file := x.Before.Path(s.Path)
	document := x.files.Is(file, files.Document)
	if file == "" || x.files.Is(file, notWork) || s.Diff.Op == sessionevents.DiffCreate && !document ||
		madeSince(x.Pass, file, q.Turn) {
		return nil
	}
	q.Reported = append(q.Reported, "edit")
	evidence := changed(s)
	f := x.unaskedFinding(q, path.Base(file), verb(s)+file, "Answer it, and ask before changing the file.", q.Kind == wondering)
	f.Confidence = x.Confidence.Unasked
	f.Evidence = []sessionevents.Evidence{evidence}
	return f
}

// notWork are kinds of files that are nobody's work: plans, notes, what is only tried out.
const notWork = files.Notes | files.Scratch | files.Vendored

// changed returns evidence for an edit that begins at its first line of code.
func changed(s *sessionevents.Segment) sessionevents.Evidence {
	whole, offset := detect.Whole(s), 0
	for _, l := range s.Diff.Added() {
		if telling(l.Text) {
			return detect.At(s, offset, whole.Length-offset)
		}
		offset += len(l.Text) + 1
	}
	return whole
}

// madeSince reports whether the session created the file for the answer, to try something
// out.
func madeSince(p *detect.Pass, file string, turn int) bool {
	for _, w := range p.Before.DiffsOf(file) {
		if w.Turn >= turn && w.Removed == 0 {
			return len(p.Before.Reads(file)) == 0
		}
	}
	return false
}

// unaskedFinding returns the finding for an act that only a question preceded.
func (x *answers) unaskedFinding(q *asking, subject, said, advice string, logOnly bool) *detect.Finding {
	f := &detect.Finding{
		Subject: subject, Floor: queueFloor,
		Message: fmt.Sprintf("The user only asked %s (turn %d); turn %d %s. %s", quote.Whole(q.Quote, excerptWords, "a question"), q.Turn, x.Turn.Turn, said, advice),
		Reason:  fmt.Sprintf("The message of turn %d is a question and orders nothing.", q.Turn),
	}
	if logOnly {
		f.Floor, f.Cap = 0, detect.LogOnly
	}
	return f
}

func contains(list []string, item string) bool { return slices.Contains(list, item) }

// judgeUnasked reports an unrequested act as corrected if the user orders it or it is
// undone, and as committed if the edits continue.
func (d *instance) judgeUnasked(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	file := ""
	if len(s.Evidence) > 0 {
		file = p.Before.Path(s.Evidence[0].Path)
	}
	outcome, why := sessionevents.OutcomeOpen, ""
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		switch {
		case segment.Kind == sessionevents.SegmentUser:
			if kind, _ := d.Questions.read(segment.Text); kind == ordering || d.person.Consents(segment.Text) {
				return sessionevents.OutcomeCorrected, "the user asks for it now"
			}
		case segment.Kind == sessionevents.SegmentPlan && !segment.Thinking && d.takesBack(segment.Text):
			outcome, why = sessionevents.OutcomeCorrected, "taken back"
		case detect.Applied(segment) && file != "":
			if outcome == sessionevents.OutcomeOpen {
				outcome, why = sessionevents.OutcomeCommitted, "the edits go on"
			}
		}
	}
	return outcome, why
}

// takesBack reports whether a plan says that a change is reverted.
func (d *instance) takesBack(plan string) bool {
	for _, s := range prose.Sentences(plan) {
		lower := strings.ToLower(s.Text)
		if strings.Contains(lower, "revert") || strings.Contains(lower, "undo") || strings.Contains(lower, "take it back") {
			return true
		}
	}
	return false
}
