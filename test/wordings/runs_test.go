package wordings

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// heard is one kind of what runs are judged by in agents' own words: a shape, and what stands in it, a text
// or a list of texts. Of the shape's run, Says is to be concluded ("A|B": one of them), or not.
type heard struct {
	Shape  string
	Says   string
	Heard  []texts
	Silent []texts
	// Missed are those of Heard and Silent that do not hold yet.
	Missed []string
}

// texts is a text or a list of texts.
type texts []string

// UnmarshalYAML reads either.
func (t *texts) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*t = texts{node.Value}
		return nil
	}
	return node.Decode((*[]string)(t))
}

func (t texts) at(i int) string {
	if i < len(t) {
		return t[i]
	}
	return ""
}

// TestRunWordings covers RW-1, RW-2, RW-4 … RW-7, PL-3, PL-20, PL-30, PL-38a, WP-5 and WP-7 in words.
func TestRunWordings(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	for _, kind := range casesIn[heard](t, "testdata/runs/*.yaml") {
		t.Run(kind.Shape, func(t *testing.T) {
			held := 0
			for i, text := range slices.Concat(kind.Heard, kind.Silent) {
				wanted, missed := i < len(kind.Heard), slices.Contains(kind.Missed, text.at(0))
				if says := concluded(t, core, kind, text); says != wanted && !missed {
					t.Errorf("%q: %s is %v", text, kind.Says, says)
				} else if says == wanted {
					held++
					require.False(t, missed, "%q holds now: take it from the list", text)
				}
			}
			t.Logf("%d of %d", held, len(kind.Heard)+len(kind.Silent))
		})
	}
}

// concluded plays the run of a shape and reports whether it says what the kind is about.
func concluded(t *testing.T, core *machines.Core, kind heard, text texts) bool {
	t.Helper()
	shape := shapes[kind.Shape]
	require.NotNil(t, shape, "no shape %q", kind.Shape)
	s := &script{t: t}
	s.add("", runevents.TypeRunStarted, map[string]any{
		"kind": "build", "workspace": "/repo", "project": "parcels", "goal": "Show the zone of a parcel",
		"workflow": "standard",
	})
	shape(s, text)
	for _, e := range fed(t, core, s.lines) {
		for _, word := range strings.Split(kind.Says, "|") {
			if about(e, word) {
				return true
			}
		}
	}
	return false
}

// about reports whether a decision speaks of a detector, a rule or a code.
func about(e events.Event, word string) bool {
	switch d := e.Data.(type) {
	case *sessionevents.Signal:
		return d.Detector == word && d.Suppressed == ""
	case *runevents.ViolationDetected:
		return d.Code == word || d.Rule == word
	case *runevents.WarningIssued:
		return d.Code == word || d.Rule == word
	case *runevents.ClarificationRequested:
		return word == runevents.TypeClarificationRequested
	case *runevents.RunJudged:
		return word == "context" && slices.ContainsFunc(
			d.Degradations,
			func(g runevents.Degradation) bool { return g.Findings > 0 },
		)
	}
	return false
}

// script is a run as its orchestrator publishes it.
type script struct {
	t     *testing.T
	lines [][]byte
}

// add appends an event; an empty subject is the run's.
func (s *script) add(subject string, kind events.Type, data map[string]any) {
	actor := "orchestrator"
	switch kind {
	case runevents.TypePlanApproved:
		actor = "human"
	case runevents.TypeWorktreeCreated, runevents.TypeGitCommit:
		actor = "infra"
	}
	if subject == "" {
		subject = "r1"
		data["actor"] = map[string]any{"kind": actor}
	}
	text, err := json.Marshal(map[string]any{
		"specversion": "1.0", "id": fmt.Sprintf("r%d", len(s.lines)+1), "source": "/wordings", "type": kind,
		"subject": subject,
		"time":    fmt.Sprintf("2026-03-01T09:%02d:00Z", len(s.lines)), "datacontenttype": "application/json",
		"data": data,
	})
	require.NoError(s.t, err)
	s.lines = append(s.lines, text)
}

// agent appends a completed agent.
func (s *script) agent(archetype string, more map[string]any) {
	data := map[string]any{
		"agent_id": archetype + "-1", "archetype": archetype, "outcome": "success", "cycle": 1,
		"duration_ms": 90000,
	}
	for key, value := range more {
		data[key] = value
	}
	s.add("", runevents.TypeAgentCompleted, data)
}

// made appends the maker's work that reviewers speak of.
func (s *script) made() {
	s.agent("maker", map[string]any{
		"phase": "do", "files_changed": []string{
			"src/a.ts",
			"src/a.test.ts",
		}, "diff_lines": 400, "tests_run": true, "commits": 3,
	})
}

