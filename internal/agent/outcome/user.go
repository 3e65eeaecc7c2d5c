package outcome

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// UserText returns what the person said in a user message: without the elements and messages that harnesses
// add, trimmed; "" if nothing is left.
func (p *Phrases) UserText(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<") {
		if name, _ := tagName(text[1:]); p.notifications[name] {
			return "" // including what the harness adds after it
		}
	}
	text = strings.TrimSpace(p.withoutLines(p.withoutTags(text)))
	if hasPrefix(text, p.InjectedPrefixes) {
		return ""
	}
	return text
}

// Instructions returns a user message that a harness composed from files with instructions for agents, ""
// if it is another one (SW-13a).
func (p *Phrases) Instructions(text string) string {
	text = strings.TrimSpace(text)
	if hasPrefix(text, p.InstructionMarks) {
		return text
	}
	return ""
}

// withoutLines drops the lines that a harness adds.
func (p *Phrases) withoutLines(text string) string {
	found := false
	for _, line := range p.InjectedLines {
		found = found || strings.Contains(text, line)
	}
	if !found {
		return text
	}
	kept := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return hasPrefix(strings.TrimSpace(line), p.InjectedLines)
	})
	return strings.Join(kept, "\n")
}

// Interrupted reports whether a user message states that the person stopped the response.
func (p *Phrases) Interrupted(text string) bool {
	return hasPrefix(strings.TrimSpace(text), p.InterruptionPrefixes)
}

func hasPrefix(text string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

// withoutTags drops injected elements. An unclosed element extends to the end only if it begins the text: a
// person may write about a tag.
func (p *Phrases) withoutTags(text string) string {
	var out strings.Builder
	for {
		open := strings.IndexByte(text, '<')
		if open < 0 {
			break
		}
		name, after := tagName(text[open+1:])
		kept, known := p.tags[name]
		if !known {
			out.WriteString(text[:open+1])
			text = text[open+1:]
			continue
		}
		out.WriteString(text[:open])
		inside, rest, closed := cutTag(text[open+1+after:], name)
		switch {
		case !closed && strings.TrimSpace(out.String()) != "":
			out.WriteString(text[open:])
			return out.String()
		case kept:
			out.WriteString(inside)
		}
		text = rest
	}
	if out.Len() == 0 {
		return text
	}
	out.WriteString(text)
	return out.String()
}

// tagName returns the lower-case name of the opening tag at the beginning of s, and the length of the tag
// with its brackets; "" without one.
func tagName(s string) (string, int) {
	const longest = 200 // of an opening tag with attributes, in bytes
	end := strings.IndexByte(s[:min(len(s), longest)], '>')
	if end <= 0 {
		return "", 0
	}
	name, _, _ := strings.Cut(s[:end], " ")
	return strings.ToLower(name), end + 1
}

// cutTag splits s at the closing tag of name.
func cutTag(s, name string) (inside, rest string, closed bool) {
	for from := 0; ; {
		i := strings.Index(s[from:], "</")
		if i < 0 {
			return s, "", false
		}
		i += from
		end := i + 2 + len(name)
		if end < len(s) && strings.EqualFold(s[i+2:end], name) {
			if closing := strings.IndexByte(s[end:], '>'); closing >= 0 {
				return s[:i], s[end+closing+1:], true
			}
		}
		from = i + 2
	}
}

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
