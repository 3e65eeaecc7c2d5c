package budget

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func (c *conversation) showState() {
	s := c.state.Sessions[c.session]
	if s == nil {
		c.say("state: not known")
		return
	}
	text := fmt.Sprintf("turn %d budget %d last_fire %d delivered %d", s.Turn, s.Budget, s.LastFire, deliveredBy(s))
	for _, p := range s.Pending {
		text += " pending " + c.names[p.ID]
	}
	for _, p := range s.Watched {
		text += " watched " + c.names[p.ID]
	}
	for _, e := range s.Queue {
		text += fmt.Sprintf(" queued %s %s×%d", c.names[e.Signal.ID], e.Urgency, e.Count)
	}
	c.say("state: %s", text)
}

// showRepeats shows what RW-35 looks at.
func (c *conversation) showRepeats() {
	s := c.state.Sessions[c.session]
	for _, k := range s.Streaks {
		c.say("repeat of %s %s: length %d, fresh %d", k.Detector, k.Subject, k.Length, k.Fresh())
	}
	for _, d := range s.Disregards {
		c.say("disregard of %s: ignored %d, heard %d, fired again %d", d.Detector, d.Ignored, d.Heard, d.Again)
	}
	if len(s.Streaks)+len(s.Disregards) == 0 {
		c.say("no repeats")
	}
}

func (c *conversation) show(ev events.Event) {
	switch d := ev.Data.(type) {
	case *sessionevents.Disposition:
		text := fmt.Sprintf("%s %s %s %s", ev.Type, c.names[d.Signal], d.Urgency, d.Reason)
		if d.Into != "" {
			text += " → " + c.names[d.Into]
		}
		c.say("%s", text)
	case *sessionevents.InterruptQueued:
		c.say("%s %s %s %s position %d", ev.Type, c.names[d.Signal], d.Urgency, d.Reason, d.Position)
	case *sessionevents.InterruptFired:
		require.Equal(c.t, ev.ID, d.ID, "the interrupt's id is its event's id")
		c.fired[c.names[d.Signals[0]]] = d.ID
		c.showFired(d)
	case *sessionevents.BudgetExhausted:
		c.say("%s %s", ev.Type, d.Note)
	case *sessionevents.InterruptDelivery:
		by := d.By
		if d.Channel != "" {
			by += ", heard by " + d.Channel
		}
		c.say("%s turn %d %s by %s", ev.Type, d.Turn, d.State, by)
	default:
		c.t.Fatalf("unexpected %s", ev.Type)
	}
}

func (c *conversation) showFired(d *sessionevents.InterruptFired) {
	var names []string
	for _, id := range d.Signals {
		names = append(names, c.names[id])
	}
	queue := ""
	if d.FromQueue {
		queue = " from_queue"
	}
	c.say("interrupt.fired %s [CLASS-%s | URGENCY: %s] budget %d→%d%s", strings.Join(names, "+"), d.Class, d.UrgencyLabel, d.Budget.Before, d.Budget.After, queue)
	if c.forwards {
		c.say("  %s", d.Headline)
		c.say("  message: %s", d.Message)
		c.say("  reason: %s", d.Reason)
		c.say("  hold_until %s, expires after turn %d, target %s/%s, %d evidence", d.HoldUntil, d.ExpiresTurn, d.Target.Session, d.Target.Instance, len(d.Evidence))
	}
}

// deliveredBy is how many words were delivered from the queue, of all classes (JD-44).
func deliveredBy(s *Session) int {
	n := 0
	for _, of := range s.Delivered {
		n += of
	}
	return n
}
