package notify_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// post is what a server was sent.
type post struct {
	path   string
	header http.Header
	body   []byte
	data   map[string]any
}

// server answers with what answer says and keeps what it was sent.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	posts  []post
	answer func(w http.ResponseWriter, count int)
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p := post{path: r.URL.Path, header: r.Header, body: body}
		_ = json.Unmarshal(body, &p.data)
		s.mu.Lock()
		s.posts = append(s.posts, p)
		count, answer := len(s.posts), s.answer
		s.mu.Unlock()
		if answer != nil {
			answer(w, count)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) got() []post {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]post(nil), s.posts...)
}

func words(t *testing.T) *notice.Words {
	t.Helper()
	w, err := notice.LoadWords(rules.Default())
	require.NoError(t, err)
	return w
}

func parse(t *testing.T, text string) *notify.File {
	t.Helper()
	f, err := notify.Parse("notify.yaml", []byte(text), words(t))
	require.NoError(t, err)
	return f
}

// environ looks variables up in a map.
func environ(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// hook is a key that no file holds as it is.
var hook = "whsec_" + strings.Join([]string{"MfKQ9r8GKYqr", "TwjUPD8ILPZIo2LaLaSw"}, "")

var message = notice.Message{
	Key: "key1", Channel: "c", Group: "c|operator||run_ended|nightly", Incident: "c|operator||break|nightly", Made: time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC),
	Title: "nightly ended: failure <!channel> *x*", Text: "The suite is red.\ngoal: a & b", URL: "https://git.example/1", Urgent: true,
	Notices: []notice.Notice{{About: "e1", Kind: "run_ended", Layer: "operator", Subject: "nightly", Run: "nightly", Title: "nightly ended: failure"}},
}

// PL-50: each kind of channel is sent what its service takes.
func TestPL50PayloadOfEachKind(t *testing.T) {
	cases := []struct {
		kind, settings string
		check          func(t *testing.T, p post)
	}{
		{"slack", "url: $URL", func(t *testing.T, p post) {
			require.Equal(t, "*nightly ended: failure &lt;!channel&gt; *x**\nThe suite is red.\ngoal: a &amp; b", p.data["text"], "no mention gets through")
		}},
		{"teams", "url: $URL", func(t *testing.T, p post) {
			require.Equal(t, "message", p.data["type"])
			attachment := p.data["attachments"].([]any)[0].(map[string]any)
			require.Equal(t, "application/vnd.microsoft.card.adaptive", attachment["contentType"])
			content := attachment["content"].(map[string]any)
			require.Equal(t, "AdaptiveCard", content["type"])
			require.Len(t, content["body"], 3)
			require.Contains(t, string(p.body), `"url":"https://git.example/1"`)
		}},
		{"discord", "url: $URL", func(t *testing.T, p post) {
			require.Contains(t, p.data["content"], "**nightly ended: failure &lt;!channel> \\*x\\***\nThe suite is red.")
			require.Equal(t, map[string]any{"parse": []any{}}, p.data["allowed_mentions"])
		}},
		{"ntfy", "server: SERVER\n    topic: agents\n    token: $TOKEN", func(t *testing.T, p post) {
			require.Equal(t, "Bearer tk_abcdefgh", p.header.Get("Authorization"))
			require.Equal(t, map[string]any{
				"topic": "agents", "title": message.Title, "message": message.Text, "priority": 5.0, "click": "https://git.example/1",
			}, p.data)
		}},
		{"pagerduty", "server: SERVER\n    token: $TOKEN", func(t *testing.T, p post) {
			require.Equal(t, "/v2/enqueue", p.path)
			require.Equal(t, "tk_abcdefgh", p.data["routing_key"])
			require.Equal(t, "trigger", p.data["event_action"])
			require.Equal(t, message.Incident, p.data["dedup_key"], "what belongs together is one incident")
			payload := p.data["payload"].(map[string]any)
			require.Equal(t, []any{message.Title, "scaffoldwatch", "critical"}, []any{payload["summary"], payload["source"], payload["severity"]})
		}},
		{"webhook", "url: $URL\n    secret: $HOOK", func(t *testing.T, p post) {
			require.Equal(t, "key1", p.header.Get("webhook-id"))
			verifier, err := standardwebhooks.NewWebhook(hook)
			require.NoError(t, err)
			require.NoError(t, verifier.Verify(p.body, p.header))
			require.Error(t, verifier.Verify(append(p.body, ' '), p.header))
			require.Equal(t, "scaffoldwatch.notification", p.data["type"])
			data := p.data["data"].(map[string]any)
			require.Equal(t, message.Title, data["title"])
			require.Equal(t, "e1", data["notices"].([]any)[0].(map[string]any)["about"])
		}},
	}
	for _, c := range cases {
		t.Run(c.kind, func(t *testing.T) {
			s := newServer(t)
			f := parse(t, "channels:\n  - id: c\n    kind: "+c.kind+"\n    "+strings.ReplaceAll(c.settings, "SERVER", s.URL)+"\n")
			posts, err := f.Posts(environ(map[string]string{"URL": s.URL + "/hook", "TOKEN": "tk_" + "abcdefgh", "HOOK": hook}), nil)
			require.NoError(t, err)
			require.NoError(t, posts[0].Send(t.Context(), &message))
			require.Len(t, s.got(), 1)
			require.Equal(t, "key1", s.got()[0].header.Get("Idempotency-Key"))
			c.check(t, s.got()[0])
		})
	}
}

