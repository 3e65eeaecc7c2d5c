package featurecreep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// actConfig is an entry of the part acts of the rule data.
type actConfig struct {
	ID      string   `yaml:"id"`
	Said    string   `yaml:"said"`
	Command string   `yaml:"command"`
	Tool    string   `yaml:"tool"`
	AskedBy []string `yaml:"asked_by"`
	Looking string   `yaml:"looking"`
	Acting  string   `yaml:"acting"`
}

// act is a compiled actConfig.
type act struct {
	actConfig
	command, tool *pattern.Regexp // tool may be nil
	// looking matches an order that only asks to look, without acting; both may be nil.
	looking, acting *pattern.Regexp
}

func (d *instance) compileActs(from pattern.Compiler) (err error) {
	for _, c := range d.Acts {
		a := act{actConfig: c}
		if a.command, err = from.RE2("acts."+c.ID+".command", c.Command); err != nil {
			return err
		}
		if c.Tool != "" {
			if a.tool, err = from.RE2("acts."+c.ID+".tool", c.Tool); err != nil {
				return err
			}
		}
		if c.Looking != "" {
			if a.looking, err = from.RE2("acts."+c.ID+".looking", "(?i)"+c.Looking); err != nil {
				return err
			}
			if a.acting, err = from.RE2("acts."+c.ID+".acting", "(?i)"+c.Acting); err != nil {
				return err
			}
		}
		d.acts = append(d.acts, a)
	}
	return nil
}

// unaskedAct judges a commit, push, ticket or reply while a question, or an order to
// look, is in effect.
func (d *instance) unaskedAct(m *memory, p *detect.Pass, segment *sessionevents.Segment) *detect.Finding {
	for i := range d.acts {
		a := &d.acts[i]
		if !a.made(segment) || contains(m.Asking.Reported, a.ID) || d.scratchRepo.MatchString(segment.Tool.Command) {
			continue
		}
		var f *detect.Finding
		switch {
		case m.Asking.Kind != ordering && !a.askedIn(m.Asking.Quote):
			m.Asking.Reported = append(m.Asking.Reported, a.ID)
			f = d.unaskedFinding(p, &m.Asking, a.ID+" of turn "+strconv.Itoa(p.Turn.Turn), a.Said, "Answer it, and ask first.", false)
		case a.onlyLooked(m.Order.Quote):
			m.Asking.Reported = append(m.Asking.Reported, a.ID)
			f = d.unaskedFinding(p, &m.Order, a.ID+" of turn "+strconv.Itoa(p.Turn.Turn), a.Said, "Report what was found, and ask first.", false)
			f.Reason = fmt.Sprintf("The message of turn %d asks for a look only.", m.Order.Turn)
		default:
			continue
		}
		f.Confidence = d.Confidence.Unasked
		f.Evidence = []sessionevents.Evidence{detect.Whole(segment)}
		return f
	}
	return nil
}

// made reports whether a call performs the act.
func (a *act) made(s *sessionevents.Segment) bool {
	if s.Result != nil && s.Result.IsError {
		return false
	}
	if s.Tool.Command != "" {
		return a.command.MatchString(s.Tool.Command)
	}
	return a.tool != nil && a.tool.MatchString(s.Tool.Name)
}

// askedIn reports whether a text mentions the act.
func (a *act) askedIn(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(a.AskedBy, func(word string) bool { return hasWord(lower, word) })
}

func hasWord(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(word)
		if (at == 0 || notWord(rune(text[at-1]))) && (from == len(text) || notWord(rune(text[from]))) {
			return true
		}
	}
}

// onlyLooked reports whether an order asks only to look at what the act would answer,
// without asking for an answer.
func (a *act) onlyLooked(order string) bool {
	return a.looking != nil && a.looking.MatchString(order) && !a.acting.MatchString(order)
}
