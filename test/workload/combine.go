package workload

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Combined returns runs with two dysfunctions that leave each other alone: each with several others, in
// turn.
func Combined(seed uint64, partners int) []Case {
	var list []Case
	for i, one := range dysfunctions {
		found := 0
		for step := 1; step < len(dysfunctions) && found < partners; step++ {
			at := (i + step*7) % len(dysfunctions)
			if c, fits := together(seed, fmt.Sprintf("both-%d-%d-%d", seed, i, at), one, dysfunctions[at]); fits {
				list = append(list, c)
				found++
			}
		}
	}
	return list
}

// together puts two dysfunctions into one run, if it can hold both.
func together(seed uint64, name string, one, other dysfunction) (Case, bool) {
	c := Case{Name: one.name + " and " + other.name, Says: slices.Sorted(slices.Values(slices.Concat(one.says, other.says)))}
	random := rand.New(rand.NewPCG(seed, 5))
	start := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	switch {
	case one.name == other.name || tangled(one.name, other.name) || one.offline || other.offline || one.before+other.before > 0 || one.stops != "" && other.stops != "":
		return c, false
	case one.pipeSick != nil && other.pipeSick != nil:
		p := soundPipe(name, random)
		one.pipeSick(p)
		first := p.touched
		p.touched = map[string]bool{}
		if !p.holds(other) {
			return c, false
		}
		for step := range p.touched {
			if first[step] {
				return c, false
			}
		}
		c.Events = p.tell(start)
		return c, true
	case one.sick != nil && other.sick != nil && one.last() && other.last():
		p := healthy(random)
		if touch(one.sick, other.sick) {
			return c, false
		}
		p.project = name
		one.sick(&p)
		other.sick(&p)
		c.Break = one.stops + other.stops
		c.Events = p.tell(name, start)
		return c, true
	}
	return c, false
}

// entangled are dysfunctions, by how their names begin, of which one changes what
// the other leads to: a council about a vague ticket, a phase that runs again.
var entangled = [][2]string{
	{"explorer/", "system/analysis"},
	{"policy/context_findings", "system/cargo"},
	{"system/echo", "system/cargo"},
	{"PL-33 paused", "PL-1 "},
	{"PL-33 paused", "PL-2 "},
	{"PL-33 paused", "PL-4 "},
	{"PL-33 paused", "PL-6 "},
	{"PL-33 paused", "PL-7 "},
	{"PL-33 paused", "PL-10 "},
	{"PL-10 ", "PL-1 "},
	{"PL-10 ", "PL-2 "},
	{"PL-10 not kept", "PL-4 unknown"},
	{"PL-2 ", "PL-4 missing"},
	{"PL-2 ", "PL-7 "},
	{"PL-4 unknown", "PL-5 "},
	{"PL-30 ", "PL-31 "},
	{"PL-30 ", "PL-33 "},
	{"PL-30 ", "PL-35 "},
	{"PL-30 ", "PL-36 "},
	{"PL-30 ", "PL-37 "},
	{"PL-30 ", "PL-38a failed"},
	{"PL-33 skipped", "PL-31 "},
	{"PL-33 skipped", "PL-34 "},
	{"PL-33 skipped", "PL-35 "},
	{"PL-33 skipped", "PL-38a failed"},
	{"PL-37 ", "PL-31 "},
	{"PL-37 ", "PL-32 edited"},
	{"PL-37 ", "PL-34 "},
	{"PL-37 ", "PL-38a failed"},
	{"PL-38 late", "PL-31 "},
	{"PL-38 late", "PL-32 edited"},
	{"PL-38 late", "PL-33 "},
	{"PL-38 late", "PL-38a failed"},
	{"PL-38 late", "PL-42 plan"},
	{"PL-32 edited", "PL-38 missing"},
	{"PL-32 edited", "PL-42 plan"},
}

func tangled(one, other string) bool {
	return slices.ContainsFunc(entangled, func(pair [2]string) bool {
		return strings.HasPrefix(one, pair[0]) && strings.HasPrefix(other, pair[1]) || strings.HasPrefix(other, pair[0]) && strings.HasPrefix(one, pair[1])
	})
}

// holds applies a dysfunction, if the steps it needs are still there.
func (p *pipe) holds(d dysfunction) (fits bool) {
	defer func() {
		if recover() != nil {
			fits = false
		}
	}()
	d.pipeSick(p)
	return true
}

// ends are the breaks at the end of a run, when all shadows have shown.
var ends = []string{"hard broken_suite", "hard budget_exhausted", "soft budget_95"}

func (d dysfunction) last() bool { return d.stops == "" || slices.Contains(ends, d.stops) }

// touch reports whether two changes of a plan change the same piece of it.
func touch(one, other func(*plan)) bool {
	changed := func(change func(*plan)) []int {
		before, after := healthy(rand.New(rand.NewPCG(1, 1))), healthy(rand.New(rand.NewPCG(1, 1)))
		change(&after)
		var fields []int
		for i := range reflect.TypeFor[plan]().NumField() {
			if piece(before, i) != piece(after, i) {
				fields = append(fields, i)
			}
		}
		return fields
	}
	return slices.ContainsFunc(changed(one), func(i int) bool { return slices.Contains(changed(other), i) })
}

// piece returns a field of a plan as text, which shows what pointers point to.
func piece(p plan, i int) string {
	return spew(reflect.ValueOf(p).Field(i))
}

func spew(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return spew(v.Elem())
	case reflect.Slice:
		var all string
		for i := range v.Len() {
			all += spew(v.Index(i)) + ","
		}
		return all
	case reflect.Struct:
		var all string
		for i := range v.NumField() {
			all += spew(v.Field(i)) + ";"
		}
		return all
	}
	return fmt.Sprint(v)
}
