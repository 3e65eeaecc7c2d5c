// Package model defines what the advisor asks: a provider's model, a command, or a mock for tests.
package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"time"
)

// Model answers questions. Ask may be called concurrently.
type Model interface {
	// Ask returns the answer. An error names what was attempted and never contains the key.
	Ask(ctx context.Context, p Prompt) (Reply, error)
}

// Prompt is a question with its context.
type Prompt struct {
	ID     string // id of the question
	System string
	User   string
	// Schema is the JSON Schema of the answer, for providers that enforce one.
	Schema map[string]any
	// MaxTokens limits the answer.
	MaxTokens int
}

// Reply is an answer with its cost.
type Reply struct {
	Text   string
	Model  string // the provider's name for it, if it gives one
	In     int    // tokens, including cached ones
	Out    int
	Cached int
}

// ErrRefused is returned if the provider or its model declined to answer.
var ErrRefused = errors.New("the model declined to answer")

// ErrCut is returned if the answer was truncated at its token limit.
var ErrCut = errors.New("the answer was cut at its limit")

// maxReply limits how much of a response is read.
const maxReply = 1 << 20

// Client returns an HTTP client for one address: it follows no redirects and uses no proxy, so that
// question and key go nowhere else, and reads no more than an answer may have.
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

// Address checks the address of a provider: https, or http for this machine and names of its network.
func Address(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("advisor.base_url: %q is not an http or https address", base)
	}
	if u.User != nil || u.RawQuery != "" {
		return errors.New("advisor.base_url: it must not contain user, password or query; put the key into advisor.key")
	}
	return nil
}

// Command runs a program that reads the question on standard input and prints the answer. The operator
// chooses the program; nothing from a session becomes part of its command line.
type Command struct {
	Name string
	Args []string
	Env  []string
	Dir  string
}

// reapAfter is how long a finished command may keep its pipes open.
const reapAfter = 2 * time.Second

// Ask runs the program once.
func (c Command) Ask(ctx context.Context, p Prompt) (Reply, error) {
	cmd := exec.CommandContext(ctx, c.Name, c.Args...)
	cmd.Stdin = bytes.NewReader([]byte(p.System + "\n" + p.User))
	cmd.Env, cmd.Dir, cmd.WaitDelay = append(os.Environ(), c.Env...), c.Dir, reapAfter
	out := &limited{}
	cmd.Stdout = out
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Reply{}, fmt.Errorf("run %s: %w", c.Name, ctx.Err())
	case err != nil:
		return Reply{}, fmt.Errorf("run %s: %w", c.Name, err)
	case out.over:
		return Reply{}, fmt.Errorf("run %s: it printed more than %d bytes", c.Name, maxReply)
	case out.kept.Len() == 0:
		return Reply{}, errors.New("run " + c.Name + ": it printed nothing")
	}
	text := out.kept.String()
	return Reply{Text: text, In: Estimate(p.System) + Estimate(p.User), Out: Estimate(text)}, nil
}

// Estimate returns roughly how many tokens a text has, for providers that do not count them.
func Estimate(text string) int { return (len(text) + 3) / 4 }

// limited keeps the beginning of what is written to it.
type limited struct {
	kept bytes.Buffer // not embedded: io.Copy would use its ReadFrom
	over bool
}

// Write accepts everything and keeps as much as the limit allows.
func (l *limited) Write(p []byte) (int, error) {
	room := maxReply - l.kept.Len()
	if len(p) > room {
		l.over = true
		l.kept.Write(p[:max(0, room)])
		return len(p), nil
	}
	return l.kept.Write(p)
}
