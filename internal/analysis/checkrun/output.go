package checkrun

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// output is the compiled outputPatterns: one set, so that an output is searched once for
// everything that could match.
type output struct {
	set                                           *pattern.Set
	passed, failed, nothing, broken               group
	passedCount, failedCount, skippedCount, names group
	sections, cached, ran                         group
}

// group is a range of the set's patterns.
type group struct{ first, end int }

func (p *outputPatterns) compile(from pattern.Compiler, key string) (*output, error) {
	o := &output{}
	var all []string
	for _, g := range []struct {
		texts []string
		into  *group
	}{
		{p.Passed, &o.passed},
		{p.Failed, &o.failed},
		{p.Nothing, &o.nothing},
		{p.Broken, &o.broken},
		{p.PassedCount, &o.passedCount},
		{p.FailedCount, &o.failedCount},
		{p.SkippedCount, &o.skippedCount},
		{p.Names, &o.names},
		{p.SectionsCount, &o.sections},
		{[]string{p.Cached}, &o.cached},
		{[]string{p.Ran}, &o.ran},
	} {
		g.into.first = len(all)
		for _, text := range g.texts {
			if text != "" {
				all = append(all, "(?m)"+text)
			}
		}
		g.into.end = len(all)
	}
	var err error
	o.set, err = from.Set(key, all)
	return o, err
}

// reading is a text with the patterns that could match in it.
type reading struct {
	*output
	text     string
	possible []int
}

// read returns the result that an output reports, "" if none; it sets counts and names.
func (o *output) read(check *sessionevents.Check, text string) sessionevents.CheckResult {
	if o == nil {
		return ""
	}
	r := &reading{o, text, o.set.Candidates(text)}
	if len(r.possible) == 0 {
		return ""
	}
	check.Passed, check.Failed, check.Skipped = r.most(o.passedCount), r.most(o.failedCount), r.most(o.skippedCount)
	if sum := r.sum(o.sections); sum > 0 {
		check.Passed = sum // doc-tests without an example after 13 tests that passed are 13 tests (JD-15)
	}
	check.Cached = r.says(o.cached) && !r.says(o.ran)
	switch {
	case check.Failed > 0 || r.says(o.failed):
		check.FailedNames = r.namesIn()
		check.Failed = max(check.Failed, len(check.FailedNames))
		return sessionevents.CheckFailed
	case check.Passed > 0 || r.says(o.passed):
		if check.Kind == sessionevents.CheckTest && check.Passed == 0 && r.says(o.nothing) && !r.says(o.ran) && !check.Cached {
			return sessionevents.CheckNothing
		}
		return sessionevents.CheckPassed
	case r.says(o.nothing):
		return sessionevents.CheckNothing
	case r.says(o.broken):
		return sessionevents.CheckFailed
	}
	return ""
}

// among returns the patterns of a group that could match.
func (r *reading) among(g group) []int {
	first, _ := slices.BinarySearch(r.possible, g.first)
	end, _ := slices.BinarySearch(r.possible, g.end)
	return r.possible[first:end]
}

func (r *reading) says(g group) bool {
	return slices.ContainsFunc(r.among(g), func(i int) bool { return r.set.Pattern(i).MatchString(r.text) })
}

// most returns the greatest of the last counts that the patterns find: a summary is at
// the end and repeats the parts.
func (r *reading) most(g group) int {
	best := 0
	for _, i := range r.among(g) {
		found := r.set.Pattern(i).FindAllStringSubmatch(r.text, -1)
		if len(found) == 0 {
			continue
		}
		if n, err := strconv.Atoi(found[len(found)-1][1]); err == nil {
			best = max(best, n)
		}
	}
	return best
}

// sum returns the sum of what the patterns of a group count, section by section.
func (r *reading) sum(g group) (total int) {
	for _, i := range r.among(g) {
		for _, m := range r.set.Pattern(i).FindAllStringSubmatch(r.text, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil {
				total += n
			}
		}
	}
	return total
}

// namesIn returns the names of failed tests, each once, in order.
func (r *reading) namesIn() (out []string) {
	for _, i := range r.among(r.names) {
		for _, m := range r.set.Pattern(i).FindAllStringSubmatch(r.text, 4*maxNames) {
			if name := short(strings.TrimSpace(m[1])); name != "" && !slices.Contains(out, name) && len(out) < maxNames {
				out = append(out, name)
			}
		}
	}
	return out
}
