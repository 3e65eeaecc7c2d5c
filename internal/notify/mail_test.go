package notify_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
)

// postOffice is an SMTP server that answers verbs as it is told.
type postOffice struct {
	address string
	mu      sync.Mutex
	answers map[string]string // by the beginning of a line; "" says nothing
	letters []string          // recipients of each letter that was taken
}

func newPostOffice(t *testing.T, answers map[string]string) *postOffice {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	o := &postOffice{address: listener.Addr().String(), answers: answers}
	var open sync.WaitGroup
	t.Cleanup(func() { listener.Close(); open.Wait() })
	open.Add(1)
	go func() {
		defer open.Done()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open.Add(1)
			go func() { defer open.Done(); defer conn.Close(); o.serve(conn) }()
		}
	}()
	return o
}

func (o *postOffice) answer(line, usual string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	for begin, text := range o.answers {
		if strings.HasPrefix(line, begin) {
			return text
		}
	}
	return usual
}

func (o *postOffice) serve(conn net.Conn) {
	in := bufio.NewReader(conn)
	say := func(text string) {
		if text != "" {
			_, _ = io.WriteString(conn, text+"\r\n")
		}
	}
	say(o.answer("greeting", "220 ready"))
	var to []string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		switch verb, _, _ := strings.Cut(line, " "); verb {
		case "EHLO":
			say("250-here\r\n250 AUTH CRAM-MD5")
		case "RCPT":
			text := o.answer(line, "250 fine")
			if strings.HasPrefix(text, "250") {
				to = append(to, strings.TrimSuffix(strings.TrimPrefix(line, "RCPT TO:<"), ">"))
			}
			say(text)
		case "RSET":
			to = nil
			say("250 fine")
		case "DATA":
			say("354 go on")
			for line != "." {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
				line = strings.TrimSpace(line)
			}
			o.mu.Lock()
			o.letters, to = append(o.letters, strings.Join(to, " ")), nil
			o.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say(o.answer(line, "250 fine"))
		}
	}
}

func (o *postOffice) got() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.letters...)
}

func (o *postOffice) settings(more string) string {
	return "{id: c, kind: email, server: '" + o.address + "', from: watch@example.org, to: [ada@example.org, bob@example.org, cyd@example.org]" + more + "}"
}

// One recipient that the server refuses silences no other; who has a letter does
// not get it again with a later try.
func TestPL50MailRefusesOneRecipient(t *testing.T) {
	never := newPostOffice(t, map[string]string{"RCPT TO:<bob": "550 5.1.1 no such mailbox"})
	err := one(t, never.settings(", tls: none"), nil).Send(t.Context(), &message)
	var partly *notify.Partly
	require.ErrorAs(t, err, &partly)
	require.Contains(t, partly.Why, "no such mailbox")
	require.Equal(t, []string{"ada@example.org", "cyd@example.org"}, never.got())

	later := newPostOffice(t, map[string]string{"RCPT TO:<bob": "451 4.7.1 greylisted, come again"})
	post := one(t, later.settings(", tls: none"), nil)
	require.ErrorContains(t, post.Send(t.Context(), &message), "greylisted")
	later.mu.Lock()
	later.answers = nil
	later.mu.Unlock()
	require.NoError(t, post.Send(t.Context(), &message))
	require.Equal(t, []string{"ada@example.org", "cyd@example.org", "bob@example.org"}, later.got())

	all := newPostOffice(t, map[string]string{"RCPT": "550 5.7.1 relaying denied"})
	err = one(t, all.settings(", tls: none"), nil).Send(t.Context(), &message)
	require.ErrorContains(t, err, "relaying denied")
	require.NotErrorAs(t, err, &partly)
}

// A server that insists on encryption, greets late or refuses the password is told
// as it is, without the password.
func TestPL50MailProblems(t *testing.T) {
	insists := newPostOffice(t, map[string]string{"MAIL": "530 5.7.0 Must issue a STARTTLS command first"})
	require.ErrorContains(t, one(t, insists.settings(", tls: none"), nil).Send(t.Context(), &message), "STARTTLS")
	lacks := newPostOffice(t, nil)
	require.ErrorContains(t, one(t, lacks.settings(""), nil).Send(t.Context(), &message), "STARTTLS")

	silent := newPostOffice(t, map[string]string{"greeting": ""})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, one(t, silent.settings(", tls: none"), nil).Send(ctx, &message), "timeout")

	password := "correct-horse-" + "battery"
	refuses := newPostOffice(t, map[string]string{"AUTH": "334 MTIz", "d2F0Y2g": "535 5.7.8 wrong password " + password})
	err := one(t, refuses.settings(", tls: none, user: $SMTP_USER, password: $SMTP_PASSWORD"), map[string]string{"SMTP_USER": "watch", "SMTP_PASSWORD": password}).Send(t.Context(), &message)
	require.ErrorContains(t, err, "535")
	require.NotContains(t, err.Error(), "battery")
}

// TLS from the first byte is checked as the web's is.
func TestPL50MailImplicitTLS(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	settings := "{id: c, kind: email, server: '" + strings.TrimPrefix(secure.URL, "https://") + "', from: watch@example.org, to: [ada@example.org], tls: implicit}"
	require.ErrorContains(t, one(t, settings, nil).Send(t.Context(), &message), "certificate")
}
