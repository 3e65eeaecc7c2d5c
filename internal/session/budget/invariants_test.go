package budget

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// ledger checks fires of one session against the rules, from events alone.
type ledger struct {
	budget, lastFire int
	delivered        map[sessionevents.Class]int
	charged          map[int]bool // turn of a fire that can still be refunded
	queued           map[string]sessionevents.Urgency
	seen             map[string]*sessionevents.Signal // every signal by its id
	fresh            map[string]bool                  // not ended, and not in the queue
	final            map[string]bool                  // signals that end a response
	confirmed        map[string]bool                  // signals that an opinion confirmed
	folded           map[string][]string              // signals, by the one that they were folded into
	added            int                              // what models found, said
}

// Budget arithmetic, cooldown, one interrupt a turn, limits of the queue, as an
// outsider sees them (DP-3, DP-13 … DP-17, DP-22, DP-25).
func TestFiresKeepTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		_, decided := play(t, h, -1)
		ledgers := map[string]*ledger{}
		paused := map[string]sessionevents.Pause{}
		for _, ev := range decided {
			l := ledgers[ev.Subject]
			if l == nil {
				l = &ledger{
					budget: h.config.Budget, delivered: map[sessionevents.Class]int{}, charged: map[int]bool{},
					queued: map[string]sessionevents.Urgency{}, seen: map[string]*sessionevents.Signal{},
					fresh: map[string]bool{}, final: map[string]bool{}, confirmed: map[string]bool{}, folded: map[string][]string{},
				}
				ledgers[ev.Subject] = l
			}
			switch d := ev.Data.(type) {
			case *sessionevents.TurnEvaluated:
				paused[ev.Subject] = d.Pause
			case *sessionevents.Signal:
				l.seen[d.ID], l.fresh[d.ID], l.final[d.ID] = d, true, d.Final
			case *sessionevents.InterruptDelivery:
				l.refund(d)
			case *sessionevents.OpinionRecorded:
				if d.Confirms() {
					l.confirmed[d.Signal] = true
				}
			case *sessionevents.InterruptQueued:
				l.queued[d.Signal] = d.Urgency
				delete(l.fresh, d.Signal)
			case *sessionevents.Disposition:
				delete(l.queued, d.Signal)
				delete(l.fresh, d.Signal)
				l.raise(d)
				l.folded[d.Into] = append(l.folded[d.Into], d.Signal)
			case *sessionevents.InterruptFired:
				require.Equal(t, ev.ID, d.ID)
				l.check(t, h.config, d, paused[ev.Subject])
			}
		}
	})
}

func (l *ledger) refund(d *sessionevents.InterruptDelivery) {
	if (d.State == "dismissed" || d.State == "unsupported") && l.charged[d.Turn] {
		l.budget++
		delete(l.charged, d.Turn)
	}
}

// raise follows a queue entry whose urgency grows by coalescing.
func (l *ledger) raise(d *sessionevents.Disposition) {
	if u, ok := l.queued[d.Into]; ok && d.Urgency > u {
		l.queued[d.Into] = d.Urgency
	}
}

func (l *ledger) check(t *rapid.T, c *Config, d *sessionevents.InterruptFired, pause sessionevents.Pause) {
	security := strings.HasSuffix(d.UrgencyLabel, "-ESCALATE")
	require.Equal(t, rules.ModeOn, c.Mode, "observe delivers nothing (DP-25)")
	require.NotEqual(t, l.lastFire, d.Turn, "one interrupt a turn (DP-13)")
	require.Equal(t, l.budget, d.Budget.Before, "budget (DP-15)")
	if !security && l.lastFire > 0 && (d.FromQueue || !l.final[d.Signals[0]]) {
		require.GreaterOrEqual(t, d.Turn-l.lastFire, c.CooldownTurns, "cooldown (DP-14)")
	}
	switch {
	case d.FromQueue:
		l.checkQueue(t, c, d, pause)
	case !security:
		require.Positive(t, d.Budget.Before, "only security fires on a spent budget (DP-3)")
		require.True(t, d.Urgency >= c.fire() || d.Detector == "D2", "below 4.0 only a forced D2 fires (DP-2)")
		require.Equal(t, d.Budget.Before-1, d.Budget.After)
	default:
		require.Equal(t, d.Budget.Before-1, d.Budget.After)
	}
	for _, id := range d.Signals {
		delete(l.queued, id)
	}
	l.budget, l.lastFire = d.Budget.After, d.Turn
	if !d.FromQueue {
		l.charged[d.Turn] = true
	}
}

