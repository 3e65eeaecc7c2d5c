package reporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Answers let a person answer on the page (CO-10, ADR 38). Without any the page shows commands.
type Answers struct {
	// Key is what the page's address and forms must have; it is made at each start.
	Key string
	// By is the person's name on the record.
	By string
	// Connect opens a connection with the operator's rights.
	Connect func(context.Context) (*nats.Conn, error)
}

// accept reports whether a key lets a person answer.
func (a *Answers) accept(key string) bool {
	return a != nil && a.Key != "" && httpapi.Equal(key, a.Key)
}

const (
	// maxForm bounds what a form sends, in bytes.
	maxForm = 16 << 10
	// answerPatience is how long an answer may take to be decided.
	answerPatience = 10 * time.Second
)

// errGone says that what was answered waits no more.
var errGone = errors.New("it does not wait for an answer any more")

// answerOf reads an answer from a form or an address.
func answerOf(v url.Values) console.Answer {
	return console.Answer{Act: v.Get("act"), Of: v.Get("of"), Target: v.Get("target"), Option: v.Get("option"), Why: strings.TrimSpace(v.Get("why")), Back: v.Get("back")}
}

// askReason is the page that asks why, before an answer that goes on the record with a reason.
func (r *reporter) askReason(w http.ResponseWriter, q *http.Request) {
	v := q.URL.Query()
	if !r.answers.accept(v.Get("key")) {
		http.Error(w, noKey, http.StatusForbidden)
		return
	}
	a := answerOf(v)
	if !console.Asks(a.Act) {
		http.Error(w, "there is no such question", http.StatusNotFound)
		return
	}
	r.ask(w, http.StatusOK, v.Get("key"), a, nil)
}

const noKey = "answers take the page's address with its key, which `scaffoldwatch up` prints at its start; or use the command line"

func (r *reporter) ask(w http.ResponseWriter, status int, key string, a console.Answer, problem error) {
	question := console.Question{Place: console.Place{Now: time.Now(), Key: key, Foot: r.foot}, Answer: a}
	if problem != nil {
		question.Problem = problem.Error()
	}
	sendPart(w, status, func(text *bytes.Buffer) error { return console.RenderQuestion(text, question) })
}

// act does what a person decided on the page, and shows the page again once it is decided.
func (r *reporter) act(w http.ResponseWriter, q *http.Request) {
	q.Body = http.MaxBytesReader(w, q.Body, maxForm)
	if err := q.ParseForm(); err != nil {
		http.Error(w, "read the form: "+err.Error(), http.StatusBadRequest)
		return
	}
	key := q.PostForm.Get("key") // of the body alone: an address could be a link
	if !r.answers.accept(key) {
		http.Error(w, noKey, http.StatusForbidden)
		return
	}
	a := answerOf(q.PostForm)
	broker := r.connected(w)
	if broker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(q.Context(), answerPatience)
	defer cancel()
	err := r.answer(ctx, broker, a)
	switch {
	case err == nil:
		http.Redirect(w, q, (&console.Question{Place: console.Place{Key: key}, Answer: a}).Home(), http.StatusSeeOther)
	case console.Asks(a.Act):
		r.ask(w, http.StatusConflict, key, a, err)
	default:
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

// answer publishes an answer as the operator and waits until it is decided.
func (r *reporter) answer(ctx context.Context, broker *nats.Broker, a console.Answer) error {
	if console.Asks(a.Act) && a.Why == "" {
		return errors.New("say why, for the record")
	}
	nc, err := r.answers.Connect(ctx)
	if err != nil {
		return fmt.Errorf("connect as the operator: %w", err)
	}
	defer nc.Close()
	by := r.answers.By
	switch a.Act {
	case console.ActAck, console.ActDismiss:
		to, err := decisions.FindInterrupt(ctx, broker, a.Target)
		if err != nil {
			return err
		}
		act := runevents.ActAck
		if a.Act == console.ActDismiss {
			act = runevents.ActDismiss
		}
		return operator.Do(ctx, broker, nc, operator.Answer(act, to, by, a.Why))
	case console.ActEscalation:
		one, err := decisions.RunOf(ctx, broker, a.Of)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(one.Escalations, func(e runlist.Escalation) bool { return e.ID == a.Target })
		if i < 0 {
			return errGone
		}
		return operator.Do(ctx, broker, nc, operator.AckEscalation(one.Escalations[i], one.ID, by, a.Why))
	case console.ActAnswer:
		one, err := decisions.RunOf(ctx, broker, a.Of)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(one.Questions, func(q runlist.Question) bool { return q.RequestID == a.Target })
		if i < 0 || !slices.ContainsFunc(one.Questions[i].Options, func(o runevents.Option) bool { return o.ID == a.Option }) {
			return errGone
		}
		return decide(ctx, broker, nc, one.ID, operator.Clarify(a.Target, a.Option, "", by))
	case console.ActResume:
		p, err := decisions.FindWhole(ctx, broker, a.Of)
		if err != nil {
			return err
		}
		group := p.Group
		if p.Run {
			group = p.ID
		}
		return decide(ctx, broker, nc, group, operator.Resume(p, by, a.Why))
	}
	return fmt.Errorf("%q does not answer anything", a.Act)
}

// decide publishes an event of a run, or of a session without one, and waits for what the dispatcher
// decides about it.
func decide(ctx context.Context, broker *nats.Broker, nc *nats.Conn, group string, e events.Event) error {
	run, err := client.OpenRun(nc, group, client.RunOptions{
		Source: operator.Source, Patience: answerPatience, TrustedKeys: broker.Trusted(decider), RevokedKeys: broker.Revoked(),
	})
	if err != nil {
		return fmt.Errorf("answer in %s: %w", group, err)
	}
	defer func() { _ = run.Close() }() // nothing of it is buffered
	if _, err := run.DoEvent(ctx, e); err != nil {
		return fmt.Errorf("answer in %s: %w", group, err)
	}
	return nil
}

const decider = "dispatcher"
