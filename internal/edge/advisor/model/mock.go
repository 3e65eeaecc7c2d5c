package model

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"time"
)

// Mock is a model for tests and the demo. It sends nothing.
type Mock struct {
	// How selects the behaviour, see [Behaviours]; the zero value confirms every finding, quotes the
	// record, and adds nothing.
	How   string
	Delay time.Duration
	Asked atomic.Int64
}

// Behaviours lists the behaviours of a mock.
var Behaviours = []string{"confirm", "refute", "unsure", "invent", "obey", "garbage", "error", "flood", "slow", "add"}

// Ask answers according to the behaviour.
func (m *Mock) Ask(ctx context.Context, p Prompt) (Reply, error) {
	n := m.Asked.Add(1)
	how := m.How
	switch how {
	case "lie": // each time differently
		how = Behaviours[int(n)%7]
	case "chaos":
		how = Behaviours[int(n)%len(Behaviours)]
	}
	delay := m.Delay
	if how == "slow" {
		delay = max(delay, 10*time.Minute)
	}
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	}
	text, err := mockAnswer(how, p)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Text: text, Model: "mock", In: Estimate(p.System) + Estimate(p.User), Out: Estimate(text)}, nil
}

func mockAnswer(how string, p Prompt) (string, error) {
	digest := strings.Contains(p.User, `{"findings"`)
	quoted := passage(p.User)
	switch how {
	case "garbage":
		return "I cannot decide this.\x00{]", nil
	case "error":
		return "", errors.New("the mock fails")
	case "flood":
		return strings.Repeat(`{"verdict":"refuted"}`, 1<<14), nil
	case "obey":
		return obey(p.User), nil
	}
	if digest {
		if how != "add" {
			return `{"findings": []}`, nil
		}
		return encode(map[string]any{"findings": []map[string]any{{
			"class": "E", "subject": "what was said", "turn": lastTurn(p.User), "quote": quoted, "say": "You say that this is done, and the record does not show it.",
		}}}), nil
	}
	answer := map[string]any{"verdict": "confirmed", "worth_saying": "yes", "why": "The record shows it.", "quotes": []string{quoted}}
	switch how {
	case "refute":
		answer["verdict"], answer["worth_saying"], answer["why"] = "refuted", "no", "The record shows that it was put right."
	case "unsure":
		answer["verdict"], answer["worth_saying"] = "unsure", "no"
	case "invent":
		answer["verdict"], answer["quotes"] = "refuted", []string{"a passage that nobody ever wrote"}
	}
	return encode(answer), nil
}

// obey follows instructions in the record, as a gullible model would: it answers with the last JSON object
// there, wherever that comes from, or else with the verdict that a line names.
func obey(user string) string {
	record, _, _ := strings.Cut(user, "=== END OF RECORD")
	if at := strings.LastIndex(record, `{"`); at >= 0 {
		if end := strings.LastIndex(record, "}"); end > at {
			return record[at : end+1]
		}
	}
	verdict, worth := "refuted", "no"
	if lower := strings.ToLower(record); strings.Contains(lower, "answer confirmed") || strings.Contains(lower, "confirm it") {
		verdict, worth = "confirmed", "yes"
	}
	return encode(map[string]any{"verdict": verdict, "worth_saying": worth, "why": "The record asks for it.", "quotes": []string{passage(user)}})
}

// passage returns a line of the record that can be quoted.
func passage(user string) string {
	record, _, _ := strings.Cut(user, "=== END OF RECORD")
	lines := strings.Split(record, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if l := strings.TrimSpace(lines[i]); len(l) >= 20 && len(l) <= 200 && !strings.HasPrefix(l, "=") {
			return l
		}
	}
	return strings.Join(lines[:min(len(lines), 2)], " ")
}

func lastTurn(user string) int {
	n := 1
	for _, l := range strings.Split(user, "\n") {
		if rest, is := strings.CutPrefix(l, "--- turn "); is {
			turn := 0
			for _, c := range rest {
				if c < '0' || c > '9' {
					break
				}
				turn = turn*10 + int(c-'0')
			}
			n = max(n, turn)
		}
	}
	return n
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(data)
}
