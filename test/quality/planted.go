package main

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// hostsPerPlant is how many sessions each plant is put into.
const hostsPerPlant = 2

// Recall and precision on realistic sessions: a fault that is known is put into a
// real session, and beside it the near miss that the detector's validators excuse.
type planted struct {
	outcomes []planting
	unfit    []string // plants without a session that fits
}

// planting is a plant in one session and what was said of it.
type planting struct {
	plant   *plant
	host    *host
	signals []*sessionevents.Signal // of the plant's detector, within the plant
	others  []*sessionevents.Signal // the rest that was said within the plant, suppressed or not
}

func playPlants(core *machines.Core, data string) (*planted, error) {
	plants, err := loadPlants()
	if err != nil {
		return nil, err
	}
	hosts, err := loadHosts(data)
	if err != nil {
		return nil, err
	}
	out := &planted{}
	for _, p := range plants {
		chosen := choose(hosts, p)
		if len(chosen) == 0 {
			out.unfit = append(out.unfit, p.set+" "+p.detector+" "+p.Name)
		}
		for _, h := range chosen {
			result, err := play(core, p, h)
			if err != nil {
				return nil, fmt.Errorf("plant %s of %s: %w", p.Name, p.detector, err)
			}
			out.outcomes = append(out.outcomes, result)
		}
	}
	return out, nil
}

// choose takes the sessions that fit a plant, in an order by their content.
func choose(hosts []*host, p *plant) []*host {
	var fit []*host
	for _, h := range hosts {
		place := h.place(p.Name)
		scoped := p.detector == "D1" || p.detector == "D2"
		if h.fits(p) && (!p.Needs || h.view(place, p.Name).Seen.Name != "") && (!scoped || h.narrow(place)) {
			fit = append(fit, h)
		}
	}
	slices.SortFunc(fit, func(a, b *host) int { return cmp.Compare(mixed(a.seed, p.Name), mixed(b.seed, p.Name)) })
	return fit[:min(hostsPerPlant, len(fit))]
}

// play feeds a session as far as the plant, and then the plant.
func play(core *machines.Core, p *plant, h *host) (planting, error) {
	out := planting{plant: p, host: h}
	place := h.place(p.Name)
	known := h.view(place, p.Name)
	turns, err := filled(p, known)
	if err != nil {
		return out, err
	}
	subject, err := fill(p.Subject, known)
	if err != nil {
		return out, err
	}
	chain := core.Chain()
	feed := func(e events.Event) ([]events.Event, error) {
		e, err := publish.Prepare(e)
		if err != nil {
			return nil, err
		}
		return chain.Feed(e), nil
	}
	last := h.turns[place-1]
	for _, e := range h.events[:last+1] {
		if _, err := feed(e); err != nil {
			return out, err
		}
	}
	r := &renderer{style: h.style, session: h.session, folder: h.folder, files: map[string]string{}}
	number := 0
	for _, t := range turns {
		for _, blocks := range r.turns(t) {
			number++
			e := h.events[last]
			turn := *e.Data.(*sessionevents.Turn)
			turn.TurnID, turn.Blocks, turn.Compacted, turn.ForkOf = "plant-"+strconv.Itoa(number), blocks, false, ""
			e.ID, e.Data = e.ID+"-plant-"+strconv.Itoa(number), &turn
			decided, err := feed(e)
			if err != nil {
				return out, err
			}
			out.take(decided, subject)
		}
	}
	return out, nil
}

// before maps a detector to those whose signals replace its own on one subject
// (SW-41a).
var before = map[string][]string{"A3": {"A1"}, "C2": {"A1", "A3"}}

func (o *planting) take(decided []events.Event, subject string) {
	for _, e := range decided {
		s, ok := e.Data.(*sessionevents.Signal)
		if !ok {
			continue
		}
		own := s.Detector == o.plant.detector
		if o.plant.fault() {
			sibling := slices.Contains(before[o.plant.detector], s.Detector)
			own = (own || sibling) && about(s, subject)
		}
		if own && s.Suppressed == "" {
			o.signals = append(o.signals, s)
		} else {
			o.others = append(o.others, s)
		}
	}
}

// about reports whether a signal names what was planted.
func about(s *sessionevents.Signal, subject string) bool {
	text := s.Subject + "\n" + s.Message
	for _, e := range s.Evidence {
		text += "\n" + e.Path + "\n" + e.Quote
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(subject))
}

func heard(s *sessionevents.Signal) bool { return s.Urgency >= 20 || s.Escalate }

// good reports whether the detector did what the specification says.
func (o *planting) good() bool {
	loud := slices.ContainsFunc(o.signals, heard)
	switch o.plant.Expect {
	case expectHeard:
		return loud
	case expectQuiet:
		return !loud
	case expectLog:
		return len(o.signals) > 0
	}
	return len(o.signals) == 0
}

// filled returns a plant's turns with its host's names in them.
func filled(p *plant, known view) ([]plantTurn, error) {
	turns := flat(p.Turns)
	for i := range turns {
		turns[i].Acts = slices.Clone(turns[i].Acts)
		if err := fillStrings(reflect.ValueOf(&turns[i]).Elem(), known); err != nil {
			return nil, err
		}
		for j := range turns[i].Acts {
			if err := fillStrings(reflect.ValueOf(&turns[i].Acts[j]).Elem(), known); err != nil {
				return nil, err
			}
		}
	}
	return turns, nil
}

