package mute

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// List groups the commands that show mutes.
type List struct {
	List mutesListCommand `cmd:"" default:"withargs" help:"List the active mutes."`
}

type mutesListCommand struct {
	cli.Connection
	All    bool   `help:"Include mutes that have ended."`
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help gives examples.
func (mutesListCommand) Help() string {
	return `Lists mutes that people set, and those of the rules file (dispatch: mutes:), which apply to
every session, or to those in one workspace.

Examples:
  scaffoldwatch mutes
  scaffoldwatch mutes list --all --output json`
}

// listedMute is a mute with its state.
type listedMute struct {
	readmodel.Mute
	Over bool `json:"over"`
}

// Run lists the mutes: those of the rules file, then the others, oldest first.
func (c *mutesListCommand) Run(r *cli.Call) error {
	own, err := c.ofRules(r)
	if err != nil {
		return cli.Usage(err)
	}
	model, closeModel, err := c.ReadModel(r)
	if err != nil {
		return err
	}
	defer closeModel()
	set, err := model.Mutes(r)
	if err != nil {
		return err
	}
	list := []listedMute{}
	now := time.Now()
	for _, m := range append(own, set...) {
		if over := m.Over(now); c.All || !over {
			list = append(list, listedMute{m, over})
		}
	}
	if c.Output == "json" {
		return cli.Indented(r.Stdout, list)
	}
	return c.print(r, list)
}

// ofRules returns the mutes of the rules file.
func (c *mutesListCommand) ofRules(r *cli.Call) ([]readmodel.Mute, error) {
	_, config, err := dispatching(c.Connection, r)
	if err != nil {
		return nil, err
	}
	var list []readmodel.Mute
	for _, m := range config.Mutes {
		list = append(list, readmodel.Mute{Scope: m.Scope, Detector: m.Detector, Subject: m.Subject, By: m.By, Why: m.Reason, Until: m.Until, Workspace: m.Workspace})
	}
	return list, nil
}

func (c *mutesListCommand) print(r *cli.Call, list []listedMute) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(r.Stdout, "nothing is muted")
		return err
	}
	for i := 0; i < len(list); {
		m, where := list[i], []string{}
		for ; i < len(list) && m.sameAct(list[i]); i++ {
			where = append(where, list[i].where(r.Theme))
		}
		_, err := fmt.Fprintf(r.Stdout, "%s %s, by %s: %s\n  %s\n", muteObject(m.Scope, m.Detector, m.Subject), muteEnd(r.Theme, m), terminal.Clean(m.By), terminal.Clean(m.Why),
			r.Theme.Faint.Render(shown(where)))
		if err != nil {
			return err
		}
	}
	return nil
}

// sameAct reports whether two mutes come from one call for several groups.
func (m listedMute) sameAct(other listedMute) bool {
	m.Session, m.Group, m.FromTurn, m.LastTurn = other.Session, other.Group, other.FromTurn, other.LastTurn
	return m == other
}

// where says where a mute applies; scripts read whole ids.
func (m listedMute) where(theme terminal.Theme) string {
	switch {
	case m.Session != "":
		return "session " + named(theme, []string{m.Session})[0]
	case m.Group != "":
		return "sessions of " + named(theme, []string{m.Group})[0]
	case m.Workspace != "":
		return "in " + terminal.Clean(m.Workspace) + " (rules file)"
	}
	return "everywhere (rules file)"
}

// muteEnd describes when a mute ends.
func muteEnd(theme terminal.Theme, m listedMute) string {
	s := "to the end of the session"
	switch {
	case m.Turns > 0 && m.Session != "":
		s = fmt.Sprintf("up to turn %d", m.FromTurn+m.Turns)
	case m.Turns > 0:
		s = "for " + text.Count(m.Turns, "turn")
	case !m.Until.IsZero() && theme.Interactive:
		s = "until " + m.Until.Local().Format("2 Jan 2006 15:04")
	case !m.Until.IsZero():
		s = "until " + m.Until.UTC().Format(time.RFC3339)
	case m.Session == "" && m.Group == "":
		s = "for good"
	}
	if m.Over {
		s += " (over)"
	}
	return s
}

// tell prints what the mute changes.
func (c *Mute) tell(r *cli.Call, model *readmodel.Model, sessions []readmodel.Session, d runevents.MuteDetails, escalating []string) error {
	var ids []string
	for _, s := range sessions {
		ids = append(ids, s.Session)
	}
	covered, err := model.Covered(r, ids, d.Detector, d.Subject)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout, "mute %s, %s, by %s: %s\n", muteObject(d.Scope, d.Detector, d.Subject), muteLimit(d), c.Name(), terminal.Clean(c.Why))
	fmt.Fprintf(r.Stdout, "  in %s: %s\n", text.Count(len(ids), "session"), shown(named(r.Theme, ids)))
	if covered.All == 0 {
		fmt.Fprintln(r.Stdout, "  nothing matches so far: no signal there would have been silenced")
	} else {
		fmt.Fprintf(r.Stdout, "  %s so far, of which %d wait and are suppressed now\n", text.Count(covered.All, "signal"), covered.Waiting)
	}
	if d.Scope != runevents.MuteSession && (d.Detector == "" || slices.Contains(escalating, d.Detector)) {
		fmt.Fprintln(r.Stdout, "  this silences security escalations too")
	}
	return nil
}

// named shows ids as people read them; scripts read whole ids.
func named(theme terminal.Theme, ids []string) []string {
	if theme.Interactive {
		return naming.Briefs(ids...)
	}
	return ids
}

// shownSessions limits how many sessions are named.
const shownSessions = 8

func shown(ids []string) string {
	if len(ids) <= shownSessions {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:shownSessions], ", ") + fmt.Sprintf(" and %d more", len(ids)-shownSessions)
}

func muteObject(scope runevents.MuteScope, detector, subject string) string {
	switch {
	case scope == runevents.MuteSubject && detector != "":
		return detector + " about " + terminal.Clean(subject)
	case scope == runevents.MuteSubject:
		return "everything about " + terminal.Clean(subject)
	case detector != "":
		return detector
	}
	return "everything but security escalations"
}

func muteLimit(d runevents.MuteDetails) string {
	switch {
	case d.Turns > 0:
		return "for " + text.Count(d.Turns, "turn")
	case d.Until != nil:
		return "until " + d.Until.Format(time.RFC3339)
	}
	return "to the end of the session"
}
