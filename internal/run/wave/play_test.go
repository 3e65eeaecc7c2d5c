package wave

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Actors of the tests.
var (
	human        = runevents.Actor{Kind: runevents.ActorHuman, ID: "mara"}
	orchestrator = runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "conductor"}
	scout        = runevents.Actor{Kind: runevents.ActorScout, ID: "scout-1"}
	scaffolder   = runevents.Actor{Kind: runevents.ActorScaffold, ID: "scaffold-1"}
	waveAgent    = runevents.Actor{Kind: runevents.ActorWaveAgent, ID: "agent-1"}
	infra        = runevents.Actor{Kind: runevents.ActorInfra, ID: "git"}
)

var typeOf = func() map[reflect.Type]events.Type {
	out := map[reflect.Type]events.Type{}
	for _, d := range events.All() {
		out[reflect.TypeOf(d.New())] = d.Type
	}
	return out
}()

var loaded = sync.OnceValues(func() (*Config, error) { return LoadConfig(rules.Default()) })

func config(t require.TestingT) *Config {
	c, err := loaded()
	require.NoError(t, err)
	return c
}

// player folds events as they come, and again with a state that goes through JSON
// at every step.
type player struct {
	t       require.TestingT
	c       *Config
	s       State
	twin    State
	n       int
	last    []run.Conclusion
	history []string
	judged  runevents.RunJudged // what was emitted for reports, event by event
}

func play(t require.TestingT) *player { return &player{t: t, c: config(t)} }

// feed folds an event with the credential that its actor claims, as scan does.
func (p *player) feed(data any) []string {
	p.n++
	event := events.Event{ID: fmt.Sprint("e", p.n), Source: "test", Type: typeOf[reflect.TypeOf(data)], Subject: "run", Time: time.Unix(int64(p.n), 0), Data: data}
	event.Credential = events.ClaimedRole(event)
	v := run.NewContext(step.Input{Event: event})
	before := p.s.Mark()
	p.c.Decide(&p.s, v)
	p.report(before)
	p.last = v.Conclusions()
	out := shown(p.last)
	again := run.NewContext(step.Input{Event: event})
	encoded, err := json.Marshal(p.twin)
	require.NoError(p.t, err)
	p.twin = State{}
	require.NoError(p.t, json.Unmarshal(encoded, &p.twin))
	p.c.Decide(&p.twin, again)
	require.Equal(p.t, text(p.t, p.last), text(p.t, again.Conclusions()), "a snapshot changes nothing")
	p.history = append(p.history, out...)
	return out
}

// report adds what an event changed; the sum is always the whole (WP-17, WP-19).
func (p *player) report(before Mark) {
	var whole, change runevents.RunJudged
	p.s.Since(before, &change)
	p.judged.Add(&change)
	p.s.Since(Mark{}, &whole)
	ordered := func(list []runevents.Clause) []runevents.Clause {
		return slices.SortedFunc(slices.Values(list), func(a, b runevents.Clause) int { return cmp.Compare(a.ID, b.ID) })
	}
	require.Equal(p.t, whole.Conformance, p.judged.Conformance)
	require.Equal(p.t, ordered(whole.RulesBroken), ordered(p.judged.RulesBroken))
	require.Equal(p.t, whole.Isolation, p.judged.Isolation)
	change = runevents.RunJudged{}
	p.s.Since(p.s.Mark(), &change)
	require.True(p.t, change.Empty(), "nothing changed since now")
}

// all folds events and returns what they lead to, but for allowing gates.
func (p *player) all(list ...any) []string {
	var out []string
	for _, data := range list {
		for _, line := range p.feed(data) {
			if !strings.HasSuffix(line, " allow") {
				out = append(out, line)
			}
		}
	}
	return out
}

func text(t require.TestingT, list []run.Conclusion) string {
	data, err := json.Marshal(list)
	require.NoError(t, err)
	return string(data)
}

// shown is a conclusion in short.
func shown(list []run.Conclusion) []string {
	var out []string
	for _, c := range list {
		switch d := c.Data.(type) {
		case *runevents.GateDecided:
			rule := d.Rule + " "
			if d.Decision == runevents.DecisionAllow {
				rule = ""
			}
			out = append(out, "gate "+string(d.Gate)+" "+rule+string(d.Decision))
		case *runevents.ViolationDetected:
			out = append(out, "V "+d.Rule+" "+d.Code)
		case *runevents.WarningIssued:
			out = append(out, "W "+d.Rule+" "+d.Code)
		case *runevents.WiggumBreak:
			out = append(out, "break "+string(d.Trigger))
		case *runevents.EscalationRaised:
			out = append(out, "escalate "+d.Issue)
		case *sessionevents.InterruptFired:
			out = append(out, "interrupt "+d.Session)
		default:
			out = append(out, string(c.Type))
		}
	}
	return out
}

// gate is the gate that the last event decided.
func (p *player) gate() *runevents.GateDecided {
	for _, c := range p.last {
		if d, is := c.Data.(*runevents.GateDecided); is {
			return d
		}
	}
	return nil
}

// Events of the tests.

func protocolRun() any { return &runevents.RunStarted{Actor: orchestrator, Kind: "saw"} }

func scouted(waves int, scaffolds ...string) any {
	d := &runevents.ScoutCompleted{Actor: scout, Verdict: "SUITABLE", Waves: waves}
	for _, file := range scaffolds {
		d.Scaffolds = append(d.Scaffolds, runevents.Scaffold{File: file, Status: "pending"})
	}
	return d
}

