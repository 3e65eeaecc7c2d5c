package registry

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Digest computes what a turn adds, without folding it in (SW-11). It does not change the
// registry. Its result must be committed before the next turn is digested.
func (r *Registry) Digest(t *sessionevents.TurnSegmented) *Turn {
	d := digest{registry: r, limits: r.config.Limits, out: &Turn{
		Number: t.Turn, Compacted: t.Continuity != nil && t.Continuity.Compacted, Baseline: r.Baseline,
	}}
	for i := range t.Segments {
		d.segment(&t.Segments[i])
	}
	if len(d.out.Requests) > 0 && r.config.Scope != nil {
		d.out.Baseline = r.config.Scope.asked(r.Baseline, d.out.Requests)
	}
	return d.out
}

type digest struct {
	registry *Registry
	limits   Limits
	out      *Turn
}

func (d *digest) segment(s *sessionevents.Segment) {
	switch s.Kind {
	case sessionevents.SegmentUser:
		if strings.TrimSpace(s.Text) != "" {
			d.out.Requests = append(d.out.Requests, Request{Turn: d.out.Number, Text: s.Text})
		}
		return
	case sessionevents.SegmentPlan:
		d.plan(s)
		return
	case sessionevents.SegmentError:
		d.out.Errors++
	}
	if s.Rejected || s.Proposed {
		return // refused or only shown, so nothing was done
	}
	d.accesses(s)
	if s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed {
		d.diff(s)
	}
	if s.Kind != sessionevents.SegmentDiff {
		d.learn(s)
	}
	if s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, func(e string) bool { return slices.Contains(d.registry.config.Effects, e) }) {
		d.out.Effect = true
	}
}

// plan reads red flags, decisions and sentences from prose (SW-13, SW-20).
func (d *digest) plan(s *sessionevents.Segment) {
	c := &d.registry.config
	doc := prose.Parse(s.Text)
	for _, span := range doc.Sentences() {
		if len(d.out.Sentences) >= d.limits.SentencesPerTurn {
			break
		}
		offset, _ := doc.SourceSpan(span)
		text := doc.Text[span.From:span.To]
		d.out.Sentences = append(d.out.Sentences, Sentence{Segment: s.Index, Offset: offset, Text: text, Thinking: s.Thinking})
		if record, ok := c.planRecord(d.out.Number, text); ok {
			d.out.plans = append(d.out.plans, record)
			d.out.planned = append(d.out.planned, len(d.out.Sentences)-1)
		}
	}
	if c.Flags != nil {
		for _, hit := range c.Flags.Find(doc) {
			hit.Turn, hit.Segment, hit.Thinking = d.out.Number, s.Index, s.Thinking
			d.out.RedFlags = append(d.out.RedFlags, hit)
			d.out.Research = d.out.Research || hit.ID == "RF15" || hit.ID == "RF16"
		}
	}
	if c.choices != nil {
		for _, decision := range c.choices.find(doc, d.limits.TextBytes) {
			decision.Turn, decision.Segment = d.out.Number, s.Index
			d.out.Decisions = append(d.out.Decisions, decision)
		}
	}
}

// planRecord returns the sketch of a sentence; false if it has too few content words to
// be compared.
func (c *Config) planRecord(turn int, sentence string) (PlanRecord, bool) {
	terms := prose.Terms(sentence)
	if len(terms) < minPlanWords {
		return PlanRecord{}, false
	}
	return PlanRecord{Turn: turn, Words: len(terms), Shingles: similarity.SketchOf(terms, c.Sketches.Sentence)}, true
}

// minPlanWords is the minimum number of content words of a meaningful sentence.
const minPlanWords = 3

func (d *digest) accesses(s *sessionevents.Segment) {
	hash, input := "", ""
	if s.Result != nil {
		hash = s.Result.Hash
	}
	if s.Tool != nil {
		input = s.Tool.InputHash
	}
	for _, a := range s.Accesses[:min(len(s.Accesses), d.limits.ItemsPerTurn)] {
		switch a.Kind {
		case sessionevents.AccessRead:
			d.out.Research = true
			d.out.FilesRead = append(d.out.FilesRead, item(s, FileRead{
				Path: d.registry.Path(a.Target), From: a.From, To: a.To, Turn: d.out.Number,
				Hash: hash, InputHash: input, Segment: s.Index,
			}))
		case sessionevents.AccessSearch, sessionevents.AccessList, sessionevents.AccessFetch:
			d.out.Research = true
			d.out.Fetched = append(d.out.Fetched, item(s, Fetched{
				Kind: a.Kind, Target: shorten(d.registry.Path(a.Target), d.limits.TextBytes),
				Query: shorten(a.Query, d.limits.TextBytes), Turn: d.out.Number, Hash: hash, InputHash: input,
			}))
		case sessionevents.AccessWrite:
			if s.Diff == nil || !s.Diff.Failed {
				d.write(s, a.Target)
			}
		}
	}
}

func (d *digest) write(s *sessionevents.Segment, target string) {
	d.out.Effect = true
	w := item(s, FileWritten{Path: d.registry.Path(target), Turn: d.out.Number, Segment: s.Index})
	if !slices.Contains(d.out.FilesWritten, w) { // an edit tool's write is in both its accesses and its DIFF
		d.out.FilesWritten = append(d.out.FilesWritten, w)
	}
}

