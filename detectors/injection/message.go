package injection

import (
	"fmt"
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxCode bounds the quote of a source or callee in a message, in bytes.
const maxCode = 40

func subject(o *place) string {
	where := o.Function
	if where == "" {
		where = short(o.Callee)
	}
	if o.segment.Path == "" {
		return category(o) + " " + where
	}
	return o.segment.Path + " " + category(o) + " " + where
}

// category returns the kind of sink: named by the rule's flow, or by a label if the
// pattern alone is sufficient.
func category(o *place) string {
	if o.Rule.Flow == nil {
		return o.Rule.Labels["category"]
	}
	return o.Rule.Flow.Category
}

// message returns file, line, what reaches what, and the fix.
func message(o *place) string {
	file := "the proposed code"
	if o.segment.Path != "" {
		file = quote.Path(path.Base(o.segment.Path))
	}
	at := "In " + file
	if o.Line > 0 {
		at += fmt.Sprintf(" line %d", o.Line)
	}
	if o.Rule.Flow == nil {
		return fmt.Sprintf("%s %s: %s; %s.", at, quote.WholeCode(short(o.Callee), 1, "this call"), o.Rule.Message, o.Rule.Fix)
	}
	what, callee := quote.WholeCode(short(o.Source), 1, "a value"), quote.WholeCode(short(o.Callee), 1, "a call")
	if strings.HasPrefix(what, "`") && strings.HasPrefix(callee, "`") {
		what = "a value" // only one quotation (JD-40)
	}
	return fmt.Sprintf("%s %s reaches %s: %s; %s.", at, what, callee, o.Rule.Message, o.Rule.Fix)
}

// short returns code on one line without blanks, cut to what fits into a message.
func reason(o *place) string {
	if o.Rule.Flow == nil {
		return fmt.Sprintf("CWE-%d: %s, whatever is read later.", o.Rule.CWE, o.Rule.Message)
	}
	from := map[codepattern.Origin]string{
		codepattern.Request: "comes from a request", codepattern.Input: "comes from input or a message",
		codepattern.CLI: "comes from the command line", codepattern.Parameter: "is a parameter of the function",
		codepattern.Unknown: "has an origin that the edit does not show", codepattern.Internal: "comes from configuration",
	}[o.Origin]
	if o.Tier == "regex" {
		from = "was not followed, since this build has no syntax trees"
	}
	return fmt.Sprintf("CWE-%d: the value that reaches %s %s.", o.Rule.CWE, o.Rule.Labels["sink"], from)
}

// short is code on one line without blanks, cut to what a message can hold.
func short(s string) string {
	return text.Cut(strings.Join(strings.Fields(s), ""), maxCode)
}

// planned returns the finding about an announcement without code.
func (d *instance) planned(p *detect.Pass, hit *sessionevents.RedFlagHit) detect.Finding {
	return detect.Finding{
		Subclass: "announced", Subject: "announced injection", Confidence: detect.Lexical(d.PlanConfidence, hit.Thinking),
		ReworkCost: d.CostSingle, SelfCorrect: d.SelfCorrect, Cap: detect.LogOnly,
		Message:  "The plan passes what the user sends on directly; validate it, or use parameters and argument lists.",
		Reason:   "A phrase of the red-flag catalogue (" + hit.ID + ") names something that can be injected into.",
		Evidence: detect.AtFlag(p, hit),
	}
}
