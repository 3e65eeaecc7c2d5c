package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Answer answers a question of a run.
type Answer struct {
	cli.Operated
	cli.Author
	OfRun   string `arg:"" name:"run" help:"Run that asks, or a session of it, by id or the first letters of it."`
	Request string `arg:"" optional:"" help:"Question id, or its first letters. Without one, list open questions."`
	Option  string `arg:"" optional:"" help:"Option id. Without one, show the options with their evidence and effect."`
	Text    string `help:"Text to add to the option, or to answer without one." placeholder:"TEXT"`
}

// Help gives examples.
func (Answer) Help() string {
	return `Answers a question that a run asked before it continues (PL-36). The agent receives the
answer.

Examples:
  scaffoldwatch answer nightly
  scaffoldwatch answer nightly q3k9
  scaffoldwatch answer nightly q3k9 A --text 'and keep the old endpoint'`
}

// Run lists the questions, shows one, or answers it.
func (c *Answer) Run(r *cli.Call) error {
	one, p, err := find(c.Connection, r, c.OfRun)
	if err != nil {
		return err
	}
	if c.Request == "" {
		return c.list(r, one)
	}
	q, err := question(one, c.Request)
	if err != nil {
		return err
	}
	if c.Option == "" && c.Text == "" {
		return printQuestion(r, one.ID, q)
	}
	if err := offered(q, c.Option); err != nil {
		return cli.Usage(err)
	}
	err = operate(c.Operated, r, act{
		of: p, what: "answer a question of " + one.ID, group: one.ID,
		event: operator.Clarify(q.RequestID, c.Option, c.Text, c.Name()),
	})
	if err != nil {
		return err
	}
	after, err := read(c.Connection, r, one.ID)
	if err != nil {
		return err
	}
	if _, err := question(after, q.RequestID); err == nil {
		return fmt.Errorf("answer question %s of %s: %w: it is still pending", q.RequestID, one.ID, errNoEffect)
	}
	return nil
}

func (c *Answer) list(r *cli.Call, one runlist.Run) error {
	if len(one.Questions) == 0 {
		_, err := fmt.Fprintf(r.Stdout, "%s asks nothing\n", one.ID)
		return err
	}
	for _, q := range one.Questions {
		if err := printQuestion(r, one.ID, q); err != nil {
			return err
		}
	}
	return nil
}

func printQuestion(r *cli.Call, id string, q runlist.Question) error {
	lines := questionLines(id, q)
	for i := range lines {
		lines[i] = terminal.Clean(lines[i])
	}
	return cli.WriteLines(r.Stdout, lines)
}

// questionLines returns a question with its options and how to answer it.
func questionLines(id string, q runlist.Question) []string {
	lines := append([]string{"question " + q.RequestID + ": " + q.Question}, options(q.Options)...)
	if q.Default != "" {
		lines = append(lines, fmt.Sprintf("  without an answer until %s: %s", moment(q.Until), q.Default))
	}
	return append(lines, fmt.Sprintf("  scaffoldwatch answer %s %s OPTION", id, q.RequestID))
}

// question returns an unanswered question by its id, or by a prefix of it.
func question(one runlist.Run, id string) (runlist.Question, error) {
	var found []runlist.Question
	for _, q := range one.Questions {
		if q.RequestID == id {
			return q, nil
		}
		if strings.HasPrefix(q.RequestID, id) {
			found = append(found, q)
		}
	}
	switch len(found) {
	case 0:
		return runlist.Question{}, fmt.Errorf("%s has no question %s, or it was already answered; `scaffoldwatch answer %s` lists the pending ones", one.ID, id, one.ID)
	case 1:
		return found[0], nil
	}
	return runlist.Question{}, fmt.Errorf("several questions begin with %s; give more of the id", id)
}

func offered(q runlist.Question, option string) error {
	if option == "" || slices.ContainsFunc(q.Options, func(o runevents.Option) bool { return o.ID == option }) {
		return nil
	}
	var ids []string
	for _, o := range q.Options {
		ids = append(ids, o.ID)
	}
	if len(ids) == 0 {
		return errors.New("this question has no options: answer with --text")
	}
	return fmt.Errorf("%q is not an option; there are %s", option, strings.Join(ids, ", "))
}
