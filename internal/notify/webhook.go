package notify

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
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
