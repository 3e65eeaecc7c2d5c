package advisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Source is the CloudEvents source of the advisor's events.
const Source = "/scaffoldwatch/advisor"

// asker asks a model one question and builds the event of its answer.
type asker struct {
	settings config.Advisor
	rules    *opinion.Config
	model    model.Model
	bounds   *bounds
}

// outcome is what happened to a question, for metrics and the log.
type outcome struct {
	refused refusal
	err     error
	opinion *sessionevents.OpinionRecorded
	took    time.Duration
}

// ask asks within the bounds and the time limit. An answer that the model refused or that was truncated is
// recorded as void, because it was paid for; if nothing came back, nothing is recorded.
func (a *asker) ask(ctx context.Context, q *opinion.Question) outcome {
	prompt := model.Prompt{ID: q.ID(), System: q.Prompt.System, User: q.User(), Schema: opinion.Schema(q.Kind), MaxTokens: a.settings.AnswerLimit}
	estimate := model.Reply{In: model.Estimate(prompt.System) + model.Estimate(prompt.User), Out: a.settings.AnswerLimit}
	budget, refused := a.bounds.allow(q.Session, estimate.In+estimate.Out, a.cost(estimate))
	if refused != "" {
		return outcome{refused: refused}
	}
	begun := time.Now()
	limited, cancel := context.WithTimeout(ctx, a.settings.Timeout)
	reply, err := a.safely(limited, prompt)
	cancel()
	took := time.Since(begun)
	declined := errors.Is(err, model.ErrRefused) || errors.Is(err, model.ErrCut)
	if err != nil && !declined {
		a.bounds.settle(budget, 0, 0, err)
		return outcome{err: err, took: took}
	}
	cost := a.cost(reply)
	a.bounds.settle(budget, reply.In+reply.Out, cost, nil)
	o := a.rules.Answer(q, reply.Text)
	if declined {
		o.Verdict, o.WorthSaying, o.Findings, o.Quotes = "", "", nil, nil
		o.Void = model.ErrRefused.Error()
		if errors.Is(err, model.ErrCut) {
			o.Void = model.ErrCut.Error()
		}
	}
	o.Model, o.Provider = a.name(reply), a.provider()
	o.Tokens = sessionevents.OpinionTokens{In: reply.In, Out: reply.Out, Cached: reply.Cached}
	o.Cost, o.DurationMS = cost, int(took.Milliseconds())
	return outcome{opinion: o, took: took}
}

// safely turns a panic of a provider's client into an error.
func (a *asker) safely(ctx context.Context, p model.Prompt) (reply model.Reply, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the model's client panicked: %v", r)
		}
	}()
	return a.model.Ask(ctx, p)
}

// cost returns the cost of a reply by the price table; a model that is not in it costs nothing.
func (a *asker) cost(r model.Reply) sessionevents.Money {
	price, known := a.settings.PriceOf(a.name(r))
	if !known {
		if price, known = a.settings.PriceOf(a.settings.Model); !known {
			return 0
		}
	}
	uncached := max(0, r.In-r.Cached)
	return sessionevents.Money(float64(uncached)*price.In + float64(r.Cached)*price.Cached + float64(r.Out)*price.Out)
}

func (a *asker) name(r model.Reply) string {
	switch {
	case r.Model != "":
		return r.Model
	case a.settings.Model != "":
		return a.settings.Model
	}
	return a.provider()
}

// provider returns the provider's name, for a command without its command line.
func (a *asker) provider() string {
	if len(a.settings.Provider) >= len(config.AdvisorExec) && a.settings.Provider[:len(config.AdvisorExec)] == config.AdvisorExec {
		return "exec"
	}
	return a.settings.Provider
}

// event returns the event of an answer. Its id is derived from the question: asked again after a crash, it
// counts once.
func event(o *sessionevents.OpinionRecorded, group string) events.Event {
	o.Run = ""
	if group != o.Session {
		o.Run = group
	}
	return events.Event{
		ID: events.DerivedID("advisor", o.Session, o.Question, 0), Source: Source, Type: sessionevents.TypeOpinionRecorded,
		Subject: o.Session, PartitionKey: group, Correlation: o.Run, Data: o,
	}
}
