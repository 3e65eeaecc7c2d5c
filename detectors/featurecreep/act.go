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

// act is an entry of the part acts of the rule data: looking matches an order that only asks for a look,
// without acting.
type act struct {
	ID      string          `yaml:"id"`
	Said    string          `yaml:"said"`
	Command *pattern.Regexp `yaml:"command" pattern:"long"`
	Tool    *pattern.Regexp `yaml:"tool" pattern:"long,optional"`
	AskedBy []string        `yaml:"asked_by"`
	Looking *pattern.Regexp `yaml:"looking" pattern:"fold,long,optional"`
	Acting  *pattern.Regexp `yaml:"acting" pattern:"fold,long,optional"`
}

// unaskedAct judges a commit, push, ticket or reply while a question, or an order to
// look, is in effect.
func (x *answers) unaskedAct(segment *sessionevents.Segment) *detect.Finding {
	for i := range x.Acts {
		a := &x.Acts[i]
		if !a.made(segment) || contains(x.memory.Asking.Reported, a.ID) || x.ScratchRepo.MatchString(segment.Tool.Command) {
			continue
		}
		var f *detect.Finding
		switch {
		case x.memory.Asking.Kind != ordering && !a.askedIn(x.memory.Asking.Quote):
			x.memory.Asking.Reported = append(x.memory.Asking.Reported, a.ID)
			f = x.unaskedFinding(&x.memory.Asking, a.ID+" of turn "+strconv.Itoa(x.Turn.Turn), a.Said, "Answer it, and ask first.", false)
		case a.onlyLooked(x.memory.Order.Quote):
			x.memory.Asking.Reported = append(x.memory.Asking.Reported, a.ID)
			f = x.unaskedFinding(&x.memory.Order, a.ID+" of turn "+strconv.Itoa(x.Turn.Turn), a.Said, "Report what was found, and ask first.", false)
			f.Reason = fmt.Sprintf("The message of turn %d asks for a look only.", x.memory.Order.Turn)
		default:
			continue
		}
		f.Confidence = x.Confidence.Unasked
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
		return a.Command.MatchString(s.Tool.Command)
	}
	return a.Tool != nil && a.Tool.MatchString(s.Tool.Name)
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
	return a.Looking != nil && a.Looking.MatchString(order) && !a.Acting.MatchString(order)
}
