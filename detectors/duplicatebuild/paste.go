package duplicatebuild

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// pastes finds statements that an edit adds although another place of the session has them.
type pastes struct{ *turn }

// fragments returns findings for statements that an edit adds although another place of
// the session has them.
func (x *pastes) fragments(repeats []repeat) []detect.Finding {
	var out []detect.Finding
	x.forgetMoved()
	for i := range x.Turn.Segments {
		s := &x.Turn.Segments[i]
		if !x.judgesFragments(s) {
			continue
		}
		file := x.Before.Path(s.Path)
		x.forget(file, s)
		for _, hunk := range x.hunks(s) {
			if f, ok := x.pasted(s, file, hunk); ok && !isKnown(repeats, file, f.Evidence[0].ConflictsWith.Path) && x.fresh(&f) {
				out = append(out, f)
			}
			x.memory.keep(file, x.Turn.Turn, hunk, x.Fragments.Kept, x.Fragments.Statements)
		}
	}
	return out
}

// fresh reports whether a fragment was not reported yet, and remembers it; one that was only logged may be
// said later.
func (x *pastes) fresh(f *detect.Finding) bool {
	key := f.Subject
	if f.Cap > 0 {
		key = "logged " + key
	}
	if slices.Contains(x.memory.Pasted, key) || slices.Contains(x.memory.Pasted, f.Subject) {
		return false
	}
	x.memory.Pasted = text.Newest(append(x.memory.Pasted, key), x.Fragments.Kept)
	return true
}

// isKnown reports whether repetitions between two files are already reported as symbols.
func isKnown(repeats []repeat, file, old string) bool {
	return slices.ContainsFunc(repeats, func(r repeat) bool { return r.symbol.Path == file && r.old.Symbol.Path == old })
}

// pasted returns a finding for the best place that contains what a hunk adds.
func (x *pastes) pasted(s *sessionevents.Segment, file string, list []statement) (detect.Finding, bool) {
	var best []statement
	var from *passage
	heaviest, places := common, []*passage{}
	take := func(run []statement, o *passage) {
		w := x.weigh(run)
		if w > heaviest || w == heaviest && w > common && len(run) > len(best) {
			best, from, heaviest = run, o, w
		}
		if w > common && !slices.ContainsFunc(places, o.beside) {
			places = append(places, o)
		}
	}
	for i := range x.memory.Passages {
		o := &x.memory.Passages[i]
		if !o.samePlace(file, list) && !x.measure.Parallel(file, o.Path) {
			take(x.longestRun(list, o.Keys), o)
		}
	}
	if within := x.repeatedWithin(list); len(within) > 0 {
		take(within, &passage{Path: file, Turn: x.Turn.Turn, Own: keysOf(within)})
	}
	third := len(places) >= thirdPlace-1
	if from == nil || heaviest == faint && !third {
		return detect.Finding{}, false
	}
	f := x.fragmentFinding(s, file, best, from, third && heaviest < telling)
	if heaviest == slight && !third {
		f.Floor, f.Cap = 0, detect.LogOnly
	}
	return f, true
}

// thirdPlace is the number of places from which statements that weigh little are reported, too: each change
// has to be made in all of them.
const thirdPlace = 3

// repeatedWithin returns a run of statements that two functions of one hunk share.
func (x *pastes) repeatedWithin(list []statement) []statement {
	for at := range list {
		if !list[at].head || at < x.Fragments.Least || len(list)-at <= x.Fragments.Least {
			continue
		}
		var keys []uint32
		for i := range list[:at] {
			keys = append(keys, list[i].key)
		}
		if run := x.longestRun(list[at:], keys); len(run) >= x.Fragments.Least && x.weigh(run) > faint {
			return run
		}
	}
	return nil
}

