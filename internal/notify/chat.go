package notify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// slack is an incoming webhook.
type slack struct{ web }

var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;") // this also disables @channel

func (s slack) send(ctx context.Context, m *notice.Message) error {
	text := "*" + slackEscape.Replace(m.Title) + "*"
	if m.Text != "" {
		text += "\n" + slackEscape.Replace(m.Text)
	}
	return s.postJSON(ctx, m.Key, map[string]any{"text": text, "unfurl_links": false}, nil)
}

// teams is a webhook of a Teams workflow, which accepts Adaptive Cards.
type teams struct{ web }

type card struct {
	Schema  string `json:"$schema"`
	Type    string `json:"type"`
	Version string `json:"version"`
	Body    []any  `json:"body"`
	Actions []any  `json:"actions,omitempty"`
}

func (t teams) send(ctx context.Context, m *notice.Message) error {
	block := func(text string, bold bool) map[string]any {
		b := map[string]any{"type": "TextBlock", "text": markdown(text), "wrap": true}
		if bold {
			b["weight"], b["size"] = "Bolder", "Medium"
		}
		return b
	}
	c := card{Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4", Body: []any{block(m.Title, true)}}
	if m.Text != "" {
		for _, line := range strings.Split(m.Text, "\n") {
			c.Body = append(c.Body, block(line, false))
		}
	}
	if strings.HasPrefix(m.URL, "https://") || strings.HasPrefix(m.URL, "http://") {
		c.Actions = []any{map[string]any{"type": "Action.OpenUrl", "title": "Open", "url": m.URL}}
	}
	return t.postJSON(ctx, m.Key, map[string]any{"type": "message", "attachments": []any{
		map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "content": c},
	}}, nil)
}

var markdownEscape = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "`", "\\`", "<", "&lt;", "~", `\~`, "|", `\|`)

// markdown escapes text for Markdown.
func markdown(text string) string { return markdownEscape.Replace(text) }

// discordSize is the limit of a message's content.
const discordSize = 2000

// discord is a webhook of a Discord channel.
type discord struct{ web }

func (d discord) send(ctx context.Context, m *notice.Message) error {
	s := "**" + markdown(m.Title) + "**"
	if m.Text != "" {
		s += "\n" + markdown(m.Text)
	}
	return d.postJSON(ctx, m.Key, map[string]any{"content": text.Short(s, discordSize), "allowed_mentions": map[string]any{"parse": []string{}}}, nil)
}

// ntfy publishes to a topic of an ntfy server.
type ntfy struct {
	web
	topic, token string
}

func (n ntfy) send(ctx context.Context, m *notice.Message) error {
	body := map[string]any{"topic": n.topic, "title": m.Title, "message": m.Text, "priority": 3}
	if m.Text == "" {
		body["message"] = m.Title
	}
	switch {
	case m.Resolved:
		body["priority"] = 2
	case m.Urgent:
		body["priority"] = 5
	}
	if m.URL != "" {
		body["click"] = m.URL
	}
	header := map[string]string{}
	if n.token != "" {
		header["Authorization"] = "Bearer " + n.token
	}
	return n.postJSON(ctx, m.Key, body, header)
}

// pagerduty raises an alert through the Events API v2.
type pagerduty struct {
	web
	key string
}

// summarySize is the limit of an alert's summary.
const summarySize = 1024

func (p pagerduty) send(ctx context.Context, m *notice.Message) error {
	incident := dedup(cmp.Or(m.Incident, m.Key))
	if m.Resolved {
		return p.postJSON(ctx, m.Key, map[string]any{"routing_key": p.key, "event_action": "resolve", "dedup_key": incident}, nil)
	}
	severity := "warning"
	if m.Urgent {
		severity = "critical"
	}
	event := map[string]any{
		"routing_key": p.key, "event_action": "trigger", "dedup_key": incident,
		"payload": map[string]any{
			"summary": text.Short(m.Title, summarySize), "source": "scaffoldwatch", "severity": severity, "timestamp": m.Made.UTC().Format("2006-01-02T15:04:05.000Z"),
			"custom_details": map[string]any{"text": m.Text, "message": m.Key},
		},
	}
	if m.URL != "" {
		event["links"] = []any{map[string]any{"href": m.URL, "text": "Open"}}
	}
	return p.postJSON(ctx, m.Key, event, nil)
}

// dedup returns the key of an incident, within its limit of 255 characters.
func dedup(incident string) string {
	if len(incident) <= 255 {
		return incident
	}
	sum := sha256.Sum256([]byte(incident))
	return hex.EncodeToString(sum[:])
}
