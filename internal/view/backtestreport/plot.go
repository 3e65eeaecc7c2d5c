package backtestreport

import (
	"fmt"
	"math"
	"strings"
)

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
