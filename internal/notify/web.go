package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

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
