package policy

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// The configuration says what is wrong with it and what to write instead.
func TestConfigIsValidated(t *testing.T) {
	valid := func() *Config {
		c := defaultConfig(t)
		c.Budget = append([]Threshold{}, c.Budget...)
		return c
	}
	for name, test := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"no checkpoint":        {func(c *Config) { c.Checkpoint.Every = 0 }, "checkpoint.every is 0s: use a duration such as 45m"},
		"the shortest":         {func(c *Config) { c.Checkpoint.Every, c.Escalation.Reminder = 1, 1 }, ""},
		"no reminder":          {func(c *Config) { c.Escalation.Reminder = 0 }, "escalation.reminder is 0s: use a duration such as 4h"},
		"a threshold twice":    {func(c *Config) { c.Budget[1].Percent = c.Budget[0].Percent }, "budget: 50% comes after 50%: list thresholds in ascending order"},
		"descending":           {func(c *Config) { c.Budget[1].Percent = 49 }, "budget: 49% comes after 50%: list thresholds in ascending order"},
		"one threshold":        {func(c *Config) { c.Budget = c.Budget[:1] }, ""},
		"an unknown break":     {func(c *Config) { c.Budget[0].Trigger = "odd" }, `budget: unknown break "odd"`},
		"no thresholds at all": {func(c *Config) { c.Budget = nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := valid()
			test.change(c)
			err := c.Validate()
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
		})
	}
}

// A rule set with an error in either section that the policies read is refused.
func TestLoadConfigRefusesWrongRules(t *testing.T) {
	for section, text := range map[string]string{
		"run":    "run: {repeated_shadow: 0}\n",
		"budget": "mode: odd\n",
	} {
		set, err := rules.Load("x.yaml", []byte(text))
		if err == nil {
			_, err = LoadConfig(set)
		}
		require.ErrorContains(t, err, "x.yaml", section)
	}
	set := rules.Default()
	c, err := LoadConfig(set)
	require.NoError(t, err)
	require.False(t, c.ObserveOnly)
}

// RW-31: what is judged of a cycle: what it left open and how that compares.
func TestJudgedCycle(t *testing.T) {
	finding := func(id string, severity runevents.Severity, state string) runevents.Finding {
		return runevents.Finding{ID: id, Severity: severity, State: state}
	}
	cycle := func(n int, findings ...runevents.Finding) *runevents.CycleCompleted {
		return &runevents.CycleCompleted{Cycle: n, Findings: findings}
	}
	const crit, warn = runevents.SeverityCritical, runevents.SeverityWarning
	p := newPlayer(t)
	judged := func(data any) *runevents.CycleJudged {
		p.feed(data)
		var out runevents.RunJudged
		p.state.Since(&out)
		return out.Cycle
	}
	score := func(v float64) *float64 { return &v }
	require.Equal(t, &runevents.CycleJudged{Open: 2, Critical: 1}, judged(cycle(1, finding("A", crit, ""), finding("B", warn, ""), finding("C", crit, "fixed"))))
	require.Nil(t, judged(agent("success")), "once")
	require.Equal(t, &runevents.CycleJudged{Open: 2, Critical: 0, Compared: true, Resolved: 1, New: 1, Persistent: 1, Score: score(0.5)}, judged(cycle(2, finding("B", warn, ""), finding("D", warn, ""))))
	require.Equal(t, &runevents.CycleJudged{Open: 3, Critical: 1, Compared: true, Persistent: 2, Regressed: 1, Score: score(0)}, judged(cycle(3, finding("A", crit, ""), finding("B", warn, ""), finding("D", warn, ""))))
	require.Equal(t, &runevents.CycleJudged{Open: 1}, judged(cycle(1, finding("B", warn, ""))), "a new sequence has nothing to compare with")
}

// RW-31: cycles follow each other by number; without numbers in order.
func TestSequencesOfCycles(t *testing.T) {
	same := func(n int) *runevents.CycleCompleted {
		return &runevents.CycleCompleted{Cycle: n, Findings: []runevents.Finding{{ID: "A"}}}
	}
	for name, test := range map[string]struct {
		before, now int
		breaks      bool
	}{
		"next": {1, 2, true}, "again": {1, 1, false}, "one left out": {1, 3, false}, "back": {2, 1, false},
		"no numbers": {0, 0, true}, "none now": {3, 0, true}, "none before": {0, 3, true}, "below the first": {-1, 5, true}, "then below": {5, -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.feed(same(test.before))
			broken := of[runevents.WiggumBreak](p.feed(same(test.now)))
			require.Equal(t, test.breaks, len(broken) == 1)
			if test.breaks {
				require.Equal(t, runevents.TriggerIdenticalFindings, broken[0].Trigger)
				require.Equal(t, []string{"e1", "e2"}, broken[0].Evidence)
				require.Contains(t, broken[0].Reason, "The findings of "+cycleName(test.now)+" are those of the one before (1 open).")
			}
		})
	}
}

