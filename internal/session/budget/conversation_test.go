package budget

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/ruletrace"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata/*.txt")

// TestConversations plays testdata/*.txt: input lines, a line "----", and what
// the dispatcher says. `go test -run Conversations -update` rewrites the
// outputs; every difference is to be explained in the commit.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			end := ruletrace.Scenario(file)
			defer func() { require.NoError(t, end()) }()
			before, err := os.ReadFile(file)
			require.NoError(t, err)
			after := playFile(t, string(before))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(after), 0o644))
				return
			}
			require.Equal(t, string(before), after, "run with -update and explain every change")
		})
	}
}

// playFile returns the text with the outputs as they are.
func playFile(t *testing.T, text string) string {
	c := newConversation(t)
	var out bytes.Buffer
	inOutput := false
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case line == "----":
			inOutput = true
			out.WriteString("----\n" + c.said())
		case inOutput && strings.HasPrefix(line, "  "):
			// an old output
		default:
			inOutput = false
			out.WriteString(line + "\n")
			c.hear(line)
		}
	}
	require.Empty(t, c.output.String(), "the file ends with inputs whose outputs are not shown: add ----")
	return out.String()
}

type conversation struct {
	t        *testing.T
	config   *Config
	machine  *Machine
	state    *State
	session  string
	turn     int
	cause    int
	signals  map[string]string // name in the file → id
	names    map[string]string // id → name in the file
	fired    map[string]string // name → interrupt id
	inTurn   []string
	forwards bool
	output   strings.Builder
	account  *audit.Dispositions
}

func newConversation(t *testing.T) *conversation {
	config := defaultConfig(t)
	c := &conversation{
		t: t, config: config, machine: NewMachine(config), session: "s1", turn: 1,
		signals: map[string]string{}, names: map[string]string{}, fired: map[string]string{},
		account: audit.NewDispositions(),
	}
	c.state = c.machine.New("s1")
	return c
}

func (c *conversation) said() string {
	text := c.output.String()
	c.output.Reset()
	if text == "" {
		return "  (nothing)\n"
	}
	return text
}

func (c *conversation) say(format string, args ...any) {
	fmt.Fprintf(&c.output, "  "+format+"\n", args...)
}

// hear takes one input line: a word, then bare words and key=value pairs.
func (c *conversation) hear(line string) {
	if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
		return
	}
	words := splitWords(line)
	args := parseArgs(words[1:])
	switch words[0] {
	case "config":
		c.configure(args)
	case "show":
		c.forwards = args.has("forwards")
	case "session":
		c.session, c.turn = args.bare[0], 1
		if s := c.state.Sessions[c.session]; s != nil {
			c.turn = s.Turn + 1
		}
	case "open":
		c.feed(sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{
			Session: c.session, Run: args.get("run"), Workspace: args.get("workspace"),
		})
	case "close":
		c.feed(sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: c.session, Reason: args.get("reason")})
	case "signal":
		c.signal(args)
	case "turn":
		c.evaluate(args)
	case "delivery":
		c.delivery(args)
	case "act":
		c.act(args)
	case "opinion":
		c.opinion(args)
	case "restart":
		c.restart()
	case "state":
		c.showState()
	case "repeats":
		c.showRepeats()
	case "audit":
		c.say("audit: %s", c.account.Result())
	default:
		c.t.Fatalf("unknown input %q", line)
	}
}

func (c *conversation) configure(a args) {
	switch a.bare[0] {
	case "mode":
		c.config.Mode = rules.Mode(a.bare[1])
	case "budget":
		c.config.Budget = c.number(a.bare[1])
	case "max_delivered":
		c.config.Queue.MaxDelivered = c.number(a.bare[1])
	case "max_age_turns":
		c.config.Queue.MaxAgeTurns = c.number(a.bare[1])
	case "patience_turns":
		c.config.Queue.PatienceTurns = c.number(a.bare[1])
	case "watch_turns":
		c.config.Watch.Turns = c.number(a.bare[1])
	case "max_sessions":
		c.config.Kept.Sessions = c.number(a.bare[1])
	case "max_entries":
		c.config.Queue.MaxEntries = c.number(a.bare[1])
	case "detector":
		c.config.Detectors = map[string]rules.Mode{a.bare[1]: rules.Mode(a.bare[2])}
	case "mute":
		c.config.Mutes = append(c.config.Mutes, Mute{
			Scope: runevents.MuteScope(a.get("scope")), Detector: a.get("detector"), Subject: a.get("subject"), Reason: a.get("why"), By: a.get("by"),
			Workspace: a.get("workspace"),
		})
	default:
		c.t.Fatalf("unknown configuration %v", a.bare)
	}
	require.NoError(c.t, c.config.Validate())
}

