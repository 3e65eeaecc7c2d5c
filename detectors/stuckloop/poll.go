package stuckloop

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// polls follows a call that asks for the state of a running process, job or CI
// run. While that runs, only a state that stays the same for long counts. It
// reports false for a call that is to be counted like any other.
func (n newest) polls() bool {
	a, now := n.a, n.now
	if !n.isPoll() || !n.stillRuns() {
		return false
	}
	m := n.memory
	at := slices.IndexFunc(m.Polls, func(p poll) bool { return p.Key == now.Key })
	if at < 0 {
		m.Polls = text.Newest(append(m.Polls, poll{Key: now.Key, Since: n.time()}), maxPolls)
		at = len(m.Polls) - 1
	}
	p := &m.Polls[at]
	if n.tooLong(p) {
		return false
	}
	waits := n.Sleep.MatchString(a.command())
	if p.Identical > 0 && p.Result != now.Result {
		n.progress()
	}
	if p.Identical == 0 || p.Result != now.Result || waits && m.Last != now.Key {
		p.Identical, p.Result, p.Turn = 0, now.Result, now.Turn
	}
	p.Identical++
	l := loop{
		kind: kindPolling, id: uint64(now.Key), subject: now.Label, length: p.Identical, first: p.Turn,
		limits: n.Polling, marks: []uint32{now.Key}, job: lastLine(a.output()),
	}
	if at := m.streak(kindPolling, l.id); at >= 0 { // one signal a wait
		m.Streaks[at].Length = max(m.Streaks[at].Length, p.Identical)
		return true
	}
	n.grow(l, a.segment)
	return true
}

// progress: what is waited for moves on, which another call may show as well.
func (w *watch) progress() {
	m := w.memory
	for i := range m.Polls {
		m.Polls[i].Identical = 0
		m.endStreak(kindPolling, uint64(m.Polls[i].Key))
	}
}

func lastLine(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return brief(lines[len(lines)-1])
}

// isPoll: by the tool, by what the command does, or, once it repeats, by its words.
func (n newest) isPoll() bool {
	a, now := n.a, n.now
	t := a.segment.Tool
	switch {
	case t == nil:
		return false
	case t.Canonical == sessionevents.ToolPoll:
		return true
	case slices.Contains(t.Effects, effectPoll):
		return !slices.ContainsFunc(t.Effects, func(e string) bool { return !slices.Contains(n.PollEffects, e) })
	}
	if a.waits() && n.Running.MatchString(a.output()) {
		return true
	}
	if t.Canonical == sessionevents.ToolOther && n.memory.repeats(now.Key) && n.Running.MatchString(a.output()) {
		return true // a tool that nobody knows, whose answer says that something still runs
	}
	return n.memory.repeats(now.Key) && n.PollCalls.MatchString(a.command())
}

// waits reports whether a shell call runs nothing: some shells give further output of what
// runs for an empty command.
func (a *act) waits() bool {
	return a.is(sessionevents.ToolShell) && strings.TrimSpace(a.segment.Tool.Command) == ""
}

const effectPoll = "poll"

// stillRuns reports whether the output says that it still runs, or at least does not say that it ended.
func (c call) stillRuns() bool {
	text := c.a.output()
	return c.Running.MatchString(text) || c.a.failure == nil && !c.Ended.MatchString(text)
}

// time is the turn's time, 0 where it is not known.
func (w *watch) time() int64 {
	if w.pass.At.IsZero() {
		return 0
	}
	return w.pass.At.Unix()
}

// tooLong reports whether polling has lasted so many minutes that waiting no longer explains it.
func (w *watch) tooLong(p *poll) bool {
	now := w.time()
	return p.Since > 0 && now > 0 && now-p.Since > int64(w.PollMinutes)*60
}
