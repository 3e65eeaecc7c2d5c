package featurecreep

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// actConfig is an entry of the part acts of the rule data.
type actConfig struct {
	ID      string   `yaml:"id"`
	Said    string   `yaml:"said"`
	Command string   `yaml:"command"`
	Tool    string   `yaml:"tool"`
	AskedBy []string `yaml:"asked_by"`
	Looking string   `yaml:"looking"`
	Acting  string   `yaml:"acting"`
}

// act is an actConfig ready for use.
type act struct {
	actConfig
	command, tool *pattern.Regexp // tool may be nil
	// looking matches an order that only asks for a look, without acting; both may be nil.
	looking, acting *pattern.Regexp
}

func (d *instance) compileActs(from pattern.Compiler) (err error) {
	for _, c := range d.Acts {
		a := act{actConfig: c}
		if a.command, err = from.RE2("acts."+c.ID+".command", c.Command); err != nil {
			return err
		}
		if c.Tool != "" {
			if a.tool, err = from.RE2("acts."+c.ID+".tool", c.Tool); err != nil {
				return err
			}
		}
		if c.Looking != "" {
			if a.looking, err = from.RE2("acts."+c.ID+".looking", "(?i)"+c.Looking); err != nil {
				return err
			}
			if a.acting, err = from.RE2("acts."+c.ID+".acting", "(?i)"+c.Acting); err != nil {
				return err
			}
		}
		d.acts = append(d.acts, a)
	}
	return nil
}

// unasked are the edits and other acts of a turn that a question does not ask for, and commits,
// pushes, tickets and replies that no message mentions.
func (d *instance) unasked(m *memory, p *detect.Pass, s *scope) []detect.Finding {
	var out []detect.Finding
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		d.noteBranch(m, segment)
		if segment.Rejected || segment.Proposed {
			continue
		}
		var f *detect.Finding
		switch {
		case segment.Kind == sessionevents.SegmentDiff:
			f = d.unaskedEdit(m, p, segment)
		case segment.Kind == sessionevents.SegmentPlan:
			f = d.unaskedPlan(m, p, segment)
		case segment.Kind == sessionevents.SegmentTool && segment.Tool != nil:
			f = d.unaskedAct(m, p, s, segment)
		}
		if f != nil {
			f.Subclass, f.ReworkCost, f.SelfCorrect, f.WeighsRequest = "unasked", reworkCost, selfCorrect, true
			out = append(out, *f)
		}
	}
	return out
}

// unaskedPlan judges the announcement that what was asked about is now done.
func (d *instance) unaskedPlan(m *memory, p *detect.Pass, s *sessionevents.Segment) *detect.Finding {
	q := &m.Asking
	if q.Kind != inquiring || s.Thinking || contains(q.Reported, "edit") {
		return nil
	}
	for _, sentence := range prose.Sentences(s.Text) {
		if strings.HasSuffix(sentence.Text, "?") || !d.announces.MatchString(sentence.Text) || d.offers.MatchString(sentence.Text) {
			continue
		}
		q.Reported = append(q.Reported, "edit")
		f := d.unaskedFinding(p, q, "change of turn "+strconv.Itoa(p.Turn.Turn), "announces a change: "+strconv.Quote(excerpt(sentence.Text)), "Answer it, and ask before changing code.", false)
		f.Confidence = d.Confidence.Unasked
		f.Evidence = append(filesRead(p), detect.At(s, sentence.Offset, sentence.Length))
		slices.Reverse(f.Evidence)
		return f
	}
	return nil
}

// filesRead shows what the change is to be made in: the files that the turn opens.
func filesRead(p *detect.Pass) (out []sessionevents.Evidence) {
	for _, r := range p.Additions.FilesRead {
		if len(out) < 2 {
			out = append(out, detect.Whole(&p.Turn.Segments[r.Segment]))
		}
	}
	return out
}

