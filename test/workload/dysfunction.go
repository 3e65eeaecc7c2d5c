package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// telling writes events of a run or session down.
type telling func(name string, random *rand.Rand, start time.Time) []events.Event

// dysfunction is one thing that can be wrong with a run, and what is nearly so.
type dysfunction struct {
	name        string
	sick, clean func(*plan)
	stops       string   // kind and trigger of the breaks, in order
	says        []string // what is said beside them, see [Case.Says]
	before      int      // runs of the project before this one,
	always      bool     // which have it too
	offline     bool     // see [Case.Offline]

	// pipeSick and pipeClean, where they are set, change a pipeline instead.
	pipeSick, pipeClean func(*pipe)
	// tellSick and tellClean, where they are set, write the events of what is
	// neither.
	tellSick, tellClean telling
}

// dysfunctions are every shadow and every trigger of run watch, some of what the
// wave protocol forbids, and every rule of pipelines that events can break.
var dysfunctions = slices.Concat(archetypes, systems, triggers, sessions, waves, handovers, loops, isolation, scopes, intents, assumed)

// shadow returns a dysfunction that is corrected.
func shadow(issue string, sick, clean func(*plan)) dysfunction {
	_, name, _ := strings.Cut(issue, " ")
	return dysfunction{name: name, sick: sick, clean: clean, says: []string{"correction " + issue}}
}

// RW-1 … RW-7.
var archetypes = []dysfunction{
	shadow("archetype explorer/rabbit_hole",
		func(p *plan) { p.explorer.Output = "## Findings\n\n" + sentences(2001) },
		func(p *plan) { p.explorer.Output = "## Findings\n\n" + sentences(1500) + explored }),
	shadow("archetype creator/over_architect",
		func(p *plan) { p.proposal.Abstractions = number(3) },
		func(p *plan) { p.proposal.Abstractions = number(2) }),
	shadow("archetype maker/rogue",
		func(p *plan) { p.files("a/one.go", "a/two.go", "a/three.go") },
		func(p *plan) { p.files("a/one.go", "a/two.go") }),
	shadow("archetype guardian/paranoid",
		func(p *plan) { p.reviews[0].Findings = graded(3, 0) },
		func(p *plan) { p.reviews[0].Findings = graded(4, 2) }),
	shadow("archetype skeptic/paralytic",
		func(p *plan) { p.reviews[1].Findings = graded(0, 8) },
		func(p *plan) { p.reviews[1].Findings = graded(0, 7) }),
	shadow("archetype trickster/false_alarm",
		func(p *plan) { p.trickster("lib/untouched.go", false) },
		func(p *plan) { p.trickster(changed[0], true) }),
	shadow("archetype sage/bureaucrat",
		func(p *plan) { p.reviews[2].Output = sentences(400) },
		func(p *plan) { p.reviews[2].Output = sentences(250) }),
}

// RW-10 … RW-16 and RW-22.
var systems = []dysfunction{
	shadow("system system/tunnel_vision",
		func(p *plan) { p.category("correctness") },
		func(p *plan) { p.category("correctness"); p.reviews[2].Findings[0].Category = "testing" }),
	shadow("system system/echo_chamber",
		func(p *plan) { p.consent(29_000) },
		func(p *plan) { p.consent(30_000) }),
	shadow("system system/gold_plating",
		func(p *plan) { p.polish("F9") },
		func(p *plan) { p.polish("F1") }),
	shadow("system system/analysis_paralysis",
		func(p *plan) { p.explorers = 3 },
		func(p *plan) { p.explorers = 2 }),
	shadow("system system/cargo_cult",
		func(p *plan) {
			p.lessons = []runevents.Lesson{{ID: "L1", Text: "Ask for an empty page.", Finding: "F2"}}
		},
		func(p *plan) {
			p.lessons = []runevents.Lesson{{ID: "L1", Text: "Close what you open.", Finding: "F77"}}
		}),
	{
		name: "system/broken_window", says: []string{"correction system system/broken_window"}, before: 1, always: true,
		sick:  func(p *plan) { p.leave(2) },
		clean: func(p *plan) { p.leave(1) },
	},
	{
		name: "system/scope_creep", says: []string{"correction archetype maker/rogue", "correction system system/scope_creep"},
		sick: func(p *plan) {
			p.maker.FilesChanged = append(p.maker.FilesChanged, "b/one.go", "b/two.go", "b/three.go", "b/four.go")
		},
		clean: func(p *plan) {
			p.files(append(append([]string{}, changed...), "b/one.go", "b/two.go", "b/three.go", "b/four.go")...)
		},
	},
	shadow("policy policy/context_lessons",
		func(p *plan) { p.spawned.Lessons = 16 },
		func(p *plan) { p.spawned.Lessons = 15 }),
	shadow("policy policy/context_findings",
		func(p *plan) { p.share(graded(1, 20)) },
		func(p *plan) { p.share(graded(1, 19)) }),
	shadow("policy policy/context_prompt",
		func(p *plan) { p.spawned.PromptTokens = 100_001 },
		func(p *plan) { p.spawned.PromptTokens = 100_000 }),
}