// fillStrings fills every string field of a struct.
func fillStrings(value reflect.Value, known view) error {
	for i := range value.NumField() {
		if value.Field(i).Kind() != reflect.String {
			continue
		}
		text, err := fill(value.Field(i).String(), known)
		if err != nil {
			return err
		}
		value.Field(i).SetString(text)
	}
	return nil
}

func fill(text string, known view) (string, error) {
	if !strings.Contains(text, "«") {
		return text, nil
	}
	parsed, err := template.New("plant").Delims("«", "»").Funcs(template.FuncMap{
		"synonym": synonym, "renamed": renamed, "title": title, "fake": func(kind string) string { return fake(kind, known.Seed) },
	}).Parse(text)
	if err != nil {
		return "", fmt.Errorf("read a template: %w", err)
	}
	var b strings.Builder
	if err := parsed.Execute(&b, known); err != nil {
		return "", fmt.Errorf("fill a template: %w", err)
	}
	return b.String(), nil
}

// title returns a name with a capital first letter, to follow another word.
func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// fakes are made of parts, so that no file holds anything that looks like a secret.
var fakes = map[string]struct {
	begin  []string
	letter string
	length int
}{
	"aws":      {[]string{"AK", "IA"}, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16},
	"github":   {[]string{"gh", "p_"}, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 36},
	"stripe":   {[]string{"sk_", "live_"}, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 24},
	"slack":    {[]string{"xo", "xb-", "283746510293-", "384756102938-"}, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 24},
	"random":   {nil, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 40},
	"password": {[]string{"Tr0", "ub4-"}, "abcdefghijkmnpqrstuvwxyz23456789", 8},
}

// fake returns an invented secret of a kind.
func fake(kind string, seed uint64) string {
	f := fakes[kind]
	text := strings.Join(f.begin, "")
	state := seed | 1
	for range f.length {
		state = state*6364136223846793005 + 1442695040888963407
		text += string(f.letter[(state>>33)%uint64(len(f.letter))])
	}
	return text
}

// row counts a detector's plants of a set.
type row struct{ faults, found, wantHeard, wasHeard, near, falseFires int }

// plantedHead says what the figures are worth.
const plantedHead = `
### Planted faults and near misses

Known faults are put into real sessions, each with the case that the specification excuses (test/quality/plants; -plants FILE lists what came out otherwise). The first set was written before the detectors were read, and corrected in D3, C2 and A3 after its first run; the second was written after they were read and fixed, so that it is not blind. D1 and D2 are planted only where the request is narrow: elsewhere they are silent by design. A thing that A1 or A3 reports counts as found for A3 and C2 (SW-41a). Each plant is put into at most two sessions, so a row has few independent cases.

| set | detector | planted | found | recall | to be heard | heard at 2.0 | near misses | false alarms |
|---|---|---|---|---|---|---|---|---|
`

func (p *planted) table() string {
	rows := map[string]*row{}
	for _, o := range p.outcomes {
		key := o.plant.set + o.plant.detector
		if rows[key] == nil {
			rows[key] = &row{}
		}
		rows[key].count(o)
	}
	var b strings.Builder
	b.WriteString(plantedHead)
	for _, set := range []string{"first", "second"} {
		for _, d := range all.Detectors() {
			if r := rows[set+d.ID]; r != nil {
				fmt.Fprintf(&b, "| %s | %s %s | %d | %d | %s | %d | %d | %d | %d |\n", set, d.ID, d.Name, r.faults, r.found, share(r.found, r.faults), r.wantHeard, r.wasHeard, r.near, r.falseFires)
			}
		}
	}
	return b.String()
}

func (r *row) count(o planting) {
	if !o.plant.fault() {
		r.near++
		if !o.good() {
			r.falseFires++
		}
		return
	}
	r.faults++
	if len(o.signals) > 0 {
		r.found++
	}
	if o.plant.Expect == expectHeard {
		r.wantHeard++
		if o.good() {
			r.wasHeard++
		}
	}
}

// wrong returns every plant that was judged otherwise than the specification says, to be read.
func (p *planted) wrong() string {
	var b strings.Builder
	for _, name := range p.unfit {
		fmt.Fprintf(&b, "NO SESSION FITS %s\n", name)
	}
	for _, o := range p.outcomes {
		good := o.good()
		if !good {
			fmt.Fprintf(&b, "\nWRONG %s %s %s: expected %s in a %s session (%s)\n", o.plant.set, o.plant.detector, o.plant.Name, o.plant.Expect, o.host.style, o.host.language)
			for _, s := range o.signals {
				evidence(&b, s)
			}
		}
		for _, s := range o.others {
			if !good || heard(s) && s.Suppressed == "" {
				fmt.Fprintf(&b, "BESIDE %s %s %s: (suppressed %q) %s\n", o.plant.set, o.plant.detector, o.plant.Name, s.Suppressed, s.Message)
				evidence(&b, s)
			}
		}
	}
	return b.String()
}
