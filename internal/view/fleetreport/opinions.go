package fleetreport

import (
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

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