// unaskedEdit judges an edit while a question is in force: of a file that was there, or a document. An
// attempt counts as well.
func (d *instance) unaskedEdit(m *memory, p *detect.Pass, s *sessionevents.Segment) *detect.Finding {
	q := &m.Asking
	if q.Kind == ordering || s.Diff == nil || contains(q.Reported, "edit") {
		return nil
	}
	file := p.Before.Path(s.Path)
	document := slices.Contains(d.Documents, path.Ext(file))
	if file == "" || d.notWork.MatchString(file) || s.Diff.Op == sessionevents.DiffCreate && !document || madeSince(p, file, q.Turn) {
		return nil
	}
	q.Reported = append(q.Reported, "edit")
	evidence, line := changed(s)
	f := d.unaskedFinding(p, q, path.Base(file), verb(s)+file+line, "Answer it, and ask before changing the file.", q.Kind == wondering)
	f.Confidence = d.Confidence.Unasked
	f.Evidence = []sessionevents.Evidence{evidence}
	return f
}

// changed is evidence for an edit that begins at its first line of code, and how a message names it:
// by the first line of code that it takes out, else by the first that it adds.
func changed(s *sessionevents.Segment) (evidence sessionevents.Evidence, line string) {
	added, removed := s.Diff.Added(), s.Diff.Removed()
	evidence = detect.Whole(s)
	offset := 0
	for _, l := range added {
		if telling(l.Text) {
			evidence, line = detect.At(s, offset, evidence.Length-offset), " (adds "+quote.Code(shorten(l.Text, lineWords))+")"
			break
		}
		offset += len(l.Text) + 1
	}
	for _, l := range removed {
		if telling(l.Text) && !slices.ContainsFunc(added, func(a sessionevents.Line) bool { return strings.TrimSpace(a.Text) == strings.TrimSpace(l.Text) }) {
			return evidence, " (removes " + quote.Code(shorten(l.Text, lineWords)) + ")"
		}
	}
	return evidence, line
}

// telling: a line that names something, and is not a comment.
func telling(line string) bool {
	line = strings.TrimSpace(line)
	comment := slices.ContainsFunc([]string{"//", "#", "/*", "*", "--", "<!--", "\"\"\""}, func(mark string) bool { return strings.HasPrefix(line, mark) })
	return !comment && named.MatchString(line)
}

// named is what a line of code or prose needs to tell it from others.
var named = pattern.Must(`\pL[\pL\pN_]{2,}`)

// verb says what an edit did to its file.
func verb(s *sessionevents.Segment) string {
	switch {
	case s.Diff.Failed:
		return "tries to edit "
	case s.Diff.Op == sessionevents.DiffCreate:
		return "writes "
	}
	return "edits "
}

// madeSince: the session created the file for the answer, to try something out.
func madeSince(p *detect.Pass, file string, turn int) bool {
	for _, w := range p.Before.DiffsOf(file) {
		if w.Turn >= turn && w.Removed == 0 {
			return len(p.Before.Reads(file)) == 0
		}
	}
	return false
}

// unaskedAct judges a commit, push, ticket or reply.
func (d *instance) unaskedAct(m *memory, p *detect.Pass, s *scope, segment *sessionevents.Segment) *detect.Finding {
	for i := range d.acts {
		a := &d.acts[i]
		if !a.made(segment) || contains(m.Asking.Reported, a.ID) {
			continue
		}
		var f *detect.Finding
		switch {
		case m.Asking.Kind != ordering && !a.askedIn(m.Asking.Quote):
			m.Asking.Reported = append(m.Asking.Reported, a.ID)
			f = d.unaskedFinding(p, &m.Asking, a.ID+" of turn "+strconv.Itoa(p.Turn.Turn), a.Said, "Answer it, and ask first.", false)
		case a.onlyLooked(m.Order.Quote):
			m.Asking.Reported = append(m.Asking.Reported, a.ID)
			f = d.unaskedFinding(p, &m.Order, a.ID+" of turn "+strconv.Itoa(p.Turn.Turn), a.Said, "Report what was found, and ask first.", false)
			f.Reason = fmt.Sprintf("The message of turn %d asks for a look only.", m.Order.Turn)
		case p.Turn.Turn > d.priming && !contains(m.Acts, a.ID) && d.neverAsked(s, a) && !d.scratchRepo.MatchString(segment.Tool.Command):
			m.Acts = append(m.Acts, a.ID)
			f = &detect.Finding{
				Subject: a.ID + " of turn " + strconv.Itoa(p.Turn.Turn),
				Message: fmt.Sprintf("The turn %s%s, which no message asks for; leave that to the user, or ask first.", a.Said, d.toMain(m, a)),
				Reason:  fmt.Sprintf("No message of the user mentions a %s.", a.ID),
			}
			if f.Floor = queueFloor; m.Branched || a.ID == "ticket" || !s.conversation() {
				f.Floor, f.Cap = 0, detect.LogOnly
			}
		default:
			continue
		}
		f.Confidence = d.Confidence.Unasked
		f.Evidence = []sessionevents.Evidence{detect.Whole(segment)}
		return f
	}
	return nil
}