func approved() any { return &runevents.PlanApproved{Actor: human, By: "mara"} }

func planned(wave int, letters string) any {
	d := &runevents.WavePlanned{Actor: orchestrator, Wave: wave}
	for _, l := range letters {
		d.Agents = append(d.Agents, runevents.WaveAgent{Letter: string(l), Owns: []string{file(wave, string(l))}})
	}
	return d
}

func file(wave int, letter string) string {
	return fmt.Sprintf("pkg/w%d%s.go", wave, strings.ToLower(letter))
}

func branch(wave int, letter string) string { return fmt.Sprintf("wave%d-agent-%s", wave, letter) }

func worktree(wave int, letter string) any {
	return &runevents.WorktreeCreated{Actor: infra, Path: ".claude/worktrees/" + branch(wave, letter), Branch: branch(wave, letter), Wave: wave, Letter: letter}
}

func removed(wave int, letter string) any {
	return &runevents.WorktreeRemoved{Actor: infra, Path: ".claude/worktrees/" + branch(wave, letter), Branch: branch(wave, letter), Wave: wave, Letter: letter}
}

func launched(wave int) any { return &runevents.WaveStarted{Actor: orchestrator, Wave: wave} }

func started(wave int, letter string) any {
	return &runevents.AgentStarted{Actor: orchestrator, AgentID: "id-" + branch(wave, letter), Session: "s-" + letter, Wave: wave, Letter: letter, CWD: "/srv/shop/.claude/worktrees/" + branch(wave, letter), Branch: branch(wave, letter), Isolation: "worktree"}
}

func checked(wave int, letter string, ok bool) any {
	return &runevents.Field0Checked{Actor: waveAgent, Wave: wave, Letter: letter, OK: ok}
}

func commit(wave int, letter string) any {
	return &runevents.GitCommit{Actor: infra, SHA: "c" + branch(wave, letter), Branch: branch(wave, letter), Author: "dev", Letter: letter, Files: []string{file(wave, letter)}}
}

func completed(wave int, letter string) any {
	return &runevents.AgentCompleted{Actor: orchestrator, AgentID: "id-" + branch(wave, letter), Session: "s-" + letter, Outcome: "success", Status: "complete", Wave: wave, Letter: letter, Commit: "c" + branch(wave, letter), FilesChanged: []string{file(wave, letter)}}
}

func mergeRequested(wave int) any {
	return &runevents.WaveMergeRequested{Actor: orchestrator, Wave: wave, Base: "2c9e6a1"}
}

func gitMerge(wave int, letter string) any {
	return &runevents.GitMerge{Actor: infra, Branch: branch(wave, letter), Into: "main", Output: "Merge made by the 'ort' strategy."}
}

func merged(wave int) any { return &runevents.WaveMerged{Actor: orchestrator, Wave: wave} }

func tested(passed bool) any {
	return &runevents.TestCompleted{Actor: orchestrator, Scope: "unscoped", Passed: passed, Suite: "go test ./...", AfterMerge: new(true)}
}

func recovered(wave, option int) any {
	return &runevents.RecoverySelected{Actor: human, Wave: wave, Option: option, By: "mara", Why: "decided"}
}

func hookIn() any  { return &runevents.HookInstalled{Actor: infra, Backup: true} }
func hookOut() any { return &runevents.HookRemoved{Actor: infra, Backup: true, Restored: true} }

func finished() any { return &runevents.RunCompleted{Actor: orchestrator, Outcome: "success"} }

func mainCommit(letter string) *runevents.GitCommit {
	return &runevents.GitCommit{Actor: infra, SHA: "m" + letter, Branch: "main", Letter: letter, Files: []string{file(1, cmp.Or(letter, "x"))}}
}

func split(letters string) []string { return strings.Split(letters, "") }

// begun is a run up to the approval.
func begun(waves int) []any { return []any{protocolRun(), scouted(waves), approved()} }

// running is a wave up to its agents at work.
func running(wave int, letters string) []any {
	out := []any{planned(wave, letters), hookIn()}
	for _, l := range split(letters) {
		out = append(out, worktree(wave, l))
	}
	out = append(out, launched(wave))
	for _, l := range split(letters) {
		out = append(out, started(wave, l), checked(wave, l, true))
	}
	return out
}

// working is what its agents do then, but for the commits of those in empty.
func working(wave int, letters, empty string) []any {
	var out []any
	for _, l := range split(letters) {
		if !strings.Contains(empty, l) {
			out = append(out, commit(wave, l))
		}
	}
	for _, l := range split(letters) {
		out = append(out, completed(wave, l))
	}
	return out
}

// closing merges and verifies a wave.
func closing(wave int, letters string) []any {
	out := []any{mergeRequested(wave)}
	for _, l := range split(letters) {
		out = append(out, gitMerge(wave, l))
	}
	out = append(out, merged(wave), hookOut())
	for _, l := range split(letters) {
		out = append(out, removed(wave, l))
	}
	return append(out, tested(true))
}

func join(lists ...[]any) []any {
	var out []any
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// tripped is a run whose trip wire has just fired for agent B.
func tripped(t *testing.T) *player {
	p := play(t)
	require.Empty(t, p.all(join(begun(2), running(1, "AB"), working(1, "AB", "B"))...))
	require.Equal(t, []string{"gate merge WP-1 deny", "escalate wave/isolation_failure", "break isolation_failure"}, p.feed(mergeRequested(1)))
	return p
}
