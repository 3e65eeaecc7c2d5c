package fleetreport

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

func compare(a, b Count) int {
	return cmp.Or(strings.Compare(a.Day, b.Day), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.What, b.What))
}

// builder sums counts. Money is summed in millionths of a dollar, so that the
// order of adding does not show.
type builder struct {
	total       Figures
	coverage    Coverage
	days        map[string]*Day
	detectors   map[string]*Tally
	agents      map[string]*Agent
	prevented   map[string]*Prevented
	opinions    map[string]*Opinions // by model
	cost        map[string]int64     // "day " or "agent " and its name
	unsupported map[string]int
}

func (b *builder) add(c Count, n int) {
	switch c.Kind {
	case "detector":
		b.detector(c, n)
	case "agent":
		b.agent(c, n)
	case "prevented":
		b.guarded(c, n)
	case "opinion":
		b.opinion(c, n)
	case "unsupported":
		b.unsupported[c.Name] += n
	}
}

func (b *builder) day(name string) *Day {
	d := b.days[name]
	if d == nil {
		d = &Day{Day: name}
		b.days[name] = d
	}
	return d
}

func (b *builder) detector(c Count, n int) {
	t := b.detectors[c.Name]
	if t == nil {
		t = &Tally{Detector: c.Name}
		b.detectors[c.Name] = t
	}
	if field := t.field(c.What); field != nil {
		*field += n
	}
	for _, f := range []*Figures{&b.total, &b.day(c.Day).Figures} {
		switch c.What {
		case "signals":
			f.Signals += n
		case "interrupts":
			f.Interrupts += n
		case "heeded":
			f.Heeded += n
		case "ignored":
			f.Ignored += n
		case "dismissed":
			f.Dismissed += n
		}
	}
}

func (t *Tally) field(what string) *int {
	return map[string]*int{
		"signals": &t.Signals, "fired": &t.Fired, "logged": &t.Logged, "suppressed": &t.Suppressed, "self_corrected": &t.Corrected,
		"expired": &t.Expired, "coalesced": &t.Coalesced, "unsent": &t.Unsent, "interrupts": &t.Interrupts, "emitted": &t.Emitted,
		"delivered": &t.Delivered, "acked": &t.Acked, "unsupported": &t.Undelivered, "heeded": &t.Heeded, "ignored": &t.Ignored, "dismissed": &t.Dismissed,
		"judged_untold": &t.Untold,
	}[what]
}

func (b *builder) agent(c Count, n int) {
	a := b.agents[c.Name]
	if a == nil {
		a = &Agent{Kind: c.Name}
		b.agents[c.Name] = a
	}
	day := b.day(c.Day)
	switch c.What {
	case "sessions":
		a.Sessions, b.total.Sessions, day.Sessions = a.Sessions+n, b.total.Sessions+n, day.Sessions+n
	case "turns":
		a.Turns, b.total.Turns, day.Turns = a.Turns+n, b.total.Turns+n, day.Turns+n
	case "interrupts":
		a.Interrupts += n
	case "failed", "skipped":
		b.total.NotWatched, day.NotWatched = b.total.NotWatched+n, day.NotWatched+n
		b.gap(c.What, n)
	case "out_of_order":
		b.coverage.OutOfOrder += n
	case "no_baseline":
		b.coverage.NoBaseline += n
	default:
		b.used(a, c, n)
	}
}

func (b *builder) gap(what string, n int) {
	if what == "failed" {
		b.coverage.Failed += n
	} else {
		b.coverage.Skipped += n
	}
}

func (b *builder) used(a *Agent, c Count, n int) {
	switch c.What {
	case "usage_turns":
		a.ReportedTurns += n
	case "cost_turns":
		a.PricedTurns += n
	case "input_tokens":
		a.InputTokens += int64(n)
	case "output_tokens":
		a.OutputTokens += int64(n)
	case "cost_micros":
		b.cost["day "+c.Day] += int64(n)
		b.cost["agent "+c.Name] += int64(n)
		b.cost["all"] += int64(n)
	}
}