func finding(id, text string, more ...string) map[string]any {
	f := map[string]any{
		"id": id, "severity": "WARNING", "category": "quality", "file": "src/a.ts", "line": 3,
		"text": text,
	}
	for i := 0; i+1 < len(more); i += 2 {
		f[more[i]] = more[i+1]
	}
	return f
}

// things are four that have nothing to do with each other.
var things = []string{
	"name of the depot column", "order of the imports", "colour of the badge",
	"length of the export file",
}

// shapes are runs around a text.
var shapes = map[string]func(s *script, text texts){
	"impossible": func(s *script, text texts) {
		s.made()
		s.agent("trickster", map[string]any{"phase": "check", "findings": []any{finding("f1", text.at(0))}})
	},
	"repro": func(s *script, text texts) {
		s.made()
		output := "## Findings\n"
		for i, thing := range things {
			output += fmt.Sprintf("- WARNING src/a.ts:%d the %s is wrong. %s\n", i*10+1, thing, text.at(0))
		}
		s.agent("trickster", map[string]any{"phase": "check", "output": output})
	},
	"compromised": func(s *script, text texts) {
		s.made()
		s.agent("guardian", map[string]any{
			"phase":    "check",
			"findings": []any{finding("f1", text.at(0), "severity", "CRITICAL", "fix", "check it in src/a.ts")},
		})
	},
	"consider": func(s *script, text texts) {
		s.made()
		var list []any
		for i, thing := range things {
			list = append(
				list,
				finding(fmt.Sprintf("f%d", i), strings.ReplaceAll(text.at(0), "%s", thing), "severity", "INFO"),
			)
		}
		s.agent("sage", map[string]any{"phase": "check", "findings": list})
	},
	"trivialdocs": func(s *script, text texts) {
		s.made()
		s.agent("sage", map[string]any{
			"phase":    "check",
			"findings": []any{finding("f1", text.at(0), "severity", "INFO", "fix", "add it in src/a.ts")},
		})
	},
	"futureproof": func(s *script, text texts) {
		s.agent("creator", map[string]any{
			"phase":  "plan",
			"output": "## Proposal\nThe depot table gets a zone column.\n\n## Rationale\n" + text.at(0),
		})
	},
	"abstractions": func(s *script, text texts) {
		s.agent(
			"creator",
			map[string]any{"phase": "plan", "output": "## Proposal\n" + text.at(0) + "\n\n## Confidence\nhigh"},
		)
	},
	"tangent": func(s *script, text texts) {
		output := "## Findings\nThe depot table has no zone.\n\n"
		for _, thing := range things {
			output += strings.ReplaceAll(text.at(0), "%s", "the "+thing+" has changed twice.") + "\n\n"
		}
		s.agent("explorer", map[string]any{"phase": "plan", "output": output + "## Recommendation\nAdd the column.\n"})
	},
	"recommendation": func(s *script, text texts) {
		output := "## Findings\n" + strings.Repeat("The depot lists its parcels by zone and by day. ", 230)
		s.agent("explorer", map[string]any{"phase": "plan", "output": output + "\n\n" + text.at(0) + "\n"})
	},
	"alternatives": func(s *script, text texts) {
		var output string
		for i, thing := range things {
			output += fmt.Sprintf("### Challenge %d: the %s\n%s\n\n", i+1, thing, text.at(0))
		}
		s.agent("skeptic", map[string]any{"phase": "check", "output": output})
	},
	"reworded": func(s *script, text texts) {
		output := fmt.Sprintf(
			"### Challenge 1\n%s Alternative: leave it.\n\n### Challenge 2\n%s Alternative: drop it.\n",
			text.at(0),
			text.at(1),
		)
		s.agent("skeptic", map[string]any{"phase": "check", "output": output})
	},
	"ticket": func(s *script, text texts) {
		s.lines = nil
		s.pipeline()
		criteria := []string{}
		if len(text) > 2 {
			criteria = text[2:]
		}
		s.add(
			"",
			runevents.TypeTicketReceived,
			map[string]any{"title": text.at(0), "text": text.at(1), "acceptance_criteria": criteria},
		)
	},
	"plan": func(s *script, text texts) {
		s.lines = nil
		s.pipeline()
		s.add("", runevents.TypePhaseStarted, map[string]any{"phase": "planning", "workflow": "wr.coding-task"})
		s.add("", runevents.TypePhaseCompleted, map[string]any{
			"phase": "planning", "workflow": "wr.coding-task",
			"artifacts": []any{}, "notes": text.at(0),
		})
	},
	"hypothesis": func(s *script, text texts) {
		s.lines = nil
		s.pipeline()
		s.add("", runevents.TypePhaseStarted, map[string]any{"phase": "coding", "workflow": "wr.coding-task"})
		s.turn(
			"a",
			text.at(0),
			"Task",
			map[string]any{"description": "audit", "prompt": "audit the zone code"},
			"All fine.",
		)
	},
	"blindread": func(s *script, text texts) {
		s.lines = nil
		s.pipeline()
		s.add("", runevents.TypeAgentSpawned, map[string]any{
			"agent_id": "c1", "role": "challenger", "mode": "blind", "declared_inputs": []string{"ticket"},
			"context_keys": []string{"ticket"},
			"max_turns":    12, "max_subagent_depth": 1,
		})
		s.turn("c1", "I look around.", "Bash", map[string]any{"command": text.at(0)}, "…")
	},
	"missingcontext": func(s *script, text texts) {
		s.lines = nil
		s.pipeline()
		s.add("", runevents.TypePhaseStarted, map[string]any{"phase": "discovery", "workflow": "wr.discovery"})
		s.add("", runevents.TypePhaseCompleted, map[string]any{
			"phase": "discovery", "workflow": "wr.discovery", "contract_ref": "wr.discovery_handoff",
			"artifacts": []any{},
			"notes":     "The zone table looks right, but the handover was not written; two depots share a zone in the old data.",
		})
		s.add("", runevents.TypePhaseStarted, map[string]any{"phase": "coding", "workflow": "wr.coding-task"})
		s.add("", runevents.TypeReviewCompleted, map[string]any{
			"reviewer": "r", "verdict": "minor",
			"checklist": []any{}, "findings": []any{finding("f1", text.at(0), "fix", "x")},
		})
		s.add("", runevents.TypeRunCompleted, map[string]any{"outcome": "success"})
	},
	"worktree": func(s *script, text texts) {
		s.lines = nil
		s.wave()
		letter := "A"
		if _, after, found := strings.Cut(text.at(1), "agent-"); found {
			letter = after
		}
		s.add(
			"",
			runevents.TypeWorktreeCreated,
			map[string]any{"path": text.at(0), "branch": text.at(1), "wave": 1, "letter": letter},
		)
	},
	"cwd": func(s *script, text texts) {
		s.lines = nil
		s.wave()
		for _, letter := range []string{"A", "B"} {
			s.add("", runevents.TypeWorktreeCreated, map[string]any{
				"path": "/repo/.claude/worktrees/wave1-agent-" + letter, "branch": "wave1-agent-" + letter, "wave": 1,
				"letter": letter,
			})
		}
		s.add("", runevents.TypeWaveStarted, map[string]any{"wave": 1})
		s.add("", runevents.TypeAgentStarted, map[string]any{
			"wave": 1, "letter": "A", "agent_id": "wave1-agent-A", "cwd": text.at(0), "branch": "wave1-agent-A",
			"isolation": "worktree",
		})
	},
}

