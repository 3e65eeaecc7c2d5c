package hookturn

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// masks replaces one word wherever it stands, and, as values are found, the word
// behind "key=" everywhere in what it is given.
type masks struct{}

func (masks) Turn(t sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding) {
	var found []sessionevents.SecretFinding
	t.Blocks = append([]sessionevents.Block(nil), t.Blocks...)
	for i := range t.Blocks {
		for pointer, text := range map[string]*string{"text": &t.Blocks[i].Text, "output": &t.Blocks[i].Output} {
			if strings.Contains(*text, "hush") {
				*text = strings.ReplaceAll(*text, "hush", "‹secret›")
				found = append(found, sessionevents.SecretFinding{Rule: "hush", Block: i, Pointer: pointer})
			}
		}
	}
	return t, found
}

func (masks) Repeats(t sessionevents.Turn, earlier []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding) {
	if len(earlier) == 0 {
		return t, nil
	}
	t.Blocks = append([]sessionevents.Block(nil), t.Blocks...)
	for i := range t.Blocks {
		t.Blocks[i].Output = strings.ReplaceAll(t.Blocks[i].Output, "again", "‹repeat›")
	}
	return t, nil
}

func user(text string) Piece {
	return Piece{Block: sessionevents.Block{Type: sessionevents.BlockUser, Text: text}}
}

func prose(text string) Piece {
	return Piece{Block: sessionevents.Block{Type: sessionevents.BlockText, Text: text}}
}

func last(text string) Piece {
	p := prose(text)
	p.Closing = true
	return p
}

func began(id string) Piece {
	return Piece{Block: sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: "Bash", Input: json.RawMessage(`{"command":"` + id + `"}`)}}
}

func done(id string) Piece {
	no := false
	return Piece{Block: sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Name: "Bash", Input: json.RawMessage(`{"command":"` + id + `"}`), Output: "out " + id, IsError: &no}}
}

func listed(id string) Piece {
	p := done(id)
	p.Batch, p.Block.IsError = true, nil
	return p
}

func call(border Border, pieces ...Piece) Call { return Call{Pieces: pieces, Border: border} }

// show is a turn in one line: u(text) t(text) c(id) r(id), ! for a refusal.
func show(turns []Turn) string {
	var out []string
	for _, turn := range turns {
		var blocks []string
		for _, b := range turn.Blocks {
			switch b.Type {
			case sessionevents.BlockUser:
				blocks = append(blocks, "u:"+b.Text)
			case sessionevents.BlockText:
				blocks = append(blocks, "t:"+b.Text)
			case sessionevents.BlockThinking:
				blocks = append(blocks, "h:"+b.Text)
			case sessionevents.BlockToolCall:
				blocks = append(blocks, "c:"+b.ID)
			case sessionevents.BlockToolResult:
				mark := ""
				if b.Rejected {
					mark = "!"
				}
				blocks = append(blocks, "r:"+b.ID+mark)
			}
		}
		text := strings.Join(blocks, " ")
		if turn.Compacted {
			text += " compacted"
		}
		if turn.StopReason != "" {
			text += " =" + turn.StopReason
		}
		out = append(out, text)
	}
	return strings.Join(out, " | ")
}

