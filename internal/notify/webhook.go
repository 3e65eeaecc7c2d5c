package notify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
)

// webhook posts signed messages according to Standard Webhooks.
type webhook struct {
	web
	signers []*standardwebhooks.Webhook // the current key first
}

// shortestKey is what Standard Webhooks require.
const shortestKey = 24

// newWebhook signs with each secret: while one is being changed, receivers may know the old one or the new
// one.
func newWebhook(w web, secrets ...string) (sender, error) {
	hook := webhook{web: w}
	for _, secret := range secrets {
		if secret == "" {
			continue // no previous secret
		}
		signer, err := newSigner(secret)
		if err != nil {
			return nil, err
		}
		hook.signers = append(hook.signers, signer)
	}
	return hook, nil
}

func newSigner(secret string) (*standardwebhooks.Webhook, error) {
	encoded, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(key) < shortestKey || len(key) > 64 {
		return nil, errors.New("its secret must be whsec_ and 24 to 64 random bytes in base64; make one: echo whsec_$(openssl rand -base64 32)")
	}
	signer, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return nil, errors.New("its secret cannot be used")
	}
	return signer, nil
}

// payload is the body of a webhook.
type payload struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      body   `json:"data"`
}

type body struct {
	Title  string `json:"title"`
	Text   string `json:"text"`
	URL    string `json:"url,omitempty"`
	Urgent bool   `json:"urgent"`
	// Incident is the same for all messages about one open issue, and for the message
	// with resolved that settles it.
	Incident string          `json:"incident"`
	Resolved bool            `json:"resolved"`
	Notices  []notice.Notice `json:"notices"`
	More     int             `json:"more,omitempty"` // notices that did not fit
}

func (w webhook) send(ctx context.Context, m *notice.Message) error {
	data, err := json.Marshal(payload{
		Type: "scaffoldwatch.notification", Timestamp: m.Made.UTC().Format(time.RFC3339Nano),
		Data: body{Title: m.Title, Text: m.Text, URL: m.URL, Urgent: m.Urgent, Incident: cmp.Or(m.Incident, m.Key), Resolved: m.Resolved, Notices: m.Notices, More: m.More},
	})
	if err != nil {
		return fmt.Errorf("encode the message: %w", err)
	}
	now := time.Now()
	signatures := make([]string, len(w.signers))
	for i, signer := range w.signers {
		if signatures[i], err = signer.Sign(m.Key, now, data); err != nil {
			return fmt.Errorf("sign the message: %w", err)
		}
	}
	return w.post(ctx, m.Key, data, map[string]string{
		standardwebhooks.HeaderWebhookID:        m.Key,
		standardwebhooks.HeaderWebhookTimestamp: strconv.FormatInt(now.Unix(), 10),
		standardwebhooks.HeaderWebhookSignature: strings.Join(signatures, " "),
	})
}

// web posts JSON.
type web struct {
	client *http.Client
	url    string
}

// post posts a body once; key lets the receiver recognise a repetition.
func (w web) post(ctx context.Context, key string, body []byte, header map[string]string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("build the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "scaffoldwatch")
	request.Header.Set("Idempotency-Key", key)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := w.client.Do(request)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection is reused
	return judge(response)
}

// postJSON encodes and posts.
func (w web) postJSON(ctx context.Context, key string, data any, header map[string]string) error {
	body, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode the message: %w", err)
	}
	return w.post(ctx, key, body, header)
}

// judge interprets a response; its body is not shown.
func judge(r *http.Response) error {
	switch {
	case r.StatusCode >= 200 && r.StatusCode < 300:
		return nil
	case r.StatusCode == http.StatusGone:
		return &Refused{Gone: true, Why: "the address is gone (410)"}
	}
	why := "answered with " + strconv.Itoa(r.StatusCode) + " " + http.StatusText(r.StatusCode)
	if r.StatusCode >= 300 && r.StatusCode < 400 {
		why += ", and redirects are not followed: name the address it leads to"
	}
	return &Refused{Wait: retryAfter(r.Header.Get("Retry-After"), time.Now()), Why: strings.TrimSpace(why)}
}

// retryAfter parses seconds, possibly with a fraction, or a date; 0 if there is neither.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// Lines formats a state for people.
func Lines(s *notice.State) []string {
	var lines []string
	section := func(title string, list []string) {
		if len(list) > 0 {
			lines = append(append(lines, title), list...)
		}
	}
	section("switched off:", switchedOff(s))
	section("held for working hours:", gathered(s, true))
	section("gathering:", gathered(s, false))
	section("pending:", waiting(s))
	section("lately:", lately(s))
	if s.Shed > 0 {
		lines = append(lines, fmt.Sprintf("dropped because too many were pending: %d", s.Shed))
	}
	if len(lines) == 0 {
		return []string{"nothing is pending, and nothing was sent yet"}
	}
	return lines
}

func at(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func switchedOff(s *notice.State) []string {
	var out []string
	for id, h := range s.Channels {
		if h.Off != "" {
			out = append(out, fmt.Sprintf("  %s since %s: %s", id, at(h.At), h.Off))
		}
	}
	sort.Strings(out)
	return out
}

func gathered(s *notice.State, held bool) []string {
	var out []string
	for _, g := range s.Groups {
		if len(g.Waiting) == 0 || (g.Gathers == "held") != held {
			continue
		}
		for _, n := range g.Waiting {
			out = append(out, fmt.Sprintf("  %s by %s: %s", at(g.Due), g.Channel, n.Title))
		}
		if g.More > 0 {
			out = append(out, fmt.Sprintf("  %s by %s: and %d more", at(g.Due), g.Channel, g.More))
		}
	}
	sort.Strings(out)
	return out
}

func waiting(s *notice.State) []string {
	out := make([]string, 0, len(s.Outbox))
	for _, m := range s.Outbox {
		line := fmt.Sprintf("  %s by %s: %s", at(m.After), m.Channel, m.Title)
		if m.Attempts > 0 {
			line += fmt.Sprintf(" (tried %d times: %s)", m.Attempts, m.Problem)
		}
		out = append(out, line)
	}
	return out
}

// lately lists past messages, latest first.
func lately(s *notice.State) []string {
	var out []string
	for i := len(s.Past) - 1; i >= 0; i-- {
		p := s.Past[i]
		line := fmt.Sprintf("  %s %s by %s: %s", at(p.At), p.Outcome, p.Channel, p.Title)
		if p.Why != "" {
			line += " (" + p.Why + ")"
		}
		out = append(out, line)
		if p.Text != "" {
			out = append(out, "      "+strings.ReplaceAll(p.Text, "\n", "\n      "))
		}
	}
	return out
}
