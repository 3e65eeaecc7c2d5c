package hookclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

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
