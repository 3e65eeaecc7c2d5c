// Package model is what the advisor asks: a model of some provider, a command, or a mock for tests.
package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Model answers one question at a time; it may be asked several at once.
type Model interface {
	// Ask returns the answer. An error says what was attempted and never holds the key.
	Ask(ctx context.Context, p Prompt) (Reply, error)
}

// Prompt is a question with what a model reads before it.
type Prompt struct {
	ID     string // of the question
	System string
	User   string
	// Schema is the JSON Schema of the answer, for providers that hold a model to one.
	Schema map[string]any
	// MaxTokens bounds the answer.
	MaxTokens int
}

// Reply is an answer with what it cost.
type Reply struct {
	Text   string
	Model  string // as the provider names it; empty where it does not
	In     int    // tokens, those from a cache among them
	Out    int
	Cached int
}

// ErrRefused says that the provider or its model declined to answer.
var ErrRefused = errors.New("the model declined to answer")

// ErrCut says that the answer was cut at its limit of tokens.
var ErrCut = errors.New("the answer was cut at its limit")

// maxReply bounds what is read of a response.
const maxReply = 1 << 20

// Client is an HTTP client for one address: it follows no redirect and uses no proxy, so that a question
// and the key go nowhere else, and reads no more than an answer can have.
func Client(timeout time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	return &http.Client{
		Transport: bounded{transport}, Timeout: timeout,
		CheckRedirect: func(request *http.Request, _ []*http.Request) error {
			return fmt.Errorf("the server redirects to %s, which is not configured", request.URL.Host)
		},
	}
}

// bounded limits the bodies of responses.
type bounded struct{ next http.RoundTripper }

// RoundTrip sends a request.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	response.Body = http.MaxBytesReader(nil, response.Body, maxReply)
	return response, nil
}

// Address checks the address of a provider: https, or http on this machine and its network's names.
func Address(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("advisor.base_url: %q is not an http or https address", base)
	}
	if u.User != nil || u.RawQuery != "" {
		return errors.New("advisor.base_url: it must hold no user, password or query; the key belongs into advisor.key")
	}
	return nil
}
