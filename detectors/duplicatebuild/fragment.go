package duplicatebuild

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// passage is what a hunk left behind at one place, as far as later edits are compared with it.
type passage struct {
	Path string   `json:"p"`
	From int      `json:"f,omitempty"` // first and last line in the new file, 0 where they are not known
	To   int      `json:"t,omitempty"`
	Turn int      `json:"n"`
	Keys []uint32 `json:"k"` // of its statements, in order
	// Own are the keys of those that this session wrote; the others were there before.
	Own []uint32 `json:"o,omitempty"`
}

// fragments are the statements that an edit adds although another place of the session has them.
func (d *instance) fragments(p *detect.Pass, m *memory, repeats []repeat) []detect.Finding {
	var out []detect.Finding
	d.forgetMoved(p, m)
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if !d.judgesFragments(s) {
			continue
		}
		file := p.Before.Path(s.Path)
		d.forget(m, file, s)
		for _, hunk := range d.hunks(s) {
			if f, ok := d.pasted(p, m, s, file, hunk); ok && !slices.Contains(m.Pasted, f.Subject) && !isKnown(repeats, file, f.Evidence[0].ConflictsWith.Path) {
				m.Pasted = bounded(m.Pasted, f.Subject, d.Fragments.Kept)
				out = append(out, f)
			}
			m.keep(file, p.Turn.Turn, hunk, d.Fragments.Kept, d.Fragments.Statements)
		}
	}
	return out
}

// isKnown: what one file repeats of the other is reported as symbols.
func isKnown(repeats []repeat, file, old string) bool {
	return slices.ContainsFunc(repeats, func(r repeat) bool { return r.symbol.Path == file && r.old.Symbol.Path == old })
}

// judgesFragments: an applied edit of code that is not a test, an example or generated.
func (d *instance) judgesFragments(s *sessionevents.Segment) bool {
	return s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed && !s.Proposed && !s.Rejected && s.Path != "" &&
		syntax.Reads(s.Language) && !d.measure.ConventionalFile(s.Path) && !d.measure.Script(s.Path, detect.Text(s))
}

// hunks are the statements of each hunk's new side.
func (d *instance) hunks(s *sessionevents.Segment) [][]statement {
	var out [][]statement
	offset := 0
	for _, h := range s.Diff.Hunks {
		var list []statement
		number := h.NewStart
		for _, line := range h.Lines {
			if line == "" {
				line = " "
			}
			if line[0] == '-' {
				continue
			}
			if st, ok := d.readStatement(line[1:]); ok {
				if st.added, st.at = line[0] == '+', -1; st.added {
					st.at = offset
				}
				if h.NewStart > 0 {
					st.line = number
				}
				list = append(list, st)
			}
			if number++; line[0] == '+' {
				offset += len(line)
			}
		}
		out = append(out, list)
	}
	return out
}

// forget drops what an edit removes, and everything of a file that is replaced.
func (d *instance) forget(m *memory, file string, s *sessionevents.Segment) {
	if s.Diff.Op != sessionevents.DiffUpdate {
		m.Passages = slices.DeleteFunc(m.Passages, func(o passage) bool { return o.Path == file })
		return
	}
	removed := map[uint32]bool{}
	for _, line := range s.Diff.Removed() {
		if st, ok := d.readStatement(line.Text); ok {
			removed[st.key] = true
		}
	}
	for i := range m.Passages {
		if o := &m.Passages[i]; o.Path == file && len(removed) > 0 {
			o.Keys = slices.DeleteFunc(slices.Clone(o.Keys), func(k uint32) bool { return removed[k] })
		}
	}
	m.Passages = slices.DeleteFunc(m.Passages, func(o passage) bool { return len(o.Keys) == 0 })
}

// forgetMoved drops what stood in files that were moved or written in a way that does not show it.
func (d *instance) forgetMoved(p *detect.Pass, m *memory) {
	if len(m.Passages) == 0 {
		return
	}
	writes := p.Before.FilesWritten()
	m.Passages = slices.DeleteFunc(m.Passages, func(o passage) bool { return goneBy(p, writes, o.Path, o.Turn) })
}

// keep remembers a hunk's place.
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
	m.Passages = append(m.Passages, o)
	if extra := len(m.Passages) - limit; extra > 0 {
		m.Passages = slices.Clone(m.Passages[extra:])
	}
}

// pasted finds the best place that holds what a hunk adds.
func (d *instance) pasted(p *detect.Pass, m *memory, s *sessionevents.Segment, file string, list []statement) (detect.Finding, bool) {
	var best []statement
	var from *passage
	for i := range m.Passages {
		o := &m.Passages[i]
		if o.samePlace(file, list) || d.measure.Parallel(file, o.Path) {
			continue
		}
		if run := d.longestRun(list, o.Keys); len(run) > len(best) && d.distinctive(run) {
			best, from = run, o
		}
	}
	if within := d.repeatedWithin(list); len(within) > len(best) {
		best, from = within, &passage{Path: file, Turn: p.Turn.Turn, Own: keysOf(within)}
	}
	if from == nil {
		return detect.Finding{}, false
	}
	return d.fragmentFinding(p, s, file, best, from), true
}