func TestFold(t *testing.T) { // SW-1
	cases := []struct {
		name  string
		calls []Call
		want  string
	}{
		{"a response with a batch, and the end", []Call{
			call(0, user("go")), call(0, prose("I will.")), call(0, began("a")), call(0, began("b")), call(0, done("a")), call(0, done("b")),
			call(BorderBatch, listed("a"), listed("b")), call(0, prose("All done.")), call(BorderTurn, last("All done.")),
		}, "u:go t:I will. c:a c:b r:a r:b =tool_use | t:All done. =end_turn"},
		{"no batches: each call ends a turn, running ones wait", []Call{
			call(0, user("go")), call(0, began("a")), call(0, began("b")), call(BorderCall, done("a")), call(BorderCall, done("b")), call(BorderTurn, last("Done.")),
		}, "u:go c:a r:a =tool_use | c:b r:b =tool_use | t:Done. =end_turn"},
		{"only results are told", []Call{call(BorderCall, done("a")), call(BorderCall, done("b"))}, "c:a r:a =tool_use | c:b r:b =tool_use"},
		{"only the batch is told", []Call{call(BorderBatch, listed("a"), listed("b"))}, "c:a r:a c:b r:b =tool_use"},
		{"only the end is told", []Call{call(BorderTurn, last("Hello."))}, "t:Hello. =end_turn"},
		{"the batch is not told: prose begins the next response", []Call{
			call(0, began("a")), call(0, done("a")), call(0, prose("Next.")), call(BorderTurn, last("Next.")),
		}, "c:a r:a =tool_use | t:Next. =end_turn"},
		{"a person's message begins the next turn", []Call{
			call(0, began("a")), call(0, user("stop")), call(0, user("and do this")), call(BorderTurn, last("Yes.")),
		}, "c:a | u:stop u:and do this t:Yes. =end_turn"},
		{"a result behind its turn", []Call{
			call(0, began("a")), call(0, user("stop")), call(0, prose("Wait.")), call(0, done("a")), call(BorderTurn),
		}, "c:a | u:stop t:Wait. r:a =end_turn"},
		{"everything twice", []Call{
			call(0, began("a")), call(0, began("a")), call(0, done("a")), call(0, done("a")), call(BorderBatch, listed("a")),
			call(0, began("a")), call(0, done("a")), call(BorderBatch, listed("a")),
		}, "c:a r:a =tool_use"},
		{"a call that was refused stands in its batch alone", []Call{
			call(0, began("a")), call(0, done("a")), call(0, began("b")), call(BorderBatch, listed("a"), listed("b")),
		}, "c:a r:a c:b r:b! =tool_use"},
		{"calls without ids", []Call{
			call(0, noID(began("x"))), call(0, noID(began("y"))), call(BorderCall, noID(done("y"))), call(BorderCall, noID(done("x"))),
		}, "c:hook-call-2 r:hook-call-2 =tool_use | c:hook-call-1 r:hook-call-1 =tool_use"},
		{"compaction", []Call{
			call(0, prose("Before.")), {Compacts: true}, call(BorderTurn, last("After.")), call(BorderTurn, last("Later.")),
		}, "t:Before. | t:After. compacted =end_turn | t:Later. =end_turn"},
		{"the session ends with what nobody answered", []Call{call(0, user("hello?")), {Closes: "exit"}}, "u:hello?"},
		{"nothing", []Call{call(BorderTurn), call(BorderBatch), {Closes: "exit"}, call(0, prose(" \n"))}, ""},
		{"a last message that was shown in parts", []Call{
			call(0, prose("First.\n")), call(0, prose("Second.\n")), call(BorderTurn, last("First.\nSecond.")),
		}, "t:First.\n t:Second.\n =end_turn"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, turns := &State{}, []Turn(nil)
			for _, h := range c.calls {
				turns = append(turns, s.Fold(h, masks{})...)
			}
			require.Equal(t, c.want, show(turns))
			require.True(t, s.Empty(), "%v", s.Held)
			require.Zero(t, s.Bytes)
		})
	}
}

func noID(p Piece) Piece {
	p.Block.ID = ""
	return p
}

func TestPiecesAreRedactedAsTheyCome(t *testing.T) { // SW-7
	s := &State{}
	s.Fold(call(0, prose("it is hush")), masks{})
	require.NotContains(t, stored(t, s), "is hush")
	require.Contains(t, stored(t, s), "‹secret›")
	p := done("a")
	p.Block.Output = "again"
	s.Fold(call(0, p), masks{})
	require.NotContains(t, stored(t, s), "again")
	turn := s.Fold(call(BorderTurn), masks{})[0]
	require.Len(t, turn.Secrets, 1)
	require.Equal(t, 0, turn.Secrets[0].Block)
}

func stored(t *testing.T, s *State) string {
	data, err := json.Marshal(s)
	require.NoError(t, err)
	return string(data)
}

func TestOpenTurnIsBounded(t *testing.T) { // EV-3
	s, turns := &State{}, 0
	for i := range 40 {
		p := done(fmt.Sprint(i))
		p.Block.Output = strings.Repeat("x", 100<<10)
		turns += len(s.Fold(call(0, p), masks{}))
		require.LessOrEqual(t, s.Bytes, MaxOpen)
	}
	require.Equal(t, 3, turns)
	for i := range 1000 {
		s.Fold(call(BorderBatch, listed(fmt.Sprint("n", i))), masks{})
	}
	require.LessOrEqual(t, s.Size(), 64<<10)
}
