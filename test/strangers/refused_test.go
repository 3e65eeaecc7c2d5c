package strangers

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote/quotetest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// refusals plays events that ingest refuses: their ids, types and sources are hostile, and so is what the
// reasons quote.
func refusals(t testing.TB, foreign string) (decisions []events.Event) {
	core, err := core()
	require.NoError(t, err)
	chain := core.Chain()
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	feed := func(id string, typ events.Type, subject string, data any) {
		at = at.Add(time.Minute)
		decisions = append(decisions, chain.Feed(events.Event{ID: id, Source: "/strangers", Type: typ, Subject: subject, Time: at, Data: data, Credential: events.RolePublisher})...)
	}
	turn := sessionevents.Turn{Session: session, TurnID: "t1", Agent: sessionevents.Agent{Kind: "claude-code"}, Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: "x"}}}
	feed("opened", sessionevents.TypeSessionOpened, session, &sessionevents.SessionOpened{Session: session, Agent: &sessionevents.Agent{Kind: foreign}})
	feed("first", sessionevents.TypeTurnRaw, session, &turn)
	nameless := turn
	nameless.TurnID = ""
	feed(foreign, sessionevents.TypeTurnRaw, session, &nameless)
	other := turn
	other.Session = foreign
	feed("another"+foreign, sessionevents.TypeTurnRaw, session, &other)
	feed("type", events.Type(foreign), session, nil)
	feed("begins", runevents.TypeRunStarted, project, &runevents.RunStarted{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator}})
	feed(foreign, runevents.TypeAgentCompleted, project, &runevents.AgentCompleted{Outcome: foreign, AgentID: foreign})
	feed("asks", runevents.TypeAgentSpawned, project, &runevents.AgentSpawned{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator}, AgentID: "a"})
	feed(foreign+"2", runevents.TypeAgentSpawned, project, &runevents.AgentSpawned{AgentID: foreign})
	return decisions
}

// What was refused is shown everywhere (DP-33), and nothing of it is shown as ours.
func TestRefusedEvents(t *testing.T) {
	kinds := map[events.Type]int{}
	for _, foreign := range hostile() {
		list := refusals(t, foreign)
		for _, e := range list {
			kinds[e.Type]++
			for name, text := range ours(e) {
				if problem := quotetest.Problem(text); problem != "" {
					t.Errorf("%s of %s for %q: %s", name, e.Type, foreign, problem)
				}
			}
		}
		for name, shows := range channels {
			for _, text := range shows(t, list) {
				if problem := quotetest.Problem(text); problem != "" {
					t.Errorf("%s of %q: %s", name, foreign, problem)
				}
			}
		}
	}
	require.Positive(t, kinds[runevents.TypeGateDecided])
	require.GreaterOrEqual(t, kinds[sessionevents.TypeInputRefused], 5*len(hostile()))
}

// A refused event is named in the feed, in the report of its session and in that of
// its run (DP-33).
func TestRefusedEventsAreNamedEverywhere(t *testing.T) {
	list := refusals(t, "odd")
	for name, want := range map[string][]string{
		"feed":           {"refused, not watched: turn.raw odd", "refused, not watched: agent.completed odd", "refused, not watched: odd type"},
		"session text":   {"Refused: turn.raw odd: ", "Refused: odd type: "},
		"session report": {"Refused: turn.raw odd: "},
		"run text":       {"Not evaluated: agent.completed odd: ", "Not evaluated: agent.spawned odd2: "},
	} {
		shown := strings.Join(channels[name](t, list), "\n")
		for _, text := range want {
			require.Contains(t, shown, text, name)
		}
	}
}