// unaskedFinding words an act for which there is only a question.
func (d *instance) unaskedFinding(p *detect.Pass, q *asking, subject, said, advice string, logOnly bool) *detect.Finding {
	f := &detect.Finding{
		Subject: subject, Floor: queueFloor,
		Message: fmt.Sprintf("The user only asked %q (turn %d); turn %d %s. %s", excerpt(q.Quote), q.Turn, p.Turn.Turn, said, advice),
		Reason:  fmt.Sprintf("The message of turn %d is a question and orders nothing.", q.Turn),
	}
	if logOnly {
		f.Floor, f.Cap = 0, detect.LogOnly
	}
	return f
}

// excerpt is the beginning of a question, for a message.
func excerpt(quote string) string { return shorten(quote, excerptWords) }

func shorten(text string, most int) string {
	words := strings.Fields(text)
	if len(words) > most {
		return strings.Join(words[:most], " ") + " …"
	}
	return strings.Join(words, " ")
}

// Words of a question and of a line of code in a message.
const (
	excerptWords = 12
	lineWords    = 6
)

// made reports whether a call is the act.
func (a *act) made(s *sessionevents.Segment) bool {
	if s.Result != nil && s.Result.IsError {
		return false
	}
	if s.Tool.Command != "" {
		return a.command.MatchString(s.Tool.Command)
	}
	return a.tool != nil && a.tool.MatchString(s.Tool.Name)
}

// askedIn reports whether a text mentions the act.
func (a *act) askedIn(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(a.AskedBy, func(word string) bool { return hasWord(lower, word) })
}

func hasWord(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(word)
		if (at == 0 || notWord(rune(text[at-1]))) && (from == len(text) || notWord(rune(text[from]))) {
			return true
		}
	}
}

// onlyLooked reports whether an order asks for a look at what the act would answer, and for no answer.
func (a *act) onlyLooked(order string) bool {
	return a.looking != nil && a.looking.MatchString(order) && !a.acting.MatchString(order)
}

// neverAsked reports whether nothing that the user or the session's instructions say mentions the act.
func (d *instance) neverAsked(s *scope, a *act) bool {
	return s.whole() && !slices.ContainsFunc(s.texts, func(text string) bool { return a.askedIn(text) || d.actsAllowed.MatchString(text) })
}

// toMain is where a commit goes, if that is known to be the main branch.
func (d *instance) toMain(m *memory, a *act) string {
	if m.Branch != "" && (a.ID == "commit" || a.ID == "push") {
		return " to " + m.Branch
	}
	return ""
}

// noteBranch keeps the branch that the session works on, where a call shows it.
func (d *instance) noteBranch(m *memory, s *sessionevents.Segment) {
	if s.Tool == nil || !slices.Contains(s.Tool.Effects, "git") || d.scratchRepo.MatchString(s.Tool.Command) {
		return
	}
	texts := []string{s.Tool.Command}
	if s.Result != nil {
		texts = append(texts, s.Result.Head)
	}
	for i, text := range texts {
		found := d.branched.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		name := found[d.branched.SubexpIndex("on")] + found[d.branched.SubexpIndex("at")]
		m.Branched = i == 0 || !slices.Contains(d.MainBranches, name)
		if m.Branch = ""; !m.Branched {
			m.Branch = name
		}
	}
}

func contains(list []string, item string) bool { return slices.Contains(list, item) }

// judgeUnasked calls an unasked act corrected when the user orders it or it is taken back, committed
// when the edits go on.
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
			if kind, _ := d.questions.read(segment.Text); kind == ordering || d.consent.MatchString(segment.Text) {
				return sessionevents.OutcomeCorrected, "the user asks for it now"
			}
		case segment.Kind == sessionevents.SegmentPlan && !segment.Thinking && d.takesBack(segment.Text):
			outcome, why = sessionevents.OutcomeCorrected, "taken back"
		case segment.Kind == sessionevents.SegmentDiff && !segment.Proposed && !segment.Rejected && segment.Diff != nil && !segment.Diff.Failed && file != "":
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
