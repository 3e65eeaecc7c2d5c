package runreport

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

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
