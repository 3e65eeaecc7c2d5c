// Package web calls the HTTP interfaces of agents and classifies errors for a driver: temporarily away, or
// unreachable.
package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

const (
	patience  = 15 * time.Second // for one call
	silence   = 90 * time.Second // of an event stream, before it counts as dead
	maxAnswer = 256 << 20        // size of a response, in bytes
)

// ErrSilent is returned if an event stream was silent for too long; a server without heartbeats may just
// have nothing to report.
var ErrSilent = errors.New("silent for too long")

// Client calls one server.
type Client struct {
	base    *url.URL
	headers http.Header
	http    *http.Client
	silence time.Duration
}

// New returns a client of the server at address, an http or https URL; its query is sent with every call,
// and a user and password in it authenticate.
func New(address string, headers http.Header) (*Client, error) {
	base, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, errors.New("the agent's URL must begin with http:// or https://") // it may contain a password
	}
	if headers == nil {
		headers = http.Header{}
	}
	return &Client{base: base, headers: headers, http: newHTTP(), silence: silence}, nil
}

// newHTTP returns a client that follows no redirects: credentials are in headers and queries and are meant
// for this server alone.
func newHTTP() *http.Client {
	return &http.Client{
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Address returns the server's address for people: without password and query, which may contain a token
// (SW-7).
func (c *Client) Address() string {
	plain := *c.base
	plain.RawQuery = ""
	return plain.Redacted()
}

// withoutAddress returns a request's error without its URL, whose query may contain a token (SW-7).
func withoutAddress(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Get decodes the document at path into out; query is added to the URL.
func (c *Client) Get(ctx context.Context, path string, query url.Values, out any) error {
	return c.call(ctx, http.MethodGet, path, query, nil, out)
}

// Post sends in as JSON and drops the response. The error wraps driver.ErrAway if nothing can have arrived,
// and driver.ErrUnsupported if the server rejected it.
func (c *Client) Post(ctx context.Context, path string, in any) error {
	return c.call(ctx, http.MethodPost, path, nil, in, nil)
}

func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := c.do(ctx, method, path, query, in)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body := io.LimitReader(answer.Body, maxAnswer)
	if out == nil {
		_, _ = io.Copy(io.Discard, body) // so that the connection can be reused
		return nil
	}
	if err := json.NewDecoder(body).Decode(out); err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return nil
}

// do makes one request and checks its status.
func (c *Client) do(ctx context.Context, method, path string, query url.Values, in any) (*http.Response, error) {
	request, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		err = withoutAddress(err)
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			return nil, fmt.Errorf("%w: %w", drive.ErrAway, err)
		}
		return nil, fmt.Errorf("call %s: %w", path, err)
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
	err = fmt.Errorf("%s answered %s: %s", path, answer.Status, bytes.TrimSpace(said))
	switch answer.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusTooManyRequests:
		return nil, fmt.Errorf("%w: %w", drive.ErrAway, err)
	}
	return nil, fmt.Errorf("%w: %w", drive.ErrUnsupported, err)
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encode for %s: %w", path, err)
		}
		body = bytes.NewReader(data)
	}
	to := c.base.JoinPath(path)
	all := c.base.Query()
	for key, values := range query {
		all[key] = values
	}
	to.RawQuery, to.User = all.Encode(), nil
	request, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", path, withoutAddress(err))
	}
	request.Header = c.headers.Clone()
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if user := c.base.User; user != nil {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	return request, nil
}

// Events yields the data of the server-sent events at path, one JSON value each, until the stream ends,
// breaks or is silent for too long; the server's heartbeats do not count as silence. The last pair has the
// error, io.EOF at the end.
func (c *Client) Events(ctx context.Context, path string) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		watchdog := time.AfterFunc(c.silence, func() { cancel(ErrSilent) })
		defer watchdog.Stop()
		answer, err := c.do(ctx, http.MethodGet, path, nil, nil)
		if err != nil {
			yield(nil, err)
			return
		}
		defer answer.Body.Close()
		heard := &sound{answer.Body, func() { watchdog.Reset(c.silence) }}
		lines := record.NewLines(bufio.NewReaderSize(heard, 64<<10), maxAnswer, func(int, int64, string) {})
		for {
			line, err := lines.Next()
			if err != nil {
				if cause := context.Cause(ctx); cause != nil {
					err = cause
				}
				yield(nil, err)
				return
			}
			if data, ok := bytes.CutPrefix(line.Data, []byte("data:")); ok && !yield(bytes.TrimSpace(data), nil) {
				return
			}
		}
	}
}

// sound reports every read.
type sound struct {
	io.Reader
	heard func()
}

// Read reads and reports that.
func (s *sound) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if n > 0 {
		s.heard()
	}
	return n, err
}