// fragmentFinding is about the statements that two places share; more says that a third one has them, too.
func (x *pastes) fragmentFinding(
	s *sessionevents.Segment, file string, run []statement, from *passage, more bool,
) detect.Finding {
	first, last := run[0], run[0]
	for i := range run {
		if run[i].added && (!first.added || run[i].at < first.at) {
			first = run[i]
		}
		if run[i].added {
			last = run[i]
		}
	}
	telling, n := mostTelling(run)
	f := detect.Finding{
		Subclass: "fragment", Subject: "fragment " + strconv.Quote(shorten(telling.text, 48)) + " in " + path.Base(file), Confidence: x.Confidence.Fragment,
		ReworkCost: from.cost(run), SelfCorrect: x.config.SelfCorrect.Unsearched, Floor: inSessionFloor,
	}
	e := detect.At(s, max(first.at, 0), max(last.at, first.at, 0)-max(first.at, 0)+len(last.text))
	e.ConflictsWith = &sessionevents.EarlierEvent{Turn: from.Turn, Path: from.Path, Line: from.From, What: shorten(telling.text, 80)}
	f.Evidence = []sessionevents.Evidence{e}
	if x.moves() {
		f.Floor, f.Cap = 0, detect.LogOnly
	}
	place := from.Path
	if from.From > 0 {
		place += ":" + strconv.Itoa(from.From)
	}
	if from.Path == file && from.From == 0 {
		place = "the same file"
	}
	have := place + " has them"
	if more {
		have = place + " and another place have them"
	}
	f.Message = fmt.Sprintf("%d statements%s are added to %s though %s (turn %d). "+
		"Put them into one function that both call.", n, with(telling.text), fileAt(file, first.line), have, from.Turn)
	f.Reason = fmt.Sprintf("%d statements in a row are the same in both places.", n)
	if n == 1 {
		f.Message = fmt.Sprintf("A condition%s is added to %s though %s has it (turn %d). "+
			"Ask for it in one function that both call.",
			with(telling.text), fileAt(file, first.line), place, from.Turn)
		f.Reason = "Both places ask for the same setting."
	}
	return f
}

// passage is the result of a hunk in one place, with which later edits are compared.
type passage struct {
	Path string   `json:"p"`
	From int      `json:"f,omitempty"` // first and last line in the new file, 0 if unknown
	To   int      `json:"t,omitempty"`
	Turn int      `json:"n"`
	Keys []uint32 `json:"k"` // of its statements, in order
	// Own are the keys of the statements that this session wrote; the others were there
	// before.
	Own []uint32 `json:"o,omitempty"`
}

// forget drops what an edit removes, and everything in a file that is replaced.
func (x *pastes) forget(file string, s *sessionevents.Segment) {
	if s.Diff.Op != sessionevents.DiffUpdate {
		x.memory.Passages = slices.DeleteFunc(x.memory.Passages, func(o passage) bool { return o.Path == file })
		return
	}
	removed := map[uint32]bool{}
	for _, line := range s.Diff.Removed() {
		if st, ok := x.readStatement(line.Text); ok {
			removed[st.key] = true
		}
	}
	for i := range x.memory.Passages {
		if o := &x.memory.Passages[i]; o.Path == file && len(removed) > 0 {
			o.Keys = slices.DeleteFunc(slices.Clone(o.Keys), func(k uint32) bool { return removed[k] })
		}
	}
	x.memory.Passages = slices.DeleteFunc(x.memory.Passages, func(o passage) bool { return len(o.Keys) == 0 })
}

// forgetMoved drops the passages of files that were moved, or written without showing the
// content.
func (x *pastes) forgetMoved() {
	if len(x.memory.Passages) == 0 {
		return
	}
	writes := x.Before.FilesWritten()
	x.memory.Passages = slices.DeleteFunc(x.memory.Passages, func(o passage) bool { return goneBy(x.Pass, writes, o.Path, o.Turn) })
}

// keep records the place of a hunk.
func (m *memory) keep(file string, turn int, list []statement, limit, statements int) {
	if len(list) < 2 {
		return
	}
	o := passage{Path: file, Turn: turn, From: list[0].line, To: list[len(list)-1].line}
	for _, s := range list[:min(len(list), statements)] {
		o.Keys = append(o.Keys, s.key)
		if s.added {
			o.Own = append(o.Own, s.key)
		}
	}
	m.Passages = text.Newest(append(m.Passages, o), limit)
}

// beside reports whether two passages are, or may be, of one place.
func (o *passage) beside(other *passage) bool {
	return o.Path == other.Path && (o.From == 0 || other.From == 0 || o.From <= other.To && other.From <= o.To)
}

// samePlace reports whether a passage is where the hunk is now.
func (o *passage) samePlace(file string, list []statement) bool {
	if o.Path != file || len(list) == 0 {
		return false
	}
	from, to := list[0].line, list[len(list)-1].line
	return from > 0 && o.From > 0 && from <= o.To && o.From <= to
}

// cost returns the cost of statements that another place also contains: it depends on
// whether most were there before the session or were written by it.
func (o *passage) cost(run []statement) int {
	before := 0
	for i := range run {
		if !slices.Contains(o.Own, run[i].key) {
			before++
		}
	}
	if before*2 > len(run) {
		return costCodebase
	}
	return costInSession
}

func fileAt(file string, line int) string {
	if line > 0 {
		return file + ":" + strconv.Itoa(line)
	}
	return file
}

// with returns a quotation of a complete statement, or "" (JD-40).
func with(text string) string {
	if shown := quote.WholeCode(text, 8, ""); shown != "" {
		return " with " + shown
	}
	return ""
}

// shorten cuts code for a message, without backticks.
func shorten(s string, limit int) string {
	return text.Short(strings.ReplaceAll(s, "`", "'"), limit+1)
}
