package outcome

import (
	"fmt"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Phrases is the section `adapters` of the rules.
type Phrases struct {
	InjectedTags         []string `yaml:"injected_tags"`
	KeptTags             []string `yaml:"kept_tags"`
	NotificationTags     []string `yaml:"notification_tags"`
	InjectedPrefixes     []string `yaml:"injected_prefixes"`
	InjectedLines        []string `yaml:"injected_lines"`
	InstructionMarks     []string `yaml:"instruction_marks"`
	InterruptionPrefixes []string `yaml:"interruption_prefixes"`
	RejectionPhrases     []string `yaml:"rejection_phrases"`
	ReplyMarkers         []string `yaml:"reply_markers"`

	tags          map[string]bool // lower-case tag → whether its content is kept
	notifications map[string]bool
}

// Load returns the phrases of a set of rules.
func Load(set *rules.Set) (*Phrases, error) {
	p := &Phrases{}
	if err := set.Decode("adapters", p); err != nil {
		return nil, fmt.Errorf("read the phrases of transcripts: %w", err)
	}
	p.tags, p.notifications = map[string]bool{}, map[string]bool{}
	for _, tag := range p.NotificationTags {
		p.notifications[strings.ToLower(tag)] = true
	}
	for _, tag := range p.InjectedTags {
		p.tags[strings.ToLower(tag)] = false
	}
	for _, tag := range p.KeptTags {
		p.tags[strings.ToLower(tag)] = true
	}
	return p, nil
}

// Default holds the phrases of the embedded rules.
var Default = sync.OnceValue(func() *Phrases {
	p, err := Load(rules.Default())
	if err != nil {
		panic(err) // the embedded data is checked by this package's tests
	}
	return p
})
