package console

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// opinion is a question to a model with its answer, at its place in the timeline (AD-5).
type opinion struct{ What, Tone, Of, Text string }

// opinions returns the opinions of one turn: about its signals, and about new turns that end with it.
func (m *Session) opinions(turn int) (list []opinion) {
	if m.Report.Opinions == nil {
		return nil
	}
	detected := map[string]*sessionreport.Finding{}
	for _, part := range [][]sessionreport.Finding{
		m.Report.NotSent, m.Report.Logged, m.Report.Suppressed, m.Report.Corrected, m.Report.Expired, m.Report.Pending,
		m.Report.Said, m.Report.Coalesced,
	} {
		for i := range part {
			detected[part[i].Signal] = &part[i]
		}
	}
	for _, a := range m.Report.Opinions.Answers {
		at, about := a.Turn, a.About()
		if f := detected[a.Signal]; f != nil {
			at, about = f.Turn, f.Detector+": "+f.Message
		}
		if at != turn {
			continue
		}
		of := a.Model
		if price := a.Price(); price != "" {
			of += ", " + price
		}
		list = append(list, opinion{
			What: verdictOf(a), Tone: opinionTone(a), Of: page.Plain(of),
			Text: cutLine("Asked about "+strings.TrimSuffix(about, ".")+". It says: "+a.Says(), saysLimit),
		})
	}
	return list
}

func verdictOf(a sessionreport.Answer) string {
	switch {
	case a.Void != "":
		return "void"
	case a.Signal == "" && len(a.Findings) > 0:
		return page.Plural(len(a.Findings), "finding")
	case a.Signal == "":
		return "nothing"
	case a.Verdict == sessionevents.OpinionConfirmed && a.Worth == sessionevents.WorthNo:
		return "not worth it"
	}
	return string(a.Verdict)
}

func opinionTone(a sessionreport.Answer) string {
	if a.Void == "" && (a.Verdict == sessionevents.OpinionConfirmed || len(a.Findings) > 0) {
		return toneCare
	}
	return ""
}

// opinionsTitle returns how many there are, and their verdicts.
func opinionsTitle(list []opinion) string {
	text := page.Plural(len(list), "second opinion")
	var names []string
	for _, o := range list {
		if !slices.Contains(names, o.What) {
			names = append(names, o.What)
		}
	}
	for i, name := range names {
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		text += separator + name
	}
	return text
}