// The vector that Standard Webhooks publish for v1 signatures.
func TestPL50StandardWebhooksVector(t *testing.T) {
	signer, err := standardwebhooks.NewWebhook(hook)
	require.NoError(t, err)
	signature, err := signer.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	require.NoError(t, err)
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", signature)
}

// What a server answers decides what comes next, and no error quotes an address.
func TestPL50Answers(t *testing.T) {
	secret := strings.Join([]string{"T0AAAAAAA", "B0BBBBBBB", "verysecrettoken"}, "/")
	cases := []struct {
		name   string
		answer func(w http.ResponseWriter, count int)
		want   notify.Refused
	}{
		{"gone", func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusGone) }, notify.Refused{Gone: true, Why: "the address is gone (410)"}},
		{"slow down", func(w http.ResponseWriter, _ int) {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(http.StatusTooManyRequests)
		}, notify.Refused{Wait: 90 * time.Second, Why: "answered with 429 Too Many Requests"}},
		{"broken", func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusInternalServerError) }, notify.Refused{Why: "answered with 500 Internal Server Error"}},
		{"elsewhere", func(w http.ResponseWriter, _ int) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusFound)
		}, notify.Refused{Why: "answered with 302 Found, and redirects are not followed: name the address it leads to"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t)
			s.answer = c.answer
			posts, err := parse(t, "channels:\n  - {id: c, kind: slack, url: $URL}\n").Posts(environ(map[string]string{"URL": s.URL + "/services/" + secret}), nil)
			require.NoError(t, err)
			err = posts[0].Send(t.Context(), &message)
			var refused *notify.Refused
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.want, *refused)
			require.Len(t, s.got(), 1, "a redirect is not followed")
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		s := newServer(t)
		s.Close()
		posts, err := parse(t, "channels:\n  - {id: c, kind: slack, url: $URL}\n").Posts(environ(map[string]string{"URL": s.URL + "/services/" + secret}), nil)
		require.NoError(t, err)
		err = posts[0].Send(t.Context(), &message)
		require.ErrorContains(t, err, "refused")
		for _, part := range strings.Split(secret, "/") {
			require.NotContains(t, err.Error(), part)
		}
	})
	t.Run("too slow", func(t *testing.T) {
		s := newServer(t)
		hang := make(chan struct{})
		defer close(hang)
		s.answer = func(http.ResponseWriter, int) { <-hang }
		posts, err := parse(t, "channels:\n  - {id: c, kind: slack, url: $URL}\n").Posts(environ(map[string]string{"URL": s.URL}), nil)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		require.ErrorContains(t, posts[0].Send(ctx, &message), "deadline exceeded")
	})
}