func keysOf(list []statement) []uint32 {
	keys := make([]uint32, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	return keys
}

// samePlace reports whether a passage is where the hunk now is.
func (o *passage) samePlace(file string, list []statement) bool {
	if o.Path != file || len(list) == 0 {
		return false
	}
	from, to := list[0].line, list[len(list)-1].line
	return from > 0 && o.From > 0 && from <= o.To && o.From <= to
}

// longestRun is the longest part of the hunk whose statements are in the same order, one after the
// other, at the other place.
func (d *instance) longestRun(list []statement, keys []uint32) []statement {
	best, end := 0, 0
	both := make([]int, 2*(len(keys)+1))
	before, now := both[:len(keys)+1], both[len(keys)+1:]
	for i := range list {
		for k, key := range keys {
			now[k+1] = 0
			if list[i].key == key && !list[i].head {
				if now[k+1] = before[k] + 1; now[k+1] > best {
					best, end = now[k+1], i+1
				}
			}
		}
		before, now = now, before
	}
	return list[end-best : end]
}

// distinctive reports whether a run is enough to be one thing in two places: statements enough, or
// fewer with a condition or a sentence that no two places have by chance.
func (d *instance) distinctive(run []statement) bool {
	added, condition, long, comments := 0, false, 0, 0
	for i := range run {
		if run[i].comment {
			comments++
		}
		if !run[i].added {
			continue
		}
		if !run[i].comment {
			added++
		}
		condition = condition || run[i].names >= d.Fragments.ConditionNames
		if run[i].long {
			long++
		}
	}
	statements := len(run) - comments
	switch {
	case statements >= d.Fragments.Least && added >= d.Fragments.Least-1, condition && added >= 2:
		return true
	case comments > 0: // a pasted comment with the code below it
		return added >= leastWithComment
	}
	return long > 1 || long == 1 && len(run) >= d.Fragments.Least-1
}

// leastWithComment is how many added statements make a fragment with a comment of the same words.
const leastWithComment = 3

// repeatedWithin finds a run that two functions of one hunk hold.
func (d *instance) repeatedWithin(list []statement) []statement {
	for at := range list {
		if !list[at].head || at < d.Fragments.Least || len(list)-at <= d.Fragments.Least {
			continue
		}
		var keys []uint32
		for i := range list[:at] {
			keys = append(keys, list[i].key)
		}
		if run := d.longestRun(list[at:], keys); len(run) >= d.Fragments.Least && d.distinctive(run) {
			return run
		}
	}
	return nil
}

func (d *instance) fragmentFinding(p *detect.Pass, s *sessionevents.Segment, file string, run []statement, from *passage) detect.Finding {
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
		Subclass: "fragment", Subject: "fragment " + strconv.Quote(shorten(telling.text, 48)) + " in " + path.Base(file), Confidence: d.Confidence.Fragment,
		ReworkCost: from.cost(run), SelfCorrect: d.config.SelfCorrect.Unsearched, Floor: inSessionFloor,
	}
	e := detect.At(s, max(first.at, 0), max(last.at, first.at, 0)-max(first.at, 0)+len(last.text))
	e.ConflictsWith = &sessionevents.EarlierEvent{Turn: from.Turn, Path: from.Path, Line: from.From, What: shorten(telling.text, 80)}
	f.Evidence = []sessionevents.Evidence{e}
	if d.moves(p) {
		f.Floor, f.Cap = 0, detect.LogOnly
	}
	place := from.Path
	if from.From > 0 {
		place += ":" + strconv.Itoa(from.From)
	}
	if from.Path == file && from.From == 0 {
		place = "the same file"
	}
	f.Message = fmt.Sprintf("%d statements with `%s` are added to %s though %s has them (turn %d); put them into one function that both call.",
		n, shorten(telling.text, 48), fileAt(file, first.line), place, from.Turn)
	f.Reason = fmt.Sprintf("%d statements in a row are the same in both places.", n)
	return f
}

// cost of statements that the place also holds: most of them were there before the session, or it
// wrote them itself.
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

// mostTelling is the statement that says best what a run does: a condition of many names, a sentence,
// else the longest; n counts the run's statements without comments.
func mostTelling(run []statement) (telling statement, n int) {
	for _, s := range run {
		if s.comment {
			continue
		}
		switch n++; {
		case n == 1, s.names >= tellingNames && s.names > telling.names,
			telling.names < tellingNames && (s.long && !telling.long || s.long == telling.long && len(s.text) > len(telling.text)):
			telling = s
		}
	}
	return telling, n
}

// tellingNames is how many names make a condition the one to quote.
const tellingNames = 4

func fileAt(file string, line int) string {
	if line > 0 {
		return file + ":" + strconv.Itoa(line)
	}
	return file
}

// shorten cuts code for a message, without backticks.
func shorten(text string, limit int) string {
	runes := []rune(strings.ReplaceAll(text, "`", "'"))
	if len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return string(runes)
}