func (l *ledger) checkQueue(t *rapid.T, c *Config, d *sessionevents.InterruptFired, pause sessionevents.Pause) {
	l.delivered[d.Class]++
	require.True(t, pause.Natural || pause.Boundary, "deliveries need a pause (DP-16)")
	require.Equal(t, d.Budget.Before, d.Budget.After, "a delivery does not touch the budget (DP-17)")
	if c.Queue.MaxDelivered > 0 {
		require.LessOrEqual(t, l.delivered[d.Class], c.Queue.MaxDelivered, "of a class (JD-44)")
	}
	require.Equal(t, l.queued[d.Signals[0]], d.Urgency)
	if l.seen[d.Signals[0]].ByModel() {
		l.added++
		one := append(slices.Clone(l.folded[d.Signals[0]]), d.Signals[0])
		confirmed := slices.ContainsFunc(one, func(id string) bool { return l.confirmed[id] })
		require.True(t, confirmed || !c.Opinions.ConfirmAdded, "what a model found is said once it is confirmed (AD-3)")
		require.True(t, c.Opinions.MaxAdded == 0 || l.added <= c.Opinions.MaxAdded, "so much of it in a session (AD-7)")
	}
	if !pause.Natural {
		return // only those that waited long, and spirals
	}
	for id, u := range l.queued {
		if class := l.seen[id].Class; l.outgrown(id) || c.Queue.MaxDelivered > 0 && class != d.Class && l.delivered[class] >= c.Queue.MaxDelivered {
			continue // of a class of which enough was delivered (JD-44)
		}
		if l.seen[id].ByModel() && (c.Opinions.ConfirmAdded || c.Opinions.MaxAdded > 0) {
			continue // it may not be said yet, or no more (AD-3)
		}
		require.LessOrEqual(t, u, d.Urgency, "the highest goes first, not %s (DP-17)", id)
	}
}

// outgrown: a newer signal of the same cause is in its grace turn and may be more urgent. What a model
// found has the cause of a rule's signal of its class about the same thing (AD-3).
func (l *ledger) outgrown(id string) bool {
	old := l.seen[id]
	for other := range l.fresh {
		s := l.seen[other]
		if s.Subject == old.Subject && (s.Detector == old.Detector || s.Class == old.Class && s.ByModel() != old.ByModel()) {
			return true
		}
	}
	return false
}

// Nothing that can be drawn breaks the bounds of what a session remembers.
func TestMemoryIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		h.config.Kept = Kept{Fired: 2, Mutes: 1, Streaks: 1, Sessions: 1}
		h.later.Kept = h.config.Kept
		state, _ := play(t, h, -1)
		for _, s := range state.Sessions {
			require.LessOrEqual(t, len(s.Fired), 2)
			require.LessOrEqual(t, len(s.Mutes), 1)
			require.LessOrEqual(t, len(s.Streaks), 1)
			require.LessOrEqual(t, len(s.Disregards), len(s.Fired)+9, "one a detector")
			require.LessOrEqual(t, len(s.Queue), h.config.Queue.MaxEntries)
		}
		require.Positive(t, NewMachine(h.config).Size(state))
	})
}

func FuzzParseMute(f *testing.F) {
	f.Add([]byte(`{"scope":"detector","detector":"C1","turns":3}`))
	f.Add([]byte(`{"scope":"session","until":"2026-01-01T00:00:00Z"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, details []byte) {
		d, err := runevents.ParseMute(&runevents.OperatorAct{Act: runevents.ActMute, Details: details})
		if err == nil {
			require.NoError(t, d.Scope.Check(d.Detector, d.Subject))
			_, err = MuteOf(&runevents.OperatorAct{Act: runevents.ActMute, Details: details}, 5)
			require.NoError(t, err)
		}
	})
}