func number(n int) *int { return &n }

// sentences returns about n words of nothing in particular, none twice the same.
func sentences(n int) string {
	var b strings.Builder
	for i := 0; i < n; i += 10 {
		fmt.Fprintf(&b, "The %s of the %s take a limit, row %d shows. ", nouns[i/10%len(nouns)], nouns[(i/10+i/160+1)%len(nouns)], i)
		if i%100 == 90 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// concerns are unlike one another.
var concerns = []string{
	"The last page is cut off when it is full.", "A cursor of another user is accepted.", "Rounding loses a cent per invoice.",
	"Two workers may take one job.", "The cache outlives its session.", "An empty cart divides by zero.", "Mail goes out before the commit.",
	"Labels with umlauts break the sort.", "The retry has no upper bound.", "Stock may fall below nothing.", "Old tokens stay valid after logout.",
	"The export holds the table's lock.", "Time zones shift the report by a day.", "A slow reader blocks the queue.", "The index is missing on customers.",
	"Refunds are counted as sales.", "Null names crash the renderer.", "The filter ignores archived products.", "Uploads have no size limit.",
	"The webhook trusts its sender.", "Search hits come in no order.",
}

var categories = []string{"correctness", "testing", "quality", "security", "design"}

// graded returns findings of the two severities, all sound.
func graded(critical, warning int) []runevents.Finding {
	var list []runevents.Finding
	for i := range critical + warning {
		severity := runevents.SeverityWarning
		if i < critical {
			severity = runevents.SeverityCritical
		}
		list = append(list, finding(fmt.Sprintf("G%d", i+1), severity, categories[i%len(categories)], changed[i%len(changed)], concerns[i%len(concerns)]))
	}
	return list
}

// files are those of proposal and maker.
func (p *plan) files(list ...string) { p.proposal.Files, p.maker.FilesChanged = list, list }

func (p *plan) trickster(file string, inside bool) {
	f := finding("T1", runevents.SeverityWarning, "security", file, "A page number below nothing is passed to the store.")
	f.InChangeset = &inside
	review := p.reviews[1]
	review.Archetype, review.Findings = "trickster", []runevents.Finding{f}
	p.reviews = append(p.reviews, review)
}

// category puts the first cycle's findings, four at least, into one.
func (p *plan) category(name string) {
	p.reviews[0].Findings = graded(1, 1)
	for i := range p.reviews {
		for k := range p.reviews[i].Findings {
			p.reviews[i].Findings[k].Category = name
		}
	}
}

// consent has every reviewer approve, the longest after so many milliseconds.
func (p *plan) consent(longest int64) {
	for i := range p.reviews {
		p.reviews[i].Findings, p.reviews[i].Verdict, p.reviews[i].DurationMS, p.reviews[i].Output = nil, "approved", longest-int64(i)*1000, ""
	}
	p.cycles = []runevents.CycleCompleted{{}}
}

// polish has the maker of the second cycle work on one finding, where a critical
// one and a nit are open.
func (p *plan) polish(id string) {
	nit := finding("F9", runevents.SeverityInfo, "quality", changed[2], "The name could be shorter.")
	p.reviews[2].Findings = append(p.reviews[2].Findings, nit)
	p.cycles[0].Findings = append(p.cycles[0].Findings, nit)
	p.addresses = []string{id}
}

// leave puts warnings off, in the last cycle.
func (p *plan) leave(n int) {
	list := graded(0, n)
	for i := range list {
		list[i].State = "deferred"
	}
	p.cycles[len(p.cycles)-1].Findings = list
}

// share has the reviewers of the first cycle find a list between them, of which
// one is left in the second.
func (p *plan) share(list []runevents.Finding) {
	p.cycles = []runevents.CycleCompleted{{Findings: list}, {Findings: list[1:2]}, {}}
	for i := range p.reviews {
		p.reviews[i].Findings = p.later(p.reviews[i], i, list).Findings
	}
}
