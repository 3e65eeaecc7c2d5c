// Package advice holds the commands about a model's second opinions.
package advice

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Advisor groups the commands.
type Advisor struct {
	Questions questionsCommand `cmd:"" help:"Print every question that a model was asked about a session, with its answer."`
}

type questionsCommand struct {
	cli.Connection
	Session string `arg:"" help:"Session id."`
	Rules   string `help:"Rules file (YAML) that applied when they were asked." type:"path" placeholder:"FILE"`
	Output  string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help explains what is shown.
func (questionsCommand) Help() string {
	return `Prints every question about a session that left this machine, word for word, and what was
answered. Questions are not stored: each is built again from the record, and its digest is
compared with the one in the event; one that differs, because the rules have changed since, is marked.

It reads the turns of the session, as an auditor does (in a cluster: --config with that user).

Examples:
  scaffoldwatch advisor questions checkout-01
  scaffoldwatch advisor questions checkout-01 --output json`
}

// shown is the JSON form of a question with its answer.
type shown struct {
	*sessionevents.OpinionRecorded
	System string `json:"system"`
	Text   string `json:"text"`
	Same   bool   `json:"same"` // the rebuilt question equals the one that was asked
}

// Run prints the questions in the order in which they were asked.
func (c *questionsCommand) Run(r *cli.Call) error {
	settings, err := c.Settings(r)
	if err != nil {
		return err
	}
	set, err := deployment.LoadRules(cmp.Or(c.Rules, settings.Rules))
	if err != nil {
		return cli.Usage(err)
	}
	config, err := opinion.Load(set)
	if err != nil {
		return cli.Usage(err)
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	asked, err := advisor.Questions(r, broker, config, c.Session)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		list := []shown{}
		for _, a := range asked {
			s := shown{OpinionRecorded: a.Opinion, Same: a.Same}
			if a.Question != nil {
				s.System, s.Text = a.Question.Prompt.System, a.Question.User()
			}
			list = append(list, s)
		}
		return cli.Indented(r.Stdout, list)
	}
	return c.print(r, asked)
}

func (c *questionsCommand) print(r *cli.Call, asked []advisor.Asked) error {
	if len(asked) == 0 {
		_, err := fmt.Fprintln(r.Stdout, "no model was asked about this session")
		return err
	}
	for n, a := range asked {
		o := a.Opinion
		what := "about what is new in turns " + fmt.Sprint(o.From, " to ", o.Turn)
		if o.Kind == sessionevents.QuestionSignal {
			what = fmt.Sprintf("about a finding of %s, up to turn %d", terminal.Clean(o.Detector), o.Turn)
		}
		title := fmt.Sprintf("question %d of %d, %s: %s, %d tokens in, %d out, $%s", n+1, len(asked), what, terminal.Clean(o.Model), o.Tokens.In, o.Tokens.Out, o.Cost)
		text := "This question cannot be built again: its turns are no longer kept.\n"
		if a.Question != nil {
			text = a.Question.Prompt.System + "\n" + a.Question.User()
			if !a.Same {
				text = "The rules have changed (--rules names the earlier ones): this is how it would be asked today, as " + a.Question.ID() + " instead of " + o.Question + ".\n\n" + text
			}
		}
		if _, err := fmt.Fprintf(r.Stdout, "%s\n\n%s\n%s\n\n", r.Theme.Title.Render(title), cleaned(text), r.Theme.Title.Render("answer: ")+terminal.Clean(answer(o))); err != nil {
			return err
		}
	}
	return nil
}

// cleaned returns text of several lines without terminal control characters.
func cleaned(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = terminal.Clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

func answer(o *sessionevents.OpinionRecorded) string {
	switch {
	case o.Void != "":
		return "void, " + o.Void
	case o.Kind == sessionevents.QuestionDigest && len(o.Findings) == 0:
		return "nothing"
	case o.Kind == sessionevents.QuestionDigest:
		text := ""
		for _, f := range o.Findings {
			text += fmt.Sprintf("class %s, turn %d, %s: %s ", f.Class, f.Turn, f.Subject, f.Say)
		}
		return text
	}
	return fmt.Sprintf("%s, worth saying: %s. %s", o.Verdict, o.WorthSaying, o.Why)
}
