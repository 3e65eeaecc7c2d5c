package console

import (
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Run is what the view of one run shows (CO-13).
type Run struct {
	Place
	Report runreport.Model
	// Events are the decisions about it and its sessions, in the order of the stream.
	Events   []events.Event
	Sessions []readmodel.Session
	Waiting  []runlist.Run // the run itself, if it waits
}

// RenderRun writes the view of one run.
func RenderRun(w io.Writer, m Run) error {
	r := &m.Report
	drawn := m.lanesOf(m.Events, r, m.titles())
	view := struct {
		Heading         string
		Facts, Happened []string
		Report          string
		Needs           []need
		lanes
		Cycles   []cycleRow
		Sessions []row
		Steering []button
	}{
		Heading: m.title(), Facts: m.facts(), Happened: m.happened(), Report: m.link(
			"/v1/runs/"+r.Run.ID+"/report", "format", "html",
		),
		Needs: m.needs(m.Waiting, "/runs/"+r.Run.ID), lanes: drawn, Cycles: m.cycles(), Sessions: m.rows(m.Sessions),
		Steering: m.steering(
			r.Run.ID,
			"/runs/"+r.Run.ID,
			r.Run.Completed || r.Standing.State == runevents.ControlHalted,
		),
	}
	for i := range view.Lanes {
		if id := view.Lanes[i].session; id != "" {
			view.Lanes[i].Link = m.session(id)
		}
	}
	for i := range view.Moments {
		view.Moments[i].At = m.at(view.Moments[i].at)
	}
	view.First, view.Last = m.at(drawn.first), m.at(drawn.last)
	return m.render(w, shell{view: viewLive, title: m.title(), news: newsOf(r.Run.ID)}, "run.gohtml", view)
}

func (m *Run) title() string {
	run := &m.Report.Run
	of := run.Project
	if of == "" {
		of = run.Workspace
	}
	if title := page.Plain(naming.Title(of, run.Goal)); title != "" {
		return title
	}
	return "Run " + page.Plain(naming.Brief(run.ID))
}

// titles returns the names of its sessions, by their agents in the run if known.
func (m *Run) titles() map[string]string {
	ids := make([]string, 0, len(m.Report.Sessions))
	for i := range m.Report.Sessions {
		ids = append(ids, m.Report.Sessions[i].ID)
	}
	names := naming.Short(ids)
	for i := range m.Report.Sessions {
		s := &m.Report.Sessions[i]
		switch {
		case s.AgentID != "" && s.AgentID != s.ID:
			names[s.ID] = s.AgentID + " · " + names[s.ID]
		case s.Agent != nil && s.Agent.Kind != "":
			names[s.ID] = s.Agent.Kind + " · " + names[s.ID]
		}
		names[s.ID] = page.Plain(names[s.ID])
	}
	return names
}

func (m *Run) facts() []string {
	run := &m.Report.Run
	list := []string{page.Plain(run.ID)}
	for _, text := range []string{run.Kind, run.Workflow} {
		if text != "" {
			list = append(list, page.Plain(text))
		}
	}
	if !run.First.IsZero() {
		list = append(list, m.at(run.First)+" to "+m.at(run.Last))
	}
	if usd := money(m.Report.Cost.CostUSD); usd != "" {
		list = append(list, usd)
	}
	return list
}

// happened describes the run in a few sentences, those of its report (CO-9b).
func (m *Run) happened() (list []string) {
	for _, text := range runreport.Happened(m.Report) {
		list = append(list, page.Plain(text))
	}
	return list
}

// cycleRow is one cycle in the table.
type cycleRow struct {
	Cycle, Open, Resolved, New int
	Compared                   bool
	Decision                   string
}

func (m *Run) cycles() (list []cycleRow) {
	for _, c := range m.Report.Cycles {
		list = append(list, cycleRow{c.Cycle, c.Open, c.Resolved, c.New, c.Compared, page.Plain(c.Decision)})
	}
	return list
}
