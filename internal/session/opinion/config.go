package opinion

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "advisor" of the rule data.
type Config struct {
	Findings FindingRules      `yaml:"findings"`
	Question QuestionBounds    `yaml:"question"`
	Digest   DigestBounds      `yaml:"digest"`
	Prompts  map[string]Prompt `yaml:"prompts"` // by kind of question, from rules/advisor/
}

// FindingRules configure how a model's own findings are handled.
type FindingRules struct {
	Mode         rules.Mode                        `yaml:"mode" allow:"off|observe|on"`
	PerOpinion   int                               `yaml:"per_opinion" range:"1..10"`
	PerSession   int                               `yaml:"per_session" range:"0..1000"`
	Cap          float64                           `yaml:"cap" range:"0.1..3.9"`
	ConfirmedCap float64                           `yaml:"confirmed_cap" range:"0.1..3.9"`
	UnclearCap   float64                           `yaml:"unclear_cap" range:"0..3.9"`
	SayWords     int                               `yaml:"say_words" range:"5..40"`
	Classes      map[sessionevents.Class]ClassRule `yaml:"classes"`
	RefusedWords []string                          `yaml:"refused_words"`
}

// ClassRule is the cost and probability of a class of findings, with our wording.
type ClassRule struct {
	Cost        int     `yaml:"cost" range:"1..5"`
	SelfCorrect float64 `yaml:"self_correct" range:"0..1"`
	Title       string  `yaml:"title"`
	Step        string  `yaml:"step"`
}

// QuestionBounds limit a question about a signal, in characters.
type QuestionBounds struct {
	Most           int     `yaml:"most" range:"2000..100000"`
	TurnsBefore    int     `yaml:"turns_before" range:"0..50"`
	PersonMessages int     `yaml:"person_messages" range:"0..20"`
	Task           int     `yaml:"task" range:"100..50000"`
	Person         int     `yaml:"person" range:"100..50000"`
	Words          int     `yaml:"words" range:"100..50000"`
	Call           int     `yaml:"call" range:"100..50000"`
	Result         int     `yaml:"result" range:"100..50000"`
	AskFrom        float64 `yaml:"ask_from" range:"0..5"`
}

// DigestBounds limit a digest, in characters.
type DigestBounds struct {
	Most       int `yaml:"most" range:"2000..200000"`
	Words      int `yaml:"words" range:"50..50000"`
	Call       int `yaml:"call" range:"50..50000"`
	Result     int `yaml:"result" range:"50..50000"`
	EveryTurns int `yaml:"every_turns" range:"1..1000"`
	// LeastTurns is the minimum number of new turns at a pause that does not end the
	// response.
	LeastTurns int `yaml:"least_turns" range:"1..1000"`
	Summary    int `yaml:"summary" range:"0..50000"`
}

// Prompt holds the instructions for a model; the question itself is data of the session.
type Prompt struct {
	System string `yaml:"system"`
	Ask    string `yaml:"ask"` // after the question
}

// Digest returns the digest that identifies the prompt; events carry it (AD-6).
func (p Prompt) Digest() string {
	sum := sha256.Sum256([]byte(p.System + "\x00" + p.Ask))
	return hex.EncodeToString(sum[:6])
}

// Load reads the section.
func Load(set *rules.Set) (*Config, error) {
	c := &Config{}
	if err := set.Decode("advisor", c); err != nil {
		return nil, err
	}
	return c, nil
}

// Detectors are the detector ids of models' own findings, one per class.
var Detectors = []string{"AM", "CM", "DM", "EM"}

// Detector returns the detector id of models' own findings in a class.
func Detector(class sessionevents.Class) string { return string(class) + "M" }

// Validate checks what the ranges of single values cannot.
func (c *Config) Validate() error {
	for class, rule := range c.Findings.Classes {
		if !slices.Contains(Detectors, Detector(class)) {
			return fmt.Errorf("findings: classes: %q cannot be reported by a model: A, C, D or E", class)
		}
		if strings.TrimSpace(rule.Step) == "" {
			return fmt.Errorf("findings: classes: %s: step is empty: say what the agent is to do", class)
		}
	}
	for _, kind := range []sessionevents.QuestionKind{sessionevents.QuestionSignal, sessionevents.QuestionDigest} {
		if p := c.Prompts[string(kind)]; p.System == "" || p.Ask == "" {
			return fmt.Errorf("prompts: %s requires system and ask", kind)
		}
	}
	return nil
}