// shoutrrr's own errors quote addresses; ours do not.
func TestPL50Shoutrrr(t *testing.T) {
	s := newServer(t)
	address := "generic://" + strings.TrimPrefix(s.URL, "http://") + "/very-secret-path?disabletls=yes&template=json"
	posts, err := parse(t, "channels:\n  - {id: c, kind: shoutrrr, url: $URL}\n").Posts(environ(map[string]string{"URL": address}), nil)
	require.NoError(t, err)
	require.NoError(t, posts[0].Send(t.Context(), &message))
	require.Equal(t, message.Title, s.got()[0].data["title"])
	require.Equal(t, message.Text, s.got()[0].data["message"])
	s.answer = func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusInternalServerError) }
	require.EqualError(t, posts[0].Send(t.Context(), &message), "the service rejected it (500)")
	_, err = parse(t, "channels:\n  - {id: c, kind: shoutrrr, url: $URL}\n").Posts(environ(map[string]string{"URL": "nonsense://very-secret"}), nil)
	require.EqualError(t, err, "channel c: shoutrrr cannot read its address; see its documentation of services")
}

// mailbox returns a small SMTP server.
func mailbox(t *testing.T, refuse bool) (address string, letters chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	letters = make(chan string, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go receive(conn, refuse, letters)
		}
	}()
	return listener.Addr().String(), letters
}

func receive(conn net.Conn, refuse bool, letters chan<- string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	say := func(text string) { _, _ = io.WriteString(conn, text+"\r\n") }
	say("220 ready")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(strings.Fields(line + " x")[0]); {
		case verb == "RCPT" && refuse:
			say("550 no such mailbox")
		case verb == "DATA":
			say("354 go on")
			var letter strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				letter.WriteString(line)
			}
			letters <- letter.String()
			say("250 taken")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func TestPL50Mail(t *testing.T) {
	address, letters := mailbox(t, false)
	settings := "channels:\n  - {id: c, kind: email, server: '" + address + "', from: Scaffold <watch@example.org>, to: [ada@example.org], tls: none}\n"
	posts, err := parse(t, settings).Posts(environ(nil), nil)
	require.NoError(t, err)
	m := message
	m.Title = "nächtlich\r\nBcc: eve@example.org"
	require.NoError(t, posts[0].Send(t.Context(), &m))
	letter, err := mail.ReadMessage(strings.NewReader(<-letters))
	require.NoError(t, err)
	require.Equal(t, "<key1@example.org>", letter.Header.Get("Message-Id"), "the same for every try")
	require.Empty(t, letter.Header.Get("Bcc"), "a title adds no header")
	require.Equal(t, "auto-generated", letter.Header.Get("Auto-Submitted"))
	body, err := io.ReadAll(letter.Body)
	require.NoError(t, err)
	require.Contains(t, string(body), "The suite is red.")

	address, _ = mailbox(t, true)
	posts, err = parse(t, strings.Replace(settings, settings[strings.Index(settings, "127."):strings.Index(settings, "', from")], address, 1)).Posts(environ(nil), nil)
	require.NoError(t, err)
	require.ErrorContains(t, posts[0].Send(t.Context(), &message), "550")
	require.ErrorContains(t, func() error {
		posts, err := parse(t, strings.Replace(settings, ", tls: none", "", 1)).Posts(environ(nil), nil)
		require.NoError(t, err)
		return posts[0].Send(t.Context(), &message)
	}(), "STARTTLS", "without a word nothing goes out unencrypted")
}
