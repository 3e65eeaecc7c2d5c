package shadow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// healthyRun draws a run as it should be: all archetypes at work, with figures
// that are intense and fine.
type healthyRun struct {
	t     *rapid.T
	play  *play
	files []string // of the proposal
	rest  []string // findings that were reported and not fixed yet
}

var openings = []string{
	"The parser reads one token at a time and keeps them in a ring.", "Each handler follows the same shape as its neighbours, e.g. it checks the input.Then it answers.",
	"Critical parts of the code are covered by tests; a warning in the log is info for operators.", "I read `auth/session.go`, which holds the cookie.",
	"Node.js and v1.2.3 are both fine here.", "The retry belongs into the client, since it knows the deadline.", "Existing callers pass a context already.",
}

func (r *healthyRun) prose(most int) string {
	var b strings.Builder
	for range rapid.IntRange(1, most).Draw(r.t, "sentences") {
		b.WriteString(rapid.SampledFrom(openings).Draw(r.t, "sentence") + " ")
	}
	return b.String()
}

func (r *healthyRun) pass(low, high int) {
	r.play.wait(time.Duration(rapid.IntRange(low, high).Draw(r.t, "seconds")) * time.Second)
}

func (r *healthyRun) phase(cycle int, name string, work func()) {
	r.play.event(fmt.Sprintf(`phase.started {"phase":%q,"cycle":%d}`, name, cycle))
	work()
	r.play.event(fmt.Sprintf(`phase.completed {"phase":%q,"cycle":%d}`, name, cycle))
}

func (r *healthyRun) plan(cycle int) {
	r.pass(60, 600)
	r.play.event(fmt.Sprintf(`agent.spawned {"agent_id":"explorer-%d","archetype":"Explorer","lessons":%d,"prompt_tokens":%d,"context_window":200000}`,
		cycle, rapid.IntRange(0, 15).Draw(r.t, "lessons"), rapid.IntRange(0, 100000).Draw(r.t, "tokens")))
	output := r.prose(120) + "\n\n## Recommendation\n\nKeep the client and add the retry there."
	r.play.event(fmt.Sprintf(`agent.completed {"agent_id":"explorer-%d","cycle":%d,"outcome":"success","output":%s}`, cycle, cycle, quoted(output)))
	r.files = nil
	for i := range rapid.IntRange(1, 6).Draw(r.t, "files") {
		r.files = append(r.files, fmt.Sprintf("pkg/f%d.go", i), fmt.Sprintf("pkg/f%d_test.go", i))
	}
	r.play.event(fmt.Sprintf(`proposal.published {"files":%s,"abstractions":%d,"packages":%d,"words":%d,"task_words":200}`, quotedList(r.files),
		rapid.IntRange(0, 2).Draw(r.t, "abstractions"), rapid.IntRange(0, 1).Draw(r.t, "packages"), rapid.IntRange(50, 300).Draw(r.t, "words")))
	r.play.event(fmt.Sprintf(`agent.completed {"agent_id":"creator-%d","archetype":"Creator","cycle":%d,"outcome":"success","output":%s}`, cycle, cycle, quoted(r.prose(20))))
}

func (r *healthyRun) do(cycle int) {
	r.pass(400, 2000)
	r.play.event(`test.completed {"passed":true,"suite":"unit"}`)
	r.play.event(fmt.Sprintf(`agent.completed {"agent_id":"maker-%d","archetype":"Maker","cycle":%d,"outcome":"success","files_changed":%s,"diff_lines":%d,"commits":%d,"tests_run":true,"addresses":%s,"output":%s}`,
		cycle, cycle, quotedList(r.files), rapid.IntRange(150, 2000).Draw(r.t, "lines"), rapid.IntRange(2, 9).Draw(r.t, "commits"), quotedList(r.rest), quoted(r.prose(20))))
	r.rest = nil
}

func (r *healthyRun) check(cycle int, last bool) string {
	var all []string
	for i, who := range []string{"guardian", "skeptic", "trickster", "sage"} {
		r.pass(30, 300)
		var list []string
		for j := range rapid.IntRange(0, 5).Draw(r.t, "found") {
			id := fmt.Sprintf("%s-%d-%d", who, cycle, j)
			severity := []string{"WARNING", "INFO", "CRITICAL", "WARNING", "INFO"}[j]
			list = append(list, fmt.Sprintf(`{"id":%q,"severity":%q,"category":%q,"file":%q,"text":%q,"fix":"Return the error.","repro":"Call it with nil."}`,
				id, severity, []string{"security", "design", "testing", "quality"}[i], r.files[j%len(r.files)], fmt.Sprintf("Path %s%d of %s leaks.", who, j, r.files[j%len(r.files)])))
			r.rest = append(r.rest, id)
		}
		verdict := "rejected"
		if last || len(list) == 0 {
			verdict = "approved"
		}
		found := "[" + strings.Join(list, ",") + "]"
		took := rapid.IntRange(30_000, 900_000).Draw(r.t, "took")
		events := []string{
			fmt.Sprintf(`agent.completed {"agent_id":"%s-%d","archetype":%q,"cycle":%d,"outcome":"success","verdict":%q,"duration_ms":%d,"output":%s,"findings":%s}`, who, cycle, who, cycle, verdict, took, quoted(r.prose(8)), found),
			fmt.Sprintf(`review.completed {"reviewer":"%s-%d","cycle":%d,"verdict":%q,"duration_ms":%d,"findings":%s}`, who, cycle, cycle, verdict, took, found),
		}
		if rapid.Bool().Draw(r.t, "review first") {
			events[0], events[1] = events[1], events[0]
		}
		for _, e := range events[:rapid.IntRange(1, 2).Draw(r.t, "ways")] {
			r.play.event(e)
		}
		all = append(all, list...)
	}
	return "[" + strings.Join(all, ",") + "]"
}

// A run as it should be is silent, whatever its figures within the bounds.
func TestHealthyRunsAreSilent(t *testing.T) {
	c := defaultConfig(t)
	rapid.Check(t, func(rt *rapid.T) {
		r := &healthyRun{t: rt, play: newPlay(t, c)}
		r.play.event(`run.started {"workflow":"` + rapid.SampledFrom([]string{"quick", "standard", "thorough"}).Draw(rt, "workflow") + `","project":"shop","goal":"Add a retry to the client."}`)
		cycles := rapid.IntRange(1, 2).Draw(rt, "cycles")
		for cycle := 1; cycle <= cycles; cycle++ {
			r.phase(cycle, "plan", func() { r.plan(cycle) })
			r.phase(cycle, "do", func() { r.do(cycle) })
			found := ""
			r.phase(cycle, "check", func() { found = r.check(cycle, cycle == cycles) })
			r.play.event(fmt.Sprintf(`cycle.completed {"cycle":%d,"findings":%s}`, cycle, found))
		}
		r.play.event(`run.completed {"outcome":"success"}`)
		if told := r.play.told(); len(told) > 0 {
			require.Empty(t, told, "%+v", r.play.signals[0])
		}
	})
}

func quotedList(names []string) string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	return "[" + strings.Join(out, ",") + "]"
}
