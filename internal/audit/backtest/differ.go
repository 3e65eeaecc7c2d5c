package backtest

import (
	"cmp"
	"slices"

	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
)

// pair is one decision as the two sides made it; one of them may be nil.
type pair struct{ was, is *fact }

// match pairs the decisions of one session or run.
func match(was, is []*fact) []pair {
	var out []pair
	left := map[key][]*fact{}
	for _, f := range is {
		left[f.key()] = append(left[f.key()], f)
	}
	var unmatched []*fact
	for _, f := range was { // first the same decision about the same input
		list := left[f.key()]
		i := slices.IndexFunc(list, func(o *fact) bool { return o.input == f.input && o.turn == f.turn })
		if i < 0 {
			unmatched = append(unmatched, f)
			continue
		}
		out = append(out, pair{f, list[i]})
		left[f.key()] = slices.Delete(slices.Clone(list), i, i+1)
	}
	for _, f := range unmatched {
		list := left[f.key()]
		if len(list) == 0 || f.kind == view.KindSignal { // a signal in another turn is another signal
			out = append(out, pair{was: f})
			continue
		}
		out = append(out, pair{f, list[0]})
		left[f.key()] = list[1:]
	}
	for _, f := range is {
		if slices.Contains(left[f.key()], f) {
			out = append(out, pair{is: f})
		}
	}
	slices.SortStableFunc(out, func(a, b pair) int { return cmp.Compare(a.input(), b.input()) })
	return out
}

// input returns the number of the first input about which the sides may differ.
func (p pair) input() int {
	switch {
	case p.was == nil:
		return p.is.input
	case p.is == nil:
		return p.was.input
	}
	return min(p.was.input, p.is.input)
}

func (p pair) way() view.Way {
	switch {
	case p.was == nil:
		return view.Gained
	case p.is == nil:
		return view.Lost
	case p.was.value != p.is.value || p.was.turn != p.is.turn || p.was.input != p.is.input:
		return view.Moved
	}
	return ""
}

// changes lists what differs in one session or run, in order.
func changes(name string, pairs []pair) []view.Change {
	var out []view.Change
	since := 0 // input of the first change in what the agent or run received
	for _, p := range pairs {
		way := p.way()
		if way == "" {
			continue
		}
		f := p.is
		if f == nil {
			f = p.was
		}
		c := view.Change{
			Way: way, Kind: f.kind, Group: name, Turn: f.turn, Detector: f.detector, About: f.about, Message: f.message, Evidence: f.evidence,
			Depends: since > 0 && p.input() > since,
		}
		if p.was != nil {
			c.Was, c.Outcome, c.Heard = p.was.text(), p.was.outcome, p.was.heard
		}
		if p.is != nil {
			c.Is = p.is.text()
		}
		if p.was == nil {
			c.Outcome = p.is.outcome
		}
		if since == 0 && f.kind != view.KindSignal && f.kind != view.KindQueue {
			since = p.input()
		}
		out = append(out, c)
	}
	return out
}

// text returns the decision and when it was made.
func (f *fact) text() string {
	if f.turn == 0 {
		return f.value
	}
	return "turn " + itoa(f.turn) + ": " + f.value
}
