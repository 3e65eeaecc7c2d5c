package featurecreep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// agentsConfig is the part agents of the rule data, which matches requests for a number
// of agents.
type agentsConfig struct {
	Asked   *pattern.Regexp `yaml:"asked" pattern:"fold,long"`
	Open    *pattern.Regexp `yaml:"open" pattern:"fold,long"`
	Numbers map[string]int  `yaml:"numbers"`
	Prompts []string        `yaml:"prompts"`
	Words   int             `yaml:"words" range:"1..100"`
}

// manyAgents is the number for a message that asks for an unspecified number of agents.
const manyAgents = 1 << 16

// maxPrompts bounds the remembered prompts.
const maxPrompts = 64

// crew holds the agents that a session launched since the person's last message.
type crew struct {
	// Asked is the number of agents of one kind that the person asked for, 0 if the
	// message does not mention agents.
	Asked    int        `json:"a,omitempty"`
	Launched []launched `json:"l,omitempty"`
}

// launched counts the agents with one prompt.
type launched struct {
	Prompt string `json:"p"` // its hash
	Count  int    `json:"n"`
	Said   bool   `json:"s,omitempty"`
}

// crews are the agents that a turn launches.
type crews struct{ *turn }

// moreAgents returns findings for agents that were launched with the same prompt as
// others, beyond the number that the person asked for (GD-8). Work that has changed
// since, or that failed, may be checked again.
func (x *crews) moreAgents() (findings []detect.Finding) {
	for i := range x.Turn.Segments {
		s := &x.Turn.Segments[i]
		switch {
		case s.Kind == sessionevents.SegmentUser && strings.TrimSpace(s.Text) != "":
			x.memory.Crew.Launched = nil
			if n := x.askedFor(s.Text); n > 0 || !x.person.Brief(s.Text) {
				x.memory.Crew.Asked = n
			}
		case detect.Applied(s):
			x.memory.Crew.Launched = nil
		case s.Kind == sessionevents.SegmentTool && s.Tool != nil && s.Tool.Canonical == sessionevents.ToolAgent && !s.Rejected:
			if f := x.launch(&x.memory.Crew, s); f != nil {
				findings = append(findings, *f)
			}
		}
	}
	return findings
}

// askedFor returns how many agents a message asks for.
func (x *crews) askedFor(text string) int {
	most := 0
	for _, match := range x.Agents.Asked.FindAllStringSubmatch(text, 8) {
		word := strings.ToLower(match[1])
		n, err := strconv.Atoi(word)
		if err != nil {
			n = x.Agents.Numbers[word]
		}
		most = max(most, n)
	}
	if most == 0 && x.Agents.Open.MatchString(text) {
		return manyAgents
	}
	return most
}

// launch counts one agent; it returns a finding if there is one too many, once per
// prompt.
func (x *crews) launch(c *crew, s *sessionevents.Segment) *detect.Finding {
	prompt := x.prompt(s.Tool)
	if len(strings.Fields(prompt)) < x.Agents.Words || s.Result != nil && s.Result.IsError {
		return nil
	}
	sum := sha256.Sum256([]byte(strings.ToLower(text.Line(prompt))))
	key := hex.EncodeToString(sum[:8])
	at := slices.IndexFunc(c.Launched, func(l launched) bool { return l.Prompt == key })
	if at < 0 {
		c.Launched = text.Newest(append(c.Launched, launched{Prompt: key}), maxPrompts)
		at = len(c.Launched) - 1
	}
	l := &c.Launched[at]
	if l.Count++; l.Said || l.Count <= max(1, c.Asked) {
		return nil
	}
	l.Said = true
	asked := "no message asks for more than one"
	if c.Asked > 0 {
		asked = fmt.Sprintf("the person asked for %d", c.Asked)
	}
	return &detect.Finding{
		Subclass: "agents", Subject: "agents with one prompt: " + detect.Quote(prompt), Confidence: x.Confidence.Unasked, ReworkCost: reworkCost, SelfCorrect: selfCorrect, Floor: queueFloor,
		Evidence: []sessionevents.Evidence{detect.Whole(s)},
		Message:  fmt.Sprintf("%d agents now run with the same prompt, and %s. Stop the others, and use the first one's answer.", l.Count, asked),
		Reason:   fmt.Sprintf("The session launched %d agents with the same prompt; %s.", l.Count, asked),
	}
}

// prompt returns the prompt of an agent, "" if the call does not contain it.
func (x *crews) prompt(call *sessionevents.ToolCall) string {
	var input map[string]any
	if json.Unmarshal(call.Input, &input) != nil {
		return ""
	}
	for _, field := range x.Agents.Prompts {
		if text, is := input[field].(string); is && text != "" {
			return text
		}
	}
	return ""
}
