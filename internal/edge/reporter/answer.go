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

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
)

// Answers let a person answer on the page (CO-10, ADR 38, ADR 52). Without any, the page shows commands.
type Answers struct {
	// Person returns the name of the person with a key, "" if nobody has it.
	Person func(key string) string
	// Connect opens a connection with the operator's permissions.
	Connect func(context.Context) (*nats.Conn, error)
	// Machine is the agents' machine, nil if the service runs elsewhere.
	Machine Machine
}

// Machine is the machine on which agents work.
type Machine interface {
	// Kept lists the files that restoring a snapshot of a folder would write, and those that it would
	// leave.
	Kept(ctx context.Context, folder, snapshot string) (files, left []string, err error)
	// Restore restores them, after a snapshot of what is uncommitted.
	Restore(ctx context.Context, folder, snapshot string) error
}

// OneKey returns a lookup for a page with a single key, which one person has.
func OneKey(key, by string) func(string) string {
	return func(given string) string {
		if key == "" || !httpapi.Equal(given, key) {
			return ""
		}
		return by
	}
}

// person returns the name of the person with a key, "" if nobody has it.
func (a *Answers) person(key string) string {
	if a == nil || key == "" {
		return ""
	}
	return a.Person(key)
}

const (
	// maxForm limits the size of a submitted form, in bytes.
	maxForm = 16 << 10
	// answerPatience limits how long an answer may take to be decided.
	answerPatience = 10 * time.Second
)

// errGone is returned if what was answered is no longer pending.
var errGone = errors.New("it is no longer waiting for an answer")

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

// askReason shows the page before an answer that is recorded with a reason or cannot be undone.
func (v *views) askReason(w http.ResponseWriter, q *http.Request) {
	asked := q.URL.Query()
	by := v.answers.person(asked.Get("key"))
	if by == "" {
		http.Error(w, noKey, http.StatusForbidden)
		return
	}
	a := answerOf(asked)
	if !console.Asks(a.Act) {
		http.Error(w, "there is no such question", http.StatusNotFound)
		return
	}
	broker := v.connected(w)
	if broker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(q.Context(), answerPatience)
	defer cancel()
	question, err := (&answering{views: v, broker: broker, by: by, Answer: a}).question(ctx)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	v.ask(w, http.StatusOK, asked.Get("key"), question)
}

const noKey = "answers require the page's address with its key, which `scaffoldwatch up` prints at its start " +
	"(the service reporter: reports.people); or use the command line"

func (v *views) ask(w http.ResponseWriter, status int, key string, question console.Question) {
	question.Place = console.Place{Now: time.Now(), Key: key, Foot: v.foot}
	sendPart(w, status, func(text *bytes.Buffer) error { return console.RenderQuestion(text, question) })
}

// act carries out what a person decided on the page, and shows the page again once it is decided.
func (v *views) act(w http.ResponseWriter, q *http.Request) {
	q.Body = http.MaxBytesReader(w, q.Body, maxForm)
	if err := q.ParseForm(); err != nil {
		http.Error(w, "read the form: "+err.Error(), http.StatusBadRequest)
		return
	}
	key := q.PostForm.Get("key") // only from the body: an address could be a link
	by := v.answers.person(key)
	if by == "" {
		http.Error(w, noKey, http.StatusForbidden)
		return
	}
	broker := v.connected(w)
	if broker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(q.Context(), answerPatience)
	defer cancel()
	one := answering{views: v, broker: broker, by: by, Answer: answerOf(q.PostForm)}
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
		v.ask(w, http.StatusConflict, key, question)
	default:
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