func (s *script) pipeline() {
	s.add("", runevents.TypeRunStarted, map[string]any{
		"kind": "pipeline", "workspace": "/repo", "project": "parcels", "goal": "Show the zone of a parcel",
		"workflow": "standard",
		"trigger":  map[string]any{"id": "t"},
	})
}

func (s *script) wave() {
	s.add(
		"",
		runevents.TypeRunStarted,
		map[string]any{"kind": "saw", "workspace": "/repo", "project": "parcels", "goal": "Show the zone of a parcel"},
	)
	s.add("", runevents.TypeScoutCompleted, map[string]any{"verdict": "SUITABLE", "scaffolds": []any{}, "waves": 1})
	s.add("", runevents.TypeWavePlanned, map[string]any{"wave": 1, "agents": []any{
		map[string]any{"letter": "A", "owns": []string{"src/a.ts"}}, map[string]any{
			"letter": "B",
			"owns":   []string{"src/b.ts"},
		},
	}})
	s.add("", runevents.TypePlanApproved, map[string]any{"by": "human"})
}

// turn appends a session of the run with one turn: a text, a call and its result.
func (s *script) turn(agent, text, tool string, input map[string]any, output string) {
	who := map[string]any{"id": agent, "kind": "claude-code"}
	s.add(
		"s1",
		sessionevents.TypeSessionOpened,
		map[string]any{"session": "s1", "task": "Look at the zones.", "agent": who, "run": "r1"},
	)
	s.add("s1", sessionevents.TypeTurnRaw, map[string]any{
		"session": "s1", "turn_id": "1", "run": "r1", "agent": who, "format": "blocks", "stop_reason": "tool_use",
		"blocks": []any{
			map[string]any{"type": "user", "text": "Look at the zones."},
			map[string]any{"type": "text", "text": text},
			map[string]any{"type": "tool_call", "name": tool, "input": input, "id": "c1"},
			map[string]any{"type": "tool_result", "output": output, "id": "c1", "exit_code": 0},
		},
	})
}
