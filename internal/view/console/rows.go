package console

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// row is one session in a list.
type row struct {
	id                                          string
	Name, Title, Link, Agent, State, Tone, Last string
	Model, Act                                  string
	Debt                                        string   // what is not put right
	Circles                                     []string // in which it goes of late
	Happened                                    string   // what it was told and kept from
	Cost                                        string
	Pips                                        *pips
	Child                                       bool
	Turns                                       int
}

// rows lists sessions, subagents below their parent if both are shown.
func (p *Place) rows(sessions []readmodel.Session) []row {
	ids, children := make([]string, len(sessions)), map[string][]readmodel.Session{}
	shown := map[string]bool{}
	for i := range sessions {
		ids[i], shown[sessions[i].Session] = sessions[i].Session, true
	}
	var order []readmodel.Session
	for _, s := range sessions {
		if parent, _ := naming.Split(s.Session); parent != "" && shown[parent] {
			children[parent] = append(children[parent], s)
		} else {
			order = append(order, s)
		}
	}
	short := naming.Short(ids)
	list := make([]row, 0, len(sessions))
	add := func(s readmodel.Session, child bool) {
		one := row{
			Name: page.Plain(short[s.Session]), Title: page.Plain(naming.Title(s.Workspace, s.Task)), Child: child, Link: p.session(s.Session),
			Agent: page.Plain(s.Agent), State: "open", Tone: toneGood, Last: p.at(s.Last), Turns: s.Turns,
			Happened: happened(s), Cost: money(s.CostUSD), Model: page.Plain(s.Model), Act: page.Plain(s.Act), id: s.Session,
		}
		if s.Closed {
			one.State, one.Tone = "closed", ""
		} else {
			one.Pips = p.pips(s.Spent)
		}
		list = append(list, one)
	}
	for _, s := range order {
		add(s, false)
		for _, c := range children[s.Session] {
			add(c, true)
		}
	}
	return list
}

// happened describes a session's interrupts and what was prevented, "" if there is nothing.
func happened(s readmodel.Session) string {
	var parts []string
	if s.Interrupts > 0 {
		parts = append(parts, fmt.Sprintf("told %d", s.Interrupts))
	}
	if s.Prevented > 0 {
		parts = append(parts, fmt.Sprintf("prevented %d", s.Prevented))
	}
	return strings.Join(parts, ", ")
}

// pips show how many interrupts at once a session may still get (DP-15).
type pips struct{ Left, Spent, Text string }

// drawn is the largest budget that is drawn; a larger one is shown as a number.
const drawn = 6

// pips returns the pips of a session that has used some of its budget; nil if no budget is known.
func (p *Place) pips(spent int) *pips {
	if p.Budget <= 0 {
		return nil
	}
	left := max(p.Budget-spent, 0)
	one := &pips{Text: fmt.Sprintf("%d of %d left", left, p.Budget)}
	if p.Budget <= drawn {
		one.Left, one.Spent = strings.Repeat("●", left), strings.Repeat("○", p.Budget-left)
	}
	return one
}

// money formats a sum in dollars, "" if it is not known.
func money(usd float64) string {
	if usd <= 0 {
		return ""
	}
	return page.Dollars(usd)
}
