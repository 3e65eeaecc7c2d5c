package runreport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
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

// eventsPart names the events that the other parts rest on without naming them (CO-9b).
func eventsPart(m Model) doc.Part {
	p := doc.Part{Title: "Its events", Explain: true}
	say := func(what string, events ...string) {
		if len(events) > 0 && strings.Join(events, "") != "" {
			p.Say(what + ": " + ids(events))
		}
	}
	for i := range m.Breaks {
		b := &m.Breaks[i]
		say(m.clock(b.Time)+" "+words(string(b.Trigger)), b.Evidence...)
		say("How that was judged", b.Warrant.Evidence...)
	}
	for i := range m.Corrections {
		c := &m.Corrections[i]
		say(m.clock(c.Time)+" "+issueWords(c.Issue)+", seen again", c.Again...)
		if c.Outcome == Held {
			say(m.clock(c.Time)+" "+issueWords(c.Issue)+", first occasion", c.Tested)
		}
	}
	for _, list := range [][]Judged{m.Violations, m.Warnings} {
		for i := range list {
			say(m.clock(list[i].Time)+" "+list[i].Code, eventsOf(list[i].Evidence)...)
		}
	}
	if m.Isolation != nil {
		for i := range m.Isolation.Incidents {
			say("Isolation incident", m.Isolation.Incidents[i].Event)
		}
	}
	for _, d := range m.Pipeline.Degradations {
		say("Degradation of "+mentioned(d.Phase), d.Event)
	}
	for _, l := range m.Pipeline.Leftovers {
		say("Left over", l.Event)
	}
	for _, s := range m.Pipeline.Scopes {
		say("Scope check", s.Event)
	}
	return p
}

func eventsOf(list []runevents.Reference) (out []string) {
	for _, r := range list {
		if r.Event != "" {
			out = append(out, r.Event)
		}
	}
	return out
}

// isolationPart is WP-17: the five layers by their names, how each stood.
func isolationPart(m Model) doc.Part {
	p := doc.TablePart("Isolation defence", "Layer", "Absent", "Failed", "Caught")
	p.Explain = true
	if m.Isolation == nil {
		return p
	}
	for _, l := range m.Isolation.Layers {
		p.Row(strconv.Itoa(l.Layer)+" "+l.Name, strconv.Itoa(l.Absent), strconv.Itoa(l.Failed), strconv.Itoa(l.Caught))
	}
	return p
}

// incidentsPart lists per incident which layers were absent, failed or caught it;
// the observer is not a layer (WP-17).
func incidentsPart(m Model) doc.Part {
	p := doc.Part{Title: "Isolation incidents"}
	if m.Isolation == nil {
		return p
	}
	p.Empty = none(m)
	for i := range m.Isolation.Incidents {
		p.SayAs(doc.Bad, incidentText(&m.Isolation.Incidents[i]))
	}
	if n := m.Isolation.Observer; n > 0 {
		p.SayAs(doc.Faint, "Seen by the observer's own live detection, which is not a layer: "+page.Plural(n, "incident")+".")
	}
	for _, n := range m.Isolation.Tainted {
		p.SayAs(doc.Bad, fmt.Sprintf("Wave %d was accepted as it is; it stays tainted.", n))
	}
	return p
}

func incidentText(i *runevents.IsolationIncident) string {
	text := i.What + "."
	if i.Wave > 0 {
		text = strings.TrimSpace(fmt.Sprintf("Wave %d %s", i.Wave, i.Letter)) + ": " + text
	}
	for _, standing := range []runevents.LayerState{runevents.LayerAbsent, runevents.LayerFailed, runevents.LayerCaught} {
		var layers []string
		for n, s := range i.Layers {
			if s == standing {
				layers = append(layers, strconv.Itoa(n))
			}
		}
		if len(layers) > 0 {
			text += fmt.Sprintf(" Layers %s: %s.", standing, strings.Join(layers, ", "))
		}
	}
	if i.Observer {
		text += " Seen by the observer."
	}
	return text
}

var conformanceColumns = []string{"Rule", "Status", "Violations", "Warnings", "Events"}

// conformancePart is WP-19: how the run stands to every invariant and rule.
func conformancePart(m Model) doc.Part {
	p := doc.TablePart("Conformance", conformanceColumns...)
	p.Explain = true
	for _, c := range append(append([]Clause{}, m.Conformance...), m.Rules...) {
		p.Row(
			strings.TrimSpace(c.ID+" "+c.Title),
			words(string(c.Conformity)),
			strconv.Itoa(c.Violations),
			strconv.Itoa(c.Warnings),
			ids(c.Events),
		)
	}
	return p
}
