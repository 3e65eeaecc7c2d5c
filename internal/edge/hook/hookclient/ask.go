package hookclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/sameplace"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

// address is the address of the system.
type address struct {
	base    string // base of the requests' URLs
	host    string // of TCP, without its port
	socket  string // path of a socket, "" for TCP
	private bool   // nobody on the way can read what is sent
	shown   string // for display, without a password (SW-7)
}

// addressOf parses the URL of a system.
func addressOf(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil {
		var why *url.Error
		errors.As(err, &why)
		return address{}, fmt.Errorf("--url is not a URL: %w", why.Err) // it may contain a password
	}
	switch {
	case u.Scheme == "unix" && u.Path != "":
		return address{base: "http://localhost", socket: u.Path, private: true, shown: text}, nil
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		return address{
			base: strings.TrimSuffix(text, "/"), host: u.Hostname(), shown: u.Redacted(),
			private: u.Scheme == "https" || loopback.Is(u.Hostname()),
		}, nil
	}
	return address{}, fmt.Errorf("--url %q: must be http://host:port or unix:///path/to.sock", u.Redacted())
}

// refused is a response of the system other than a reply.
type refused struct {
	status int
	why    string
}

func (r refused) Error() string {
	return fmt.Sprintf("%d %s: %s", r.status, http.StatusText(r.status), r.why)
}

// ask sends the hook's JSON and returns the agent's reply. A system that cannot see the workspace requests
// the hook's judgement, and receives it together with the same JSON.
func (c Call) ask(ctx context.Context, to address, input []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience(to))
	defer cancel()
	client, err := to.client()
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	event, err := c.Agent.Parse(input)
	if err != nil {
		event = hook.Event{} // the system reports what is wrong with it
	}
	reply, err := c.send(ctx, client, to, input, &event, "")
	var r refused
	if c.Judge == nil || !errors.As(err, &r) || r.status != http.StatusPreconditionRequired {
		return reply, err
	}
	judged, err := c.Judge(&event, c.begins(&event))
	if err != nil && c.Explain != nil {
		c.Explain("the guard", err)
	}
	header, err := judged.Encode()
	if err != nil {
		return nil, err
	}
	return c.send(ctx, client, to, input, &event, header)
}

// send sends one request.
func (c Call) send(ctx context.Context, client *http.Client, to address, input []byte, e *hook.Event, judged string) ([]byte, error) {
	request, err := c.request(ctx, to, input)
	if err != nil {
		return nil, err
	}
	if place := sameplace.Of(e.Workspace); place != "" {
		request.Header.Set(wire.PlaceHeader, place)
	}
	if judged != "" {
		request.Header.Set(wire.JudgedHeader, judged)
	}
	response, err := client.Do(request)
	c.answered(to, cause(err))
	if err != nil {
		return nil, cause(err)
	}
	defer func() { _ = response.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if err != nil {
		c.answered(to, cause(err))
		return nil, fmt.Errorf("read the answer: %w", cause(err))
	}
	if response.StatusCode != http.StatusOK {
		return nil, refused{response.StatusCode, reason(response, reply)}
	}
	return reply, nil
}

func (c Call) request(ctx context.Context, to address, input []byte) (*http.Request, error) {
	target := to.base + "/v1/hooks/" + c.Agent.Agent
	if c.Run != "" {
		target += "?run=" + url.QueryEscape(c.Run)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(input))
	if err != nil {
		return nil, fmt.Errorf("build the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token := c.token(to); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return request, nil
}

// client returns a client for one call.
func (a address) client() (*http.Client, error) {
	transport := &http.Transport{Proxy: nil}
	if strings.HasPrefix(a.base, "https:") {
		trusted, err := hooktoken.Authorities(hooktoken.Folder(os.Getenv))
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusted}
	}
	if a.socket != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", a.socket)
		}
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, nil
}

func reason(response *http.Response, body []byte) string {
	if why := response.Header.Get(wire.ErrorHeader); why != "" {
		return why
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	return line[:min(len(line), 200)]
}

// errTooLong is returned if the system accepted the call but did not answer in time.
var errTooLong = errors.New("it took too long")

// cause returns the error without the request's address, which the caller prints itself.
func cause(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errTooLong
	}
	var at *url.Error
	if errors.As(err, &at) {
		if at.Timeout() {
			return errTooLong
		}
		return at.Err
	}
	return err
}

// shortPatience is how long a call waits for a system that has just failed to answer.
const shortPatience = 100 * time.Millisecond

// patience returns how long the call waits: briefly if an earlier call got no answer, so that a hanging
// system does not slow down every step of the agent.
func (c Call) patience(to address) time.Duration {
	if !c.FailClosed && c.Notes != "" && hung(c.Notes, to.base+to.socket) {
		return min(c.Timeout, shortPatience)
	}
	return c.Timeout
}

// answered records that a system did not answer in time, or that it does again.
func (c Call) answered(to address, err error) {
	switch {
	case c.Notes == "":
	case errors.Is(err, errTooLong):
		noteHang(c.Notes, to.base+to.socket)
	case err == nil:
		if hung(c.Notes, to.base+to.socket) {
			_ = os.Remove(name(c.Notes, "hung", to.base+to.socket))
		}
		noteAnswered(c.Notes)
	}
}

// ErrSilent reports that nothing answers at the address of a system.
var ErrSilent = errors.New("nothing answers")

// Accepted asks a system whether it takes the calls of an agent's hooks, with an empty call, of which it
// records nothing. The error says why it does not: [ErrSilent] if nothing answers.
func (c Call) Accepted(ctx context.Context) error {
	to, err := addressOf(c.URL)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	client, err := to.client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	request, err := c.request(ctx, to, []byte("{}"))
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSilent, cause(err))
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK, http.StatusBadRequest, http.StatusPreconditionRequired:
		return nil // the call is empty, and was read
	case http.StatusUnauthorized:
		return fmt.Errorf("it does not accept the token: give this user the one of %s from where it runs "+
			"(docs/install.md, Agents)", c.Agent.Agent)
	}
	return refused{response.StatusCode, reason(response, nil)}
}

// Remote reports whether a URL names another machine.
func Remote(text string) bool {
	to, err := addressOf(text)
	return err == nil && to.socket == "" && !loopback.Is(to.host)
}