func (b *builder) model(titles map[string]string) Model {
	m := Model{SchemaVersion: SchemaVersion, Figures: b.total, Days: []Day{}, Detectors: []Tally{}, Agents: []Agent{}, Prevented: b.guardedMost(), Coverage: b.coverage}
	m.Opinions = b.opined()
	for _, name := range slices.Sorted(maps.Keys(b.days)) {
		day := *b.days[name]
		day.CostUSD = dollars(b.cost["day "+name])
		m.Days = append(m.Days, day)
	}
	for _, id := range slices.Sorted(maps.Keys(b.detectors)) {
		t := *b.detectors[id]
		t.Title = titles[id]
		t.Open = t.Signals - t.Fired - t.Logged - t.Suppressed - t.Corrected - t.Expired - t.Coalesced - t.Unsent
		t.HeedRate, t.DismissRate = rate(t.Heeded, t.Heeded+t.Ignored), rate(t.Dismissed, t.Interrupts)
		m.Detectors = append(m.Detectors, t)
	}
	for _, kind := range slices.Sorted(maps.Keys(b.agents)) {
		a := *b.agents[kind]
		a.CostUSD = dollars(b.cost["agent "+kind])
		m.Agents = append(m.Agents, a)
		m.Usage.ReportedTurns += a.ReportedTurns
		m.Usage.PricedTurns += a.PricedTurns
		m.Usage.InputTokens += a.InputTokens
		m.Usage.OutputTokens += a.OutputTokens
	}
	m.Usage.CostUSD = dollars(b.cost["all"])
	c := &m.Coverage
	c.Received, c.NotWatched, c.Evaluated = m.Figures.Turns, c.Failed+c.Skipped, m.Figures.Turns-c.Failed
	c.Unsupported, c.Gaps = b.blind(), []Gap{}
	return m
}

// blind are the languages and formats nothing watches, most turns first.
func (b *builder) blind() []Unsupported {
	list := []Unsupported{}
	for _, what := range slices.Sorted(maps.Keys(b.unsupported)) {
		list = append(list, Unsupported{what, b.unsupported[what]})
	}
	slices.SortStableFunc(list, func(x, y Unsupported) int { return y.Turns - x.Turns })
	return list
}

func rate(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := float64(part) / float64(whole)
	return &r
}

func dollars(micros int64) float64 { return float64(micros) / 1e6 }

// Opinions are what one model was asked and answered (AD-5).
type Opinions struct {
	Model     string  `json:"model"`
	Questions int     `json:"questions"`
	Confirmed int     `json:"confirmed"`
	Refuted   int     `json:"refuted"`
	NotWorth  int     `json:"not_worth_saying"`
	Unsure    int     `json:"unsure"`
	Void      int     `json:"void"`
	Findings  int     `json:"findings"`
	Tokens    int     `json:"tokens"`
	CostUSD   float64 `json:"cost_usd"`
}

func (b *builder) opinion(c Count, n int) {
	o := b.opinions[c.Name]
	if o == nil {
		o = &Opinions{Model: c.Name}
		b.opinions[c.Name] = o
	}
	if c.What == "cost_micros" {
		b.cost["opinion "+c.Name] += int64(n)
		return
	}
	field := map[string]*int{
		"questions": &o.Questions, "confirmed": &o.Confirmed, "refuted": &o.Refuted, "not_worth_saying": &o.NotWorth,
		"unsure": &o.Unsure, "void": &o.Void, "findings": &o.Findings, "tokens": &o.Tokens,
	}[c.What]
	if field != nil {
		*field += n
	}
}

// opined are the models asked, by name.
func (b *builder) opined() (list []Opinions) {
	for _, name := range slices.Sorted(maps.Keys(b.opinions)) {
		o := *b.opinions[name]
		o.CostUSD = dollars(b.cost["opinion "+name])
		list = append(list, o)
	}
	return list
}

// opinionNotes say of each model how often it was asked, what it answered and what it cost.
func opinionNotes(m Model) (list []string) {
	for i := range m.Opinions {
		list = append(list, "Second opinions by "+quote.Name(m.Opinions[i].Model)+": "+m.Opinions[i].Says()+".")
	}
	return list
}

// Says is how often a model was asked, what it answered and what it cost.
func (o *Opinions) Says() string {
	text := page.Plural(o.Questions, "question")
	for _, p := range []struct {
		n    int
		what string
	}{
		{o.Confirmed, "confirmed"},
		{o.Refuted, "refuted"},
		{o.NotWorth, "not worth saying"},
		{o.Unsure, "unsure"},
		{o.Void, "void"},
		{o.Findings, "found"},
	} {
		if p.n > 0 {
			text += fmt.Sprintf(", %d %s", p.n, p.what)
		}
	}
	return text + ", " + page.Dollars(o.CostUSD)
}
