package reporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
)

// Answers let a person answer on the page (CO-10, ADR 38, ADR 52). Without any the page shows commands.
type Answers struct {
	// Person returns the name of who has a key, "" for nobody.
	Person func(key string) string
	// Connect opens a connection with the operator's rights.
	Connect func(context.Context) (*nats.Conn, error)
	// Machine is that of the agents, nil where the service runs elsewhere.
	Machine Machine
}

// Machine is where agents work.
type Machine interface {
	// Kept lists the files that a snapshot of a folder would write back, and those that it would leave.
	Kept(ctx context.Context, folder, snapshot string) (files, left []string, err error)
	// Restore writes them back, after a snapshot of what is uncommitted.
	Restore(ctx context.Context, folder, snapshot string) error
}

// OneKey is for a page with one key, which one person has.
func OneKey(key, by string) func(string) string {
	return func(given string) string {
		if key == "" || !httpapi.Equal(given, key) {
			return ""
		}
		return by
	}
}

// person is the name of who has a key, "" for nobody.
func (a *Answers) person(key string) string {
	if a == nil || key == "" {
		return ""
	}
	return a.Person(key)
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
	return console.Answer{
		Act:    v.Get("act"),
		Of:     v.Get("of"),
		Target: v.Get("target"),
		Option: v.Get("option"),
		Why:    strings.TrimSpace(v.Get("why")),
		Back:   v.Get("back"),
	}
}

// askReason is the page before an answer that goes on the record with a reason, or cannot be undone.
func (r *reporter) askReason(w http.ResponseWriter, q *http.Request) {
	v := q.URL.Query()
	by := r.answers.person(v.Get("key"))
	if by == "" {
		http.Error(w, noKey, http.StatusForbidden)
		return
	}
	a := answerOf(v)
	if !console.Asks(a.Act) {
		http.Error(w, "there is no such question", http.StatusNotFound)
		return
	}
	broker := r.connected(w)
	if broker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(q.Context(), answerPatience)
	defer cancel()
	question, err := (&answering{reporter: r, broker: broker, by: by, Answer: a}).question(ctx)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	r.ask(w, http.StatusOK, v.Get("key"), question)
}

const noKey = "answers take the page's address with its key, which `scaffoldwatch up` prints at its start (the service reporter: reports.people); or use the command line"

func (r *reporter) ask(w http.ResponseWriter, status int, key string, question console.Question) {
	question.Place = console.Place{Now: time.Now(), Key: key, Foot: r.foot}
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
	by := r.answers.person(key)
	if by == "" {
		http.Error(w, noKey, http.StatusForbidden)
		return
	}
	broker := r.connected(w)
	if broker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(q.Context(), answerPatience)
	defer cancel()
	one := answering{reporter: r, broker: broker, by: by, Answer: answerOf(q.PostForm)}
	err := one.do(ctx)
	switch {
	case err == nil:
		http.Redirect(
			w,
			q,
			(&console.Question{Place: console.Place{Key: key}, Answer: one.Answer}).Home(),
			http.StatusSeeOther,
		)
	case console.Asks(one.Act):
		question, gone := one.question(ctx)
		if gone != nil {
			http.Error(w, fmt.Sprint(err), http.StatusConflict)
			return
		}
		question.Problem = err.Error()
		r.ask(w, http.StatusConflict, key, question)
	default:
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
