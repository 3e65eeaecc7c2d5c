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
