package workload

import runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

func (p *pipe) assume(how func(*runevents.Assumption)) {
	change(p, "assumptions", func(d *runevents.AssumptionsStated) { how(&d.Assumptions[0]) })
}

func (p *pipe) skip() { p.trigger(func(t *runevents.Trigger) { t.SkipIntent = true }) }

// asked leaves a question open in the handover of shaping.
func (p *pipe) asked(resolution string) {
	change(p, "shaping done", func(d *runevents.PhaseCompleted) {
		d.OpenQuestions = []runevents.OpenQuestion{{Question: "Which time zone counts?", ChangesImplementation: true, Resolution: resolution}}
	})
}

// sections adds to the context.
func (p *pipe) sections(list ...runevents.ContextSection) {
	change(p, "context", func(d *runevents.ContextAssembled) { d.Sections = append(d.Sections, list...) })
}

func (p *pipe) contradiction(followed string) {
	change(p, "context", func(d *runevents.ContextAssembled) {
		d.Contradictions = []runevents.Contradiction{{What: "the answer's status", Between: []string{"adr", "chat"}, ResolvedTo: followed}}
	})
}

// misread makes a review find that the intent was misread; the argument says how much of that is recorded.
func (p *pipe) misread(recorded ...string) {
	f := finding("M1", runevents.SeverityInfo, "interpretation", p.choice.file, "The id is logged, which nobody asked for.")
	change(p, "verdict", func(d *runevents.ReviewCompleted) { d.Findings = append(d.Findings, f) })
	change(p, "calibration", func(d *runevents.CalibrationRecorded) { d.InterpretationFindings = recorded })
}

// PL-37 … PL-39.
var assumed = []dysfunction{
	piped("PL-37 no interpretation", says("violation SKIP-WITHOUT-INTERPRETATION"),
		func(p *pipe) {
			p.skip()
			change(p, "checkpoint", func(d *runevents.IntentCheckpoint) { d.Interpretation = " " })
		},
		(*pipe).skip),
	piped("PL-37 no assumptions", says("violation SKIP-WITHOUT-ASSUMPTIONS"),
		func(p *pipe) {
			p.skip()
			p.typed("refactor")
			p.drop("assumptions")
		},
		func(p *pipe) { p.skip(); p.drop("assumptions") }),
	piped("PL-38 unchecked", says("warning ASSUMPTION-UNCHECKED"),
		func(p *pipe) { p.assume(func(a *runevents.Assumption) { a.Status = "unchecked" }) },
		func(p *pipe) { p.assume(func(a *runevents.Assumption) { a.Status = "" }) }),
	piped("PL-38 late", says("warning ASSUMPTIONS-LATE"),
		func(p *pipe) { p.move("assumptions", "coder done") },
		func(p *pipe) { p.move("assumptions", "coder turn 1") }),
	piped("PL-38 missing", says("warning ASSUMPTIONS-MISSING"),
		func(p *pipe) {
			p.typed("refactor")
			p.drop("assumptions")
		},
		func(p *pipe) { p.drop("assumptions") }),
	piped("PL-38a failed source", says(doubt, "warning SOURCE-UNLISTED"),
		func(p *pipe) {
			p.sections(runevents.ContextSection{Name: "jira", Tier: number(2), Status: "failed"})
			p.council("clear", held)
		},
		func(p *pipe) {
			p.sections(runevents.ContextSection{Name: "jira", Tier: number(2), Status: "unconfigured"})
		}),
	piped("PL-38a tier 2", says("warning TIER2-OVER-BUDGET"),
		func(p *pipe) {
			p.sections(runevents.ContextSection{Name: "two", Tier: number(2)}, runevents.ContextSection{Name: "three", Tier: number(2)}, runevents.ContextSection{Name: "four", Tier: number(2)})
		},
		func(p *pipe) {
			p.sections(runevents.ContextSection{Name: "two", Tier: number(2)}, runevents.ContextSection{Name: "three", Tier: number(2), Tokens: 3000})
		}),
	piped("PL-38a open", says("warning CONTRADICTION-OPEN"),
		func(p *pipe) { p.contradiction("") },
		func(p *pipe) { p.contradiction("adr") }),
	piped("PL-38a down", says("violation CONTRADICTION-RESOLVED-DOWN"),
		func(p *pipe) { p.contradiction("chat") },
		func(p *pipe) { p.contradiction("ADR") }),
	piped("PL-38a question", says("warning OPEN-QUESTION"),
		func(p *pipe) { p.asked("") },
		func(p *pipe) { p.asked("UTC.") }),
	piped("PL-38a observation", says("warning OBSERVATION-WITHOUT-DISPOSITION"),
		func(p *pipe) {
			change(p, "end", func(d *runevents.RunCompleted) { d.Observations = []runevents.Observation{{Text: "Tests are slow."}} })
		},
		func(p *pipe) {
			change(p, "end", func(d *runevents.RunCompleted) {
				d.Observations = []runevents.Observation{{Text: "Tests are slow.", Disposition: "filed"}}
			})
		}),
	piped("PL-39 differs", says("warning CALIBRATION-DIFFERS"),
		func(p *pipe) {
			change(p, "calibration", func(d *runevents.CalibrationRecorded) {
				d.Breakdown = map[string]any{"overallAmbiguityLevel": "uncertain"}
			})
		}, as),
	piped("PL-39 left out", says("warning CALIBRATION-INCOMPLETE"),
		func(p *pipe) { p.misread() },
		func(p *pipe) { p.misread("M1") }),
}