func item[T any](s *sessionevents.Segment, value T) SegmentItem[T] {
	return SegmentItem[T]{Segment: s.Index, Item: value}
}

// diff records an edit: the write, a sketch of its added lines, and which
// symbols it builds, edits and removes.
func (d *digest) diff(s *sessionevents.Segment) {
	added, removed := joined(s.Diff.Added()), joined(s.Diff.Removed())
	d.write(s, s.Path)
	if s.Diff.OldPath != "" && s.Diff.OldPath != s.Path {
		d.write(s, s.Diff.OldPath)
		d.gone(s, s.Diff.OldPath, sessionevents.Symbol{})
	}
	d.out.Diffs = append(d.out.Diffs, item(s, DiffRecord{
		Path: d.registry.Path(s.Path), Turn: d.out.Number, Added: countLines(added), Removed: countLines(removed),
		Shingles:  similarity.Sketch(added, d.registry.config.Sketches.Diff),
		AddedHash: hashLines(added), RemovedHash: hashLines(removed),
	}))
	if s.Diff.Op == sessionevents.DiffDelete {
		d.gone(s, s.Path, sessionevents.Symbol{})
		return
	}
	d.symbols(s, added, removed)
}

// symbols distinguishes built symbols from edited and removed ones by the declarations in
// the removed lines. An edited one may be missing from the segment's symbols, so the
// added lines are searched as well.
func (d *digest) symbols(s *sessionevents.Segment, added, removed string) {
	language := s.Language
	if language == "" {
		language = syntax.LanguageOf(s.Path)
	}
	before := syntax.SymbolsSketched(language, removed, 0, 0)
	old := map[string]bool{}
	for _, symbol := range before {
		old[symbol.Name] = true
	}
	stays := map[string]bool{}
	for _, symbol := range s.Symbols[:min(len(s.Symbols), d.limits.SymbolsPerTurn)] {
		if !old[symbol.Name] {
			b := d.built(s, symbol, d.registry.config.Sketches.Built)
			b.Times = 1
			d.out.Built = append(d.out.Built, item(s, b))
		}
	}
	if len(before) > 0 {
		for _, symbol := range syntax.SymbolsSketched(language, added, 0, d.registry.config.Sketches.Built) {
			if old[symbol.Name] && !stays[symbol.Name] {
				stays[symbol.Name] = true
				d.out.Edited = append(d.out.Edited, item(s, d.built(s, symbol, d.registry.config.Sketches.Built)))
			}
		}
	}
	for _, symbol := range before {
		if !stays[symbol.Name] {
			stays[symbol.Name] = true
			d.gone(s, s.Path, symbol)
		}
	}
}

func (d *digest) gone(s *sessionevents.Segment, p string, symbol sessionevents.Symbol) {
	b := d.built(s, symbol, 0)
	b.Symbol.Path, b.Gone = d.registry.Path(p), d.out.Number
	if symbol.Name == "" { // the whole file
		for i := range d.out.FilesWritten {
			if w := &d.out.FilesWritten[i]; w.Segment == s.Index && w.Item.Path == b.Symbol.Path {
				w.Item.Gone = true
			}
		}
	}
	d.out.Removed = append(d.out.Removed, item(s, b))
}

// learn records the symbols that a result shows (SW-10 codebase_symbols).
func (d *digest) learn(s *sessionevents.Segment) {
	for _, symbol := range s.Symbols[:min(len(s.Symbols), d.limits.SymbolsPerTurn)] {
		d.out.Learnt = append(d.out.Learnt, item(s, d.built(s, symbol, d.registry.config.Sketches.Learnt)))
	}
}

func (d *digest) built(s *sessionevents.Segment, symbol sessionevents.Symbol, sketch int) Built {
	if symbol.Path == "" {
		symbol.Path = s.Path
	}
	if symbol.Language == "" {
		symbol.Language = s.Language
	}
	symbol.Path = d.registry.Path(symbol.Path)
	symbol.Signature = shorten(symbol.Signature, d.limits.TextBytes)
	symbol.Shingles = kept(symbol.Shingles, sketch)
	symbol.Bases = nil // A2 keeps what it needs of them
	symbol.Calls = kept(symbol.Calls, d.registry.config.Sketches.Calls)
	return Built{Symbol: symbol, Turn: d.out.Number, Last: d.out.Number}
}

// kept returns the part of a sketch that the registry stores, in the precision of its
// snapshot.
func kept(sketch []uint32, k int) []uint32 {
	out := slices.Clone(similarity.Truncate(sketch, k))
	for i := range out {
		out[i] &= similarity.Precision
	}
	return slices.Compact(out)
}

func joined(lines []sessionevents.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

func countLines(text string) int { return strings.Count(text, "\n") }

// hashLines returns a hash of lines that ignores indentation and blank lines; "" for
// none.
func hashLines(text string) string {
	h := xxhash.New()
	any := false
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			any = true
			_, _ = h.WriteString(line)
			_, _ = h.WriteString("\n")
		}
	}
	if !any {
		return ""
	}
	return strconv.FormatUint(h.Sum64(), 36)
}
