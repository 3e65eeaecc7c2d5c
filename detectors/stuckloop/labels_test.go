package stuckloop

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// loopCase is a case of labels/loops.jsonl: what other agents' own tests call stuck.
type loopCase struct {
	ID     string `json:"id"`
	Expect struct {
		Stuck bool `json:"stuck"`
	} `json:"expect"`
	Events []struct {
		Type   string          `json:"t"`
		Text   string          `json:"text"`
		Tool   string          `json:"tool"`
		Args   json.RawMessage `json:"args"`
		Result *string         `json:"result"`
		Failed bool            `json:"is_error"`
	} `json:"events"`
}

// C4 on the loops that the tests of four agents hold: stuck means a loop (floor
// 4.0), a nudge is none.
func TestLoopsOfOtherAgents(t *testing.T) {
	cases := loopCases(t)
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			highest := sessionevents.Urgency(0)
			for _, s := range play(t, c.turns()) {
				highest = max(highest, s.Urgency)
			}
			require.Equal(t, c.Expect.Stuck, highest >= loopFloor, "highest urgency %s", highest)
		})
	}
}

func loopCases(t *testing.T) (cases []loopCase) {
	file, err := os.Open(filepath.Join(shareddata.Require(t), "labels", "loops.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c loopCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		cases = append(cases, c)
	}
	return cases
}

func (c *loopCase) turns() (turns []*sessionevents.Turn) {
	for i, e := range c.Events {
		turn := &sessionevents.Turn{Session: "s", TurnID: strconv.Itoa(i), Format: "blocks"}
		id := "call-" + strconv.Itoa(i)
		switch e.Type {
		case "user":
			turn.Blocks = []sessionevents.Block{{Type: sessionevents.BlockUser, Text: e.Text}}
		case "compaction":
			turn.Compacted = true
		case "tool":
			turn.Blocks = []sessionevents.Block{{Type: sessionevents.BlockToolCall, ID: id, Name: e.Tool, Input: e.Args}}
			if e.Result != nil {
				turn.Blocks = append(turn.Blocks, sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: *e.Result, IsError: &e.Failed})
			}
		}
		turns = append(turns, turn)
	}
	return turns
}

// play gives the signals of a session of C4 alone.
func play(t *testing.T, turns []*sessionevents.Turn) (signals []sessionevents.Signal) {
	set := rules.Default()
	suite, err := detect.NewSuite([]*detect.Detector{Detector}, set)
	require.NoError(t, err)
	session, memory := detecttest.NewSession(t, set, nil), suite.NewMemory()
	for _, turn := range turns {
		pass := session.Next(turn)
		signals = append(signals, suite.Evaluate(pass, memory).Signals...)
		session.Commit(pass)
	}
	return signals
}
