// Package agent holds the commands that connect coding agents.
package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Hook answers an agent's hook from the running system.
type Hook struct {
	Agent      string        `required:"" help:"Agent that calls: ${hooked_help}" placeholder:"NAME"`
	URL        string        `name:"url" help:"URL of the running system; unix:///path for a socket." default:"http://127.0.0.1:8420" env:"SCAFFOLDWATCH_HOOK_URL"`
	Token      string        `help:"Bearer token of the running system, if it has one." env:"SCAFFOLDWATCH_HOOK_TOKEN" placeholder:"TOKEN"`
	InRun      string        `name:"run" help:"Run that the session belongs to." env:"SCAFFOLDWATCH_HOOK_RUN" placeholder:"ID"`
	Timeout    time.Duration `help:"How long the agent waits for an answer." default:"1s"`
	FailClosed bool          `help:"Refuse tools while the system does not answer, instead of letting them run."`
}

// Help gives examples.
func (Hook) Help() string {
	return `"scaffoldwatch install" writes this command into the agent's settings. It passes the hook's
JSON from standard input to the running system and prints the reply for the agent, if any.
If the system does not answer, the agent continues as if there were no hook.

Examples:
  scaffoldwatch hook --agent codex < hook.json
  scaffoldwatch hook --agent gemini --url http://127.0.0.1:8421 --timeout 500ms
  scaffoldwatch hook --agent claude-code --fail-closed`
}

const (
	maxHookInput = 16 << 20
	maxHookReply = 1 << 20
)

// Run answers one hook. It fails only for mistakes in the call: an agent takes
// a failed hook for a refusal, or shows it to the person each time.
func (c *Hook) Run(r *cli.Call) error {
	agent, err := agents.Hooks().Named(c.Agent)
	if err == nil && c.InRun != "" && !events.ValidID(c.InRun) {
		err = fmt.Errorf("--run %q is no run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.InRun)
	}
	if err != nil {
		return err
	}
	client, address, err := hookClient(c.URL)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r, c.Timeout)
	defer cancel()
	input, err := readHook(ctx, r.Stdin)
	if err != nil {
		return fmt.Errorf("read the hook's JSON: %w", err)
	}
	reply, err := c.ask(ctx, client, address, input)
	if err != nil {
		fmt.Fprintf(r.Stderr, "scaffoldwatch hook: no answer from %s: %s\n", withoutPassword(c.URL), terminal.Clean(err.Error()))
		reply = c.unanswered(agent, input)
	} else if reply = bytes.TrimSpace(reply); string(reply) == "{}" {
		reply = nil // nothing to say
	}
	if len(reply) == 0 {
		return nil
	}
	_, err = fmt.Fprintf(r.Stdout, "%s\n", reply)
	return err
}

// readHook reads the hook's input. An agent that leaves its end open is not kept
// waiting either.
func readHook(ctx context.Context, in io.Reader) ([]byte, error) {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(in, maxHookInput))
		done <- read{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, errors.New("standard input has no end in --timeout")
	}
}

// withoutPassword is an address for people (SW-7).
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the address"
	}
	return u.Redacted()
}

// UsageExit is the exit code of a wrong call. Agents take the 2 that is usual for
// it as a refusal, so a hook fails in the way that does not stop them.
func UsageExit(args []string) int {
	if len(args) > 0 && args[0] == "hook" {
		return cli.ExitFailed
	}
	return cli.ExitUsage
}

// unanswered returns the reply when the system does not answer: a refusal where
// the agent asks about a tool and the installation fails closed, else none. Gemini
// CLI gets an empty one, as it otherwise shows the person what is written to
// standard error; once a prompt is enough.
func (c *Hook) unanswered(agent *hook.Dialect, input []byte) []byte {
	event, err := agent.Parse(input)
	if c.FailClosed && err == nil && event.Point == hook.PointBeforeTool {
		reply, err := event.Encode(hook.Reply{Deny: "scaffoldwatch does not answer, and this installation runs no tool without it (--fail-closed). Start it with `scaffoldwatch up`."})
		if err == nil {
			return reply
		}
	}
	if agent.EmptyReply && (err != nil || event.Point != hook.PointPrompt) {
		return []byte("{}")
	}
	return nil
}

// ask sends the hook's JSON and returns the agent's reply.
func (c *Hook) ask(ctx context.Context, client *http.Client, address string, input []byte) ([]byte, error) {
	target := address + "/v1/hooks/" + c.Agent
	if c.InRun != "" {
		target += "?run=" + url.QueryEscape(c.InRun)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(input))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, cause(err)
	}
	defer func() { _ = response.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(response.Body, maxHookReply))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", response.Status, refusal(response, reply))
	}
	return reply, nil
}

func refusal(response *http.Response, body []byte) string {
	if why := response.Header.Get(hookapi.ErrorHeader); why != "" {
		return why
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	return line[:min(len(line), 200)]
}

// cause returns the error without the request's address, which the caller prints itself.
func cause(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		if at.Timeout() {
			return errors.New("it took too long")
		}
		return at.Err
	}
	return err
}

// hookClient makes a client for an address and the base of its requests.
func hookClient(address string) (*http.Client, string, error) {
	u, err := url.Parse(address)
	if err != nil {
		var why *url.Error
		errors.As(err, &why)
		return nil, "", fmt.Errorf("--url is no address: %w", why.Err) // it may hold a password
	}
	transport := &http.Transport{DisableKeepAlives: true, Proxy: nil}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	switch {
	case u.Scheme == "unix" && u.Path != "":
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", u.Path)
		}
		return client, "http://scaffoldwatch", nil
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		return client, strings.TrimSuffix(address, "/"), nil
	}
	return nil, "", fmt.Errorf("--url %q: it takes http://host:port or unix:///path/to.sock", withoutPassword(address))
}
