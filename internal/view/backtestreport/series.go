package backtestreport

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// plotLine is one series: a share over the values of the last setting.
type plotLine struct {
	Class, Name, Value string // Value is that of the first setting
	Dash               string
	Path               string
	Points             []plotPoint
}

type plotPoint struct {
	X, Y, TextX, TextY float64
	Anchor, Label      string
	Title              string
	Present            bool
}

// dashes tell the series of a second setting apart without colour.
var dashes = []string{"", "6 4", "2 3", "10 3 2 3", "1 5"}

// lines are a heeded and a dismissed series for each value of the first of two settings.
func (p *plot) lines(s Sweep, heard bool, x, y func(float64) float64) {
	groups := map[string]int{}
	words, kinds := "heeded", []string{"heeded", "dismissed"}
	if !heard { // nobody could dismiss any
		words, kinds = "put right unprompted", kinds[:1]
	}
	for _, kind := range kinds {
		for _, r := range s.Rows {
			heeded, dismissed, ok := r.Share()
			if !ok {
				continue
			}
			share := heeded
			word := words
			if kind == "dismissed" {
				share, word = dismissed, kind
			}
			name := word
			if len(r.Values) == 2 {
				name += fmt.Sprintf(", %s %s", shortName(s.Settings[0]), number(r.Values[0]))
			}
			i, known := groups[name]
			if !known {
				i = len(p.Lines)
				groups[name] = i
				p.Lines = append(p.Lines, plotLine{Class: kind, Name: name, Value: number(r.Values[0])})
			}
			p.Lines[i].add(r, x(r.PerSession), y(share), word, share)
		}
	}
	p.merge()
	for i := range p.Lines {
		p.Lines[i].spread(p.Right)
		for _, earlier := range p.Lines[:i] {
			p.Lines[i].yield(earlier)
		}
	}
}

// yield drops labels that an earlier line has at nearly the same place.
func (l *plotLine) yield(earlier plotLine) {
	for i := range l.Points {
		p := &l.Points[i]
		for _, o := range earlier.Points {
			if o.Label == p.Label && math.Abs(o.X-p.X) < 12 && math.Abs(o.Y-p.Y) < 12 {
				p.Label = ""
			}
		}
	}
}

// merge makes one line of those that a setting without effect draws over each other.
func (p *plot) merge() {
	kept := p.Lines[:0]
	for _, l := range p.Lines {
		at := slices.IndexFunc(kept, func(k plotLine) bool { return k.Class == l.Class && k.Path == l.Path })
		if at < 0 {
			l.Dash = dashes[len(kept)%len(dashes)]
			kept = append(kept, l)
			continue
		}
		kept[at].Name += ", " + l.Value
		for i, point := range l.Points {
			kept[at].Points[i].Present = kept[at].Points[i].Present || point.Present
		}
	}
	p.Lines = kept
}

func (l *plotLine) add(r Row, x, y float64, word string, share float64) {
	move := "L"
	if len(l.Points) == 0 {
		move = "M"
	}
	l.Path += fmt.Sprintf("%s%.1f %.1f ", move, x, y)
	l.Points = append(l.Points, plotPoint{
		X: x, Y: y, TextX: x, TextY: y - 9, Anchor: "middle", Label: number(r.Values[len(r.Values)-1]), Present: r.Present,
		Title: fmt.Sprintf("%s: %.2f interrupts a session, %s %s", label(r.Values), r.PerSession, percent(share), word),
	})
}

// spread joins the labels of points at nearly the same place, so that each can be read.
func (l *plotLine) spread(right float64) {
	for i := range l.Points {
		p := &l.Points[i]
		if p.Label == "" {
			continue
		}
		for j := i + 1; j < len(l.Points); j++ {
			o := &l.Points[j]
			if o.Label != "" && math.Abs(o.X-p.X) < float64(7*len(p.Label)+14) && math.Abs(o.Y-p.Y) < 12 {
				p.Label += ", " + o.Label
				o.Label = ""
			}
		}
		if half := float64(len(p.Label)) * 3.6; p.X+half > right {
			p.Anchor = "end"
		}
	}
	slices.SortStableFunc(l.Points, func(a, b plotPoint) int { // what is drawn last is seen
		return order(a) - order(b)
	})
}

func order(p plotPoint) int {
	if p.Present {
		return 1
	}
	return 0
}

// plot is interrupts a session against the shares that were heeded and dismissed.
type plot struct {
	Width, Height            int
	Left, Right, Top, Bottom float64
	Title, Along, Up         string
	Ticks, Levels            []tick
	Lines                    []plotLine
	Labels                   string // what the numbers beside points are
	Missing                  string // points without a judged interrupt
}

type tick struct {
	At   float64
	Text string
}

const (
	plotWidth  = 540
	plotHeight = 340
	// level is the distance of the lines along which shares are read.
	level = 0.25
)

func newPlot(s Sweep, heard bool) *plot {
	p := &plot{Width: plotWidth, Height: plotHeight, Left: 56, Right: plotWidth - 24, Top: 44, Bottom: plotHeight - 48}
	p.Along, p.Up = "interrupts a session", "share of the judged interrupts"
	if len(s.Rows) == 0 {
		return nil
	}
	p.Labels = shortName(s.Settings[len(s.Settings)-1])
	low, high := math.Inf(1), math.Inf(-1)
	var missing []string
	for _, r := range s.Rows {
		low, high = min(low, r.PerSession), max(high, r.PerSession)
		if _, _, ok := r.Share(); !ok {
			missing = append(missing, label(r.Values))
		}
	}
	step := niceStep((high - low) / 5)
	low, high = math.Floor(low/step)*step, math.Ceil(high/step)*step
	if high-low < step {
		low, high = max(low-step, 0), high+step
	}
	x := func(v float64) float64 { return p.Left + (v-low)/(high-low)*(p.Right-p.Left) }
	top := level
	for _, r := range s.Rows {
		heeded, dismissed, _ := r.Share()
		top = max(top, math.Ceil(max(heeded, dismissed)/level)*level)
	}
	y := func(v float64) float64 { return p.Bottom - v/top*(p.Bottom-p.Top) }
	for v := low; v <= high+step/2; v += step {
		p.Ticks = append(p.Ticks, tick{x(v), fmt.Sprintf("%.*f", decimals(step), v)})
	}
	for v := 0.0; v <= top; v += top / 5 {
		p.Levels = append(p.Levels, tick{y(v), percent(v)})
	}
	if len(missing) > 0 {
		p.Missing = "No interrupt was judged at " + strings.Join(missing, ", ") + ": not in the plot."
	}
	p.lines(s, heard, x, y)
	return p
}

func label(values []float64) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = number(value)
	}
	return strings.Join(texts, " and ")
}

func shortName(setting string) string { return setting[strings.LastIndexByte(setting, '.')+1:] }

// niceStep is the next of 1, 2 and 5 times a power of ten.
func niceStep(about float64) float64 {
	if about <= 0 {
		return 0.1
	}
	power := math.Pow(10, math.Floor(math.Log10(about)))
	for _, times := range []float64{1, 2, 5, 10} {
		if times*power >= about {
			return times * power
		}
	}
	return 10 * power
}

func decimals(step float64) int {
	return max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
}