// RW-32: the best cycle has the fewest CRITICAL findings, then the fewest open ones,
// and of equals the latest.
func TestBestCycle(t *testing.T) {
	cycle := func(n int, severities ...runevents.Severity) *runevents.CycleCompleted {
		data := &runevents.CycleCompleted{Cycle: n}
		for i, severity := range severities {
			data.Findings = append(data.Findings, runevents.Finding{ID: string(rune('A'+i)) + string(rune('0'+n)), Severity: severity})
		}
		return data
	}
	const crit, warn = runevents.SeverityCritical, runevents.SeverityWarning
	for name, test := range map[string]struct {
		first, second *runevents.CycleCompleted
		want          string
	}{
		"fewer CRITICAL":           {cycle(1, crit), cycle(2, warn, warn, warn), "cycle 2 with 3 open findings"},
		"more CRITICAL":            {cycle(1, warn, warn), cycle(2, crit), "cycle 1 with 2 open findings"},
		"as many, fewer open":      {cycle(1, crit, warn), cycle(2, crit), "cycle 2 with 1 open finding, 1 of them CRITICAL"},
		"as many, more open":       {cycle(1, crit), cycle(2, crit, warn), "cycle 1 with 1 open finding, 1 of them CRITICAL"},
		"equals":                   {cycle(1, crit, crit), cycle(2, crit, crit), "cycle 2 with 2 open findings, 2 of them CRITICAL"},
		"none":                     {cycle(1, crit), cycle(2), "cycle 2 with 0 open findings"},
		"numbers that are unknown": {cycle(0, crit), cycle(0, warn), "this cycle with 1 open finding"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.feed(test.first, test.second, agent("failure"), agent("failure"))
			require.Equal(t, "Best result so far: "+test.want+".", of[runevents.WiggumBreak](p.feed(agent("failure")))[0].Present)
		})
	}
}

// RW-31: growth is counted against the cycle before; an equal one begins again.
func TestGrowingFindings(t *testing.T) {
	high := 0.9
	for name, test := range map[string]struct {
		found    []int
		broke    int
		evidence int
	}{
		"twice in a row": {[]int{1, 2, 3}, 3, 3}, "once": {[]int{1, 2}, 0, 0}, "equal between": {[]int{1, 2, 2, 3}, 0, 0}, "after a fall": {[]int{3, 1, 2, 4}, 4, 3},
		"a fall between": {[]int{1, 2, 1, 2}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			broke := 0
			for i, n := range test.found {
				data := &runevents.CycleCompleted{Cycle: i + 1, ConvergenceScore: &high}
				for id := range n {
					data.Findings = append(data.Findings, runevents.Finding{ID: string(rune('A'+i)) + string(rune('0'+id))})
				}
				for _, broken := range of[runevents.WiggumBreak](p.feed(data)) {
					require.Equal(t, runevents.TriggerGrowingFindings, broken.Trigger)
					require.Len(t, broken.Evidence, test.evidence)
					broke = i + 1
				}
			}
			require.Equal(t, test.broke, broke)
		})
	}
}

// RW-31: a publisher's scores count where it gives any, computed ones where not; at
// the threshold a score is not low.
func TestLowScores(t *testing.T) {
	for name, test := range map[string]struct {
		scores []float64 // below 0: none
		want   bool
	}{
		"low twice": {[]float64{0.4, 0.4}, true}, "at the threshold": {[]float64{0.5, 0.5}, false}, "not in a row": {[]float64{0.4, 0.5, 0.4}, false},
		"a cycle without one": {[]float64{0.4, -1, 0.4}, true}, "once": {[]float64{0.4, -1, -1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			broken := 0
			for i, score := range test.scores {
				data := &runevents.CycleCompleted{Cycle: i + 1, Findings: []runevents.Finding{{ID: string(rune('A' + i))}}}
				if score >= 0 {
					data.ConvergenceScore = &score
				}
				broken += len(of[runevents.WiggumBreak](p.feed(data)))
			}
			require.Equal(t, test.want, broken == 1)
		})
	}
	p := newPlayer(t)
	cycle := func(n int, ids string) *runevents.CycleCompleted {
		data := &runevents.CycleCompleted{Cycle: n}
		for _, id := range ids {
			data.Findings = append(data.Findings, runevents.Finding{ID: string(id)})
		}
		return data
	}
	p.feed(cycle(1, "AB"), cycle(2, "ACD"))
	out := p.feed(cycle(3, "AEFG"))
	require.Equal(t, runevents.TriggerGrowingFindings, of[runevents.WiggumBreak](out)[0].Trigger, "what is seen comes first")
	noted := of[runevents.BreakNoted](out)
	require.Len(t, noted, 1, "computed")
	require.Equal(t, runevents.TriggerLowConvergence, noted[0].Trigger)
	require.Contains(t, noted[0].Reason, "The convergence score was below 0.5 in 2 cycles in a row, last 0.40.")
	require.Equal(t, []string{"e2", "e3"}, noted[0].Evidence)

	given := 0.9
	scored := cycle(1, "AB")
	scored.ConvergenceScore = &given
	p = newPlayer(t)
	p.feed(scored, cycle(2, "ACD"))
	require.Empty(t, of[runevents.BreakNoted](p.feed(cycle(3, "AEFG"))), "the publisher gives scores")
}

// RW-32: without findings of its own a cycle has those of its reviews.
func TestFindingsOfReviews(t *testing.T) {
	review := func(id, state string) *runevents.ReviewCompleted {
		return &runevents.ReviewCompleted{Reviewer: "g", Findings: []runevents.Finding{{ID: id, State: state}}}
	}
	p := newPlayer(t)
	p.feed(review("A", ""), review("B", ""), review("A", "fixed"), &runevents.CycleCompleted{Cycle: 1})
	require.Len(t, p.state.Cycles.Open, 1)
	require.Equal(t, "B", p.state.Cycles.Open[0].ID)
	p.feed(&runevents.AgentCompleted{AgentID: "g", Outcome: "success", Findings: []runevents.Finding{{ID: "C"}}})
	require.Len(t, p.state.Cycles.Open, 2, "of the cycle and the reviews since")
	p.feed(&runevents.CycleCompleted{Cycle: 2})
	require.Len(t, p.state.Cycles.Open, 1, "a review counts in one cycle")
	p.feed(&runevents.CycleCompleted{Cycle: 3, Findings: []runevents.Finding{{ID: "D"}}}, review("E", ""), &runevents.CycleCompleted{Cycle: 4})
	require.Empty(t, p.state.Cycles.Open, "who lists findings with a cycle lists none here")
}