func (c *conversation) signal(a args) {
	name, detector := a.bare[0], a.bare[1]
	subject := cmp.Or(a.get("subject"), name)
	s := &sessionevents.Signal{
		Session: c.session, Turn: c.turn, Layer: sessionevents.Layer(cmp.Or(a.get("layer"), string(sessionevents.LayerSession))),
		Detector: detector, Class: sessionevents.Class(detector[:1]), Subject: subject,
		Confidence: c.decimal(cmp.Or(a.get("confidence"), "0.8")), ReworkCost: c.number(cmp.Or(a.get("cost"), "3")),
		SelfCorrect: c.decimal(cmp.Or(a.get("p"), "0.5")),
		Forced:      a.has("forced"), Final: a.has("final"), Suppressed: a.get("suppressed"), Streak: c.number(cmp.Or(a.get("streak"), "0")),
		Evidence: []sessionevents.Evidence{{Kind: sessionevents.SegmentDiff, Path: name + ".go"}},
		Message:  cmp.Or(a.get("message"), "Finding "+name+"; do the other thing."), Reason: "Because of " + name + ".",
	}
	if a.has("model") {
		s.Basis = []sessionevents.Ground{{Kind: sessionevents.GroundModel, What: "m"}}
	}
	s.Confirms = c.signals[a.get("confirms")]
	s.Floor, s.Cap = c.urgency(a.get("floor")), c.urgency(a.get("cap"))
	// The number of the name keeps ids in order where a file is about their order.
	s.ID = cmp.Or(a.get("id"), events.SignalID(c.session, c.turn, detector, subject, name))
	c.signals[name], c.names[s.ID] = s.ID, name
	if !a.has("model") && s.Confirms == "" { // those come with an opinion, no turn names them
		c.inTurn = append(c.inTurn, s.ID)
	}
	c.feed(sessionevents.TypeSignalDetected, s)
}

func (c *conversation) evaluate(a args) {
	if n := a.get("number"); n != "" {
		c.turn = c.number(n)
	}
	marker := &sessionevents.TurnEvaluated{Session: c.session, Turn: c.turn, Signals: c.inTurn, Failed: a.get("failed")}
	if why := a.get("pause"); why != "" {
		marker.Pause = sessionevents.Pause{Natural: true, Why: sessionevents.PauseReason(why)}
	}
	marker.Pause.Boundary = a.has("boundary")
	for _, key := range a.order {
		if id, ok := c.signals[key]; ok {
			marker.Pending = append(marker.Pending, sessionevents.PendingOutcome{ID: id, Outcome: sessionevents.Outcome(a.get(key))})
		}
	}
	c.inTurn = nil
	c.feed(sessionevents.TypeTurnEvaluated, marker)
	c.turn++
}

func (c *conversation) delivery(a args) {
	d := &sessionevents.InterruptDelivery{State: sessionevents.DeliveryState(a.bare[0]), By: a.get("by"), Channel: a.get("channel")}
	if of := a.get("of"); of != "" {
		d.Interrupt = cmp.Or(c.fired[of], of)
	} else {
		d.Session, d.Turn = c.session, c.number(a.get("turn"))
	}
	c.feed(sessionevents.TypeInterruptDelivery, d)
}

// opinion is a second opinion about a signal: opinion NAME VERDICT [worth=yes|no] [why=…] [void=…].
func (c *conversation) opinion(a args) {
	c.feed(sessionevents.TypeOpinionRecorded, &sessionevents.OpinionRecorded{
		Session: c.session, Question: "q", Kind: sessionevents.QuestionSignal, Signal: cmp.Or(c.signals[a.bare[0]], a.bare[0]), Turn: c.turn - 1,
		Verdict: sessionevents.OpinionVerdict(a.bare[1]), WorthSaying: sessionevents.WorthSaying(a.get("worth")), Why: a.get("why"), Void: a.get("void"),
		Model: "m", PromptDigest: "p",
	})
}

func (c *conversation) act(a args) {
	act := &runevents.OperatorAct{Act: runevents.Act(a.bare[0]), Session: a.get("session"), Target: c.fired[a.get("of")], By: a.get("by"), Why: a.get("why")}
	if act.Act == runevents.ActMute || act.Act == runevents.ActUnmute {
		details := map[string]any{"scope": a.get("scope"), "detector": a.get("detector"), "subject": a.get("subject")}
		if n := a.get("turns"); n != "" {
			details["turns"] = c.number(n)
		}
		if until := a.get("until"); until != "" {
			details["until"] = until
		}
		act.Details, _ = json.Marshal(details)
	}
	c.feed(runevents.TypeOperatorAct, act)
}

// restart takes a snapshot and goes on from it.
func (c *conversation) restart() {
	data, err := c.machine.Encode(c.state)
	require.NoError(c.t, err)
	c.state, err = c.machine.Decode(data)
	require.NoError(c.t, err)
}

func (c *conversation) feed(typ events.Type, data any) {
	c.cause++
	cause := events.Event{ID: fmt.Sprintf("cause-%d", c.cause), Source: "test", Type: typ, Subject: c.session, Time: testTime(c.cause), Data: data}
	out := step.NewEmitter(StageName, step.Identity{}, cause)
	state, err := c.machine.Step(c.state, step.Input{Event: cause}, out)
	require.NoError(c.t, err)
	c.state = state
	for _, ev := range out.Events() {
		c.account.Apply(ev)
		if ev.Source == "test" {
			if c.forwards {
				c.say("forward %s", ev.Type)
			}
			continue
		}
		c.show(ev)
	}
}

func (c *conversation) number(text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(c.t, err)
	return n
}

func (c *conversation) decimal(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	require.NoError(c.t, err)
	return f
}

func (c *conversation) urgency(text string) *sessionevents.Urgency {
	if text == "" {
		return nil
	}
	u := tenths(c.decimal(text))
	return &u
}
