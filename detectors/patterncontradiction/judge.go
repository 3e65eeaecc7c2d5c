// Package patterncontradiction finds work that goes against how the codebase
// does a thing, what the user forbade or what the agent itself decided (A2).
package patterncontradiction

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is A2 as a value.
var Detector = &detect.Detector{
	ID: "A2", Name: "patterncontradiction", Class: sessionevents.ClassA,
	Title: "Contradictions of a pattern, constraint or decision",
	Doc:   doc, Rules: []string{"A2", "PD-10", "SW-10", "SW-13", "SW-13a", "SW-14", "SW-30", "SW-42", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of A2.
const (
	layerCost    = 3
	bypassCost   = 4
	contraryCost = 5
	// P(self-corrects) where the agent read or named the established thing, and where not.
	knownCorrects   = 0.5
	unknownCorrects = 0.3
	// queueCap keeps what is only inferred from firing at once.
	queueCap sessionevents.Urgency = 39
)

// NewState is the memory of what the session's files use.
func (*instance) NewState() any { return &memory{} }

// Run judges what the turn plans and does in the order of its segments, and
// learns from what it reads.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	k := d.judge(p)
	k.orders.instructed()
	k.requests.asks()
	k.words()
	k.choices.redecided()
	for i := range p.Turn.Segments {
		switch s := &p.Turn.Segments[i]; s.Kind {
		case sessionevents.SegmentDiff:
			k.edited(s)
			k.breaches.breaks(s)
			k.denials.refused(s)
		case sessionevents.SegmentTool:
			k.called(s)
		case sessionevents.SegmentError:
			k.breaches.breaks(s)
		}
	}
	k.plans.intends()
	k.orders.readyClaims()
	k.requests.dropped()
	k.book.nameEstablished()
	k.choices.notes()
	return k.findings
}

// judge is a turn before the recorded rules: it reads what the turn says and does, in order, and
// asks each kind of contradiction about it.
type judge struct {
	*turn
	book       *book
	practice   *practice
	bans       *bans
	choices    *choices
	packages   *packages
	bounds     *bounds
	limits     *limits
	breaches   *breaches
	plans      *plans
	orders     *orders
	structures *structures
	layers     *layers
	requests   *requests
	denials    *denials
}

func (d *instance) judge(p *detect.Pass) *judge {
	t := &turn{instance: d, Pass: p, memory: p.State.(*memory)}
	b := &book{turn: t}
	known := &practice{t, b}
	banned := &bans{t, b, known}
	chosen := &choices{turn: t, book: b, practice: known, bans: banned}
	return &judge{
		t, b, known, banned, chosen, &packages{t, b, known, chosen}, &bounds{t, b},
		&limits{turn: t, book: b}, &breaches{t},
		&plans{t, b, chosen}, &orders{turn: t},
		&structures{t}, &layers{t}, &requests{t}, &denials{t},
	}
}

// words judges what the turn's plans say: decisions (SW-13), "I'll use X
// directly" (RF04), a new layer (RF03).
func (k *judge) words() {
	for i := range k.Additions.Decisions {
		k.choices.decided(&k.Additions.Decisions[i])
	}
	for i := range k.Additions.RedFlags {
		switch flag := &k.Additions.RedFlags[i]; flag.ID {
		case "RF03":
			k.layers.newLayer(flag)
		case "RF04":
			k.bans.directUse(flag)
		}
	}
}

// edited judges a DIFF.
func (k *judge) edited(s *sessionevents.Segment) {
	if !detect.Applied(s) {
		return
	}
	e := &edit{turn: k.turn, segment: s, file: k.Before.Path(s.Path), ecosystem: families.Ecosystem(s.Language), text: detect.Text(s)}
	e.exempt, e.test = k.exempt(e.file), k.isTest(e.file)
	e.rewritten = s.Diff.Op == sessionevents.DiffCreate && len(k.Before.Reads(e.file)) > 0
	if strings.HasSuffix(e.file, k.ConventionFile) {
		k.book.learnConventions(e.text)
	}
	if !k.memory.Edited && !k.isScratch(e.file) {
		k.memory.Edited, k.memory.Ran = true, nil
	}
	k.requests.meets(e)
	k.bounds.paths(e)
	k.breaches.breaksFile(e)
	k.limits.exceeds(e)
	if kind := manifest.Of(e.file); kind != nil {
		k.packages.dependencies(e, kind)
	} else if s.Diff.Op != sessionevents.DiffDelete && s.Diff.Op != sessionevents.DiffRename {
		k.bypasses(e)
		k.structures.structureOf(e)
	}
	if s.Diff.Op == sessionevents.DiffCreate && !e.rewritten {
		k.memory.Made = detect.Once(k.memory.Made, hashOf(e.file), k.Limits.Made)
	}
}

// bypasses judges what an edit begins to use: against declared rules, against
// recorded decisions, against what the files read agree on.
func (k *judge) bypasses(e *edit) {
	if e.text == "" {
		return
	}
	declared := map[string]bool{} // things a rule has spoken of
	for _, r := range k.book.rulebook() {
		if r.kind == forbids {
			k.bans.againstRule(e, r, declared)
		}
	}
	if e.rewritten {
		return
	}
	for _, module := range e.segment.Imports {
		for _, m := range k.libraries.Imported(e.ecosystem, module) {
			if !declared[m.Spoken()] && !k.choices.againstDecision(e, m, module) {
				k.practice.againstInferred(e, m, module)
			}
		}
	}
	k.choices.againstStanding(e, declared)
	if !e.exempt {
		k.practice.rawCalls(e, declared)
	}
}

// called learns from a call's result and judges the packages it adds.
func (k *judge) called(s *sessionevents.Segment) {
	k.denials.circumvented(s)
	k.denials.refused(s)
	if s.Rejected {
		return
	}
	k.orders.ordered(s)
	k.breaches.breaks(s)
	if s.Tool != nil && s.Tool.Command != "" && slices.Contains(s.Tool.Effects, "install") {
		k.packages.installed(s)
		k.packages.managed(s)
	}
	k.practice.lockFiles(s)
	if s.Path == "" {
		return
	}
	file := k.Before.Path(s.Path)
	if kind := manifest.Of(file); kind != nil {
		if len(s.Accesses) == 1 && s.Accesses[0].From <= 1 && s.Accesses[0].To == 0 { // of a part nobody knows what the rest names
			k.practice.learnManifest(kind, file, s.Imports)
		}
		return
	}
	if path.Base(file) == k.ConventionFile && s.Result != nil && s.Result.Tail == "" {
		shown, _ := segment.WithoutNumbers(s.Result.Head)
		k.book.learnConventions(shown)
	}
	k.practice.learnImports(file, s)
	k.structures.learnStructure(file, s)
}
