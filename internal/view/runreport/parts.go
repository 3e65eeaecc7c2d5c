package runreport

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// Document lays the report out.
func Document(m Model) doc.Document {
	d := doc.Document{
		Of: "run " + m.Run.ID, Heading: "SCAFFOLD-WATCH RUN REPORT", Name: "Run " + naming.Brief(m.Run.ID),
		Brief: stateText(m) + ", " + page.Plural(m.Run.Events, "event"),
		Quiet: Quiet(m), Lead: lead(m), Parts: layOut(m), Tail: doc.More,
	}
	if m.Run.Lone {
		d.Name = "Session " + naming.Brief(m.Run.ID) + " as its own run"
	}
	return d
}

// lead says which run it is and when it was.
func lead(m Model) []doc.Block {
	list := []doc.Block{&doc.Paragraph{Text: identity(m), Tone: doc.Faint}}
	if m.Run.Goal != "" {
		list = append(list, &doc.Paragraph{Label: "Goal", Text: passage(m.Run.Goal)})
	}
	if text := period(m); text != "" {
		list = append(list, &doc.Paragraph{Text: text, Tone: doc.Faint})
	}
	return list
}

// countedPart are the numbers of the run, and where it worked.
func countedPart(m Model) doc.Part {
	p := doc.Part{Title: "Counted", Explain: true, Blocks: []doc.Block{figures(m)}}
	if naming.Generated(m.Run.ID) {
		p.Say("Id " + m.Run.ID)
	}
	if m.Run.Workspace != "" {
		p.Say("Workspace " + quote.Path(m.Run.Workspace))
	}
	return p
}

// Conclusions lays out what follows from the decisions of a run: whether breaks were warranted
// and corrections helped, how cycles converged, how the run conforms to the wave protocol, what
// was not watched. It goes below a list of the decisions, and has no part if nothing follows.
func Conclusions(m Model) doc.Document {
	return doc.Document{Of: "run " + m.Run.ID, Parts: conclusions(m)}
}

// layOut is the report in parts, those with nothing to say left out.
func layOut(m Model) []doc.Part {
	var out []doc.Part
	for _, p := range []doc.Part{
		happenedPart(m), openPart(m), breaksPart(m), preventedPart(m), refusedPart(m),
		judgedPart(m, "Rules broken", m.Violations, doc.Bad), incidentsPart(m), shadowsPart(m), correctionsPart(m),
		judgedPart(m, "Warnings", m.Warnings, doc.Plain), steersPart(m), policiesPart(m), cyclesPart(m),
		degradationsPart(m), leftoversPart(m), sessionsPart(m), costPart(m),
		countedPart(m), effectsPart(m), convergencePart(m), gatesPart(m), isolationPart(m), conformancePart(m),
		evaluationsPart(m), calibrationPart(m), eventsPart(m), timelinePart(m), coveragePart(m),
	} {
		if !p.Nothing() || p.Empty != "" {
			out = append(out, p)
		}
	}
	return out
}

// none stands for an empty list: a gap replaces "none", since silence means
// something only where somebody watched.
func none(m Model) string {
	if gap := notWatched(m); gap != "" {
		return "None seen; " + gap
	}
	if m.Coverage.NewsNotHeld {
		return "None here; see Coverage."
	}
	return "None."
}

// notWatched says what silence does not cover, "" where all was watched.
func notWatched(m Model) string {
	var gaps []string
	if failed := len(m.Coverage.Failed); failed > 0 {
		gaps = append(gaps, page.Plural(failed, "run event"))
	}
	if m.Coverage.TurnsFailed > 0 {
		gaps = append(gaps, page.Plural(m.Coverage.TurnsFailed, "turn"))
	}
	if len(gaps) == 0 {
		return ""
	}
	return "not watched: " + strings.Join(gaps, " and ") + "."
}

// conclusions returns the parts that do not list decisions.
func conclusions(m Model) []doc.Part {
	verdicts := doc.Part{Title: "Halts, by what came after them"}
	for i := range m.Breaks {
		b := &m.Breaks[i]
		verdicts.SayAs(verdictTone(b.Warrant.Verdict), words(string(b.Trigger))+": "+warrantText(b.Warrant))
	}
	parts := []doc.Part{
		verdicts, effectsPart(m), convergencePart(m), isolationPart(m), incidentsPart(m), brokenRules(m),
		degradationsPart(m),
		evaluationsPart(m), calibrationPart(m),
	}
	if notWatched(m) != "" || len(m.Coverage.Claims) > 0 || m.Coverage.Pending > 0 {
		parts = append(parts, coveragePart(m))
	}
	return slices.DeleteFunc(parts, doc.Part.Nothing)
}

// brokenRules is the conformance without what was held or gave no occasion.
func brokenRules(m Model) doc.Part {
	p := doc.TablePart("Conformance", conformanceColumns...)
	all := conformancePart(m)
	for _, row := range all.Rows() {
		if row[2].Text != "0" || row[3].Text != "0" {
			p.AddRow(row)
		}
	}
	return p
}
