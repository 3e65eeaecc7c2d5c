package readmodel

import (
	"fmt"
	"math"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn keeps the marker of a turn; one that came before counts once.
func (b *batch) turn(ev events.Event, d *sessionevents.TurnEvaluated) error {
	s, err := b.session(ev, d.Session)
	if err != nil || d.Turn <= s.lastTurn {
		return err
	}
	observed := d.Observed
	if observed == nil {
		observed = &sessionevents.Observations{}
	}
	if err := b.runsAs(s, observed.Agent); err != nil {
		return err
	}
	b.called(s, "", observed.Asked)
	missing := d.Turn - s.lastTurn - 1
	s.lastTurn, s.closed, s.reason = d.Turn, false, ""
	if d.Run != "" {
		s.run = d.Run
	}
	s.turns++
	s.skipped += missing
	b.countAgent(s, "turns", 1)
	b.countAgent(s, "skipped", missing)
	if d.Failed != "" {
		s.failed++
		b.countAgent(s, "failed", 1)
	}
	b.did(s, d)
	if err := b.observe(s, observed); err != nil {
		return err
	}
	return b.writeTurn(s, d, observed, missing)
}

// did keeps what the turn did, in words; a turn that only spoke leaves what was done before.
func (b *batch) did(s *session, d *sessionevents.TurnEvaluated) {
	if text := short(sessionreport.Acted(d)); text != "" {
		b.grow(s, int64(len(text)-len(s.act)))
		s.act = text
	}
}

// refused counts a turn that was refused at the door as one that nobody evaluated. A
// refused run event is closed by its run.evaluated.
func (b *batch) refused(ev events.Event, d *sessionevents.InputRefused) error {
	if !d.Turn() || d.RunEvent() {
		return nil
	}
	s, err := b.session(ev, d.Session)
	if err != nil {
		return err
	}
	if known, err := b.knowRefused(s, ev.ID); known || err != nil {
		return err
	}
	s.turns++
	s.failed++
	b.countAgent(s, "turns", 1)
	b.countAgent(s, "failed", 1)
	return nil
}

// maxRefused is how many refused turns of a session are remembered.
const maxRefused = 1000

// knowRefused remembers a refused turn, and reports whether it was refused before: who
// gets no answer sends again.
func (b *batch) knowRefused(s *session, id string) (before bool, err error) {
	if before, err = b.exists("SELECT 1 FROM refused WHERE session = ? AND id = ?", s.id, id); before || err != nil {
		return before, err
	}
	if err := b.run("INSERT INTO refused VALUES (?,?,?)", s.id, id, s.turns); err != nil {
		return false, fmt.Errorf("remember a refused turn: %w", err)
	}
	if err := b.run("DELETE FROM refused WHERE session = ? AND turns < ?", s.id, s.turns-maxRefused); err != nil {
		return false, fmt.Errorf("forget refused turns: %w", err)
	}
	return false, nil
}

// observe counts what a turn showed.
func (b *batch) observe(s *session, o *sessionevents.Observations) error {
	if c := o.Continuity; c != nil && c.OutOfOrder {
		b.countAgent(s, "out_of_order", 1)
	}
	if o.NoBaseline {
		b.countAgent(s, "no_baseline", 1)
	}
	if u := o.Usage; u != nil {
		input, output, cost := tokens(u.InputTokens), tokens(u.OutputTokens), costMicros(u)
		s.inputTokens, s.outputTokens, s.costMicros = s.inputTokens+input, s.outputTokens+output, s.costMicros+cost
		b.countAgent(s, "usage_turns", 1)
		b.countAgent(s, "input_tokens", int(input))
		b.countAgent(s, "output_tokens", int(output))
		b.countAgent(s, "cost_micros", int(cost))
		if cost > 0 {
			b.countAgent(s, "cost_turns", 1)
		}
	}
	for _, what := range slices.Compact(slices.Sorted(slices.Values(o.Unsupported))) {
		name, err := b.name(kindUnsupported, what)
		if err != nil {
			return err
		}
		b.count(b.dayNow(), kindUnsupported, name, "turns", 1)
	}
	return nil
}

func (b *batch) writeTurn(s *session, d *sessionevents.TurnEvaluated, o *sessionevents.Observations, missing int) error {
	failed := short(d.Failed)
	size := rowSize(failed)
	u := o.Usage
	if u == nil {
		u = &sessionevents.Usage{}
	}
	err := b.run(`INSERT OR REPLACE INTO turns VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		s.id, d.Turn, b.now, failed, missing, o.Continuity != nil && o.Continuity.OutOfOrder, o.NoBaseline, short(string(d.Pause.Why)), len(d.Signals),
		o.Errors, o.FilesRead, len(o.FilesEdited), o.LinesAdded, o.LinesGone, tokens(u.InputTokens), tokens(u.OutputTokens), costMicros(u), size)
	if err != nil {
		return fmt.Errorf("write turn %d: %w", d.Turn, err)
	}
	b.grow(s, size)
	return nil
}

// most bounds what one turn can report, so that sums of hostile figures hold.
const most = 1e12

func tokens(n int64) int64 { return min(max(n, 0), most) }

// costMicros is the cost in millionths of a dollar; 0 where it is not known.
func costMicros(u *sessionevents.Usage) int64 {
	if math.IsNaN(u.CostUSD) || u.CostUSD <= 0 {
		return 0
	}
	return int64(math.Round(min(u.CostUSD*1e6, most)))
}
