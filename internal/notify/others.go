package notify

import (
	"context"
	"errors"
	"fmt"

	"github.com/nicholas-fedor/shoutrrr"
	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
)

// others are the services that shoutrrr supports in addition to those with a kind of their own: Telegram,
// Matrix, Mattermost, Gotify, Pushover and more, by its URLs.
type others struct{ router *router.ServiceRouter }

func newShoutrrr(address string) (sender, error) {
	r, err := shoutrrr.CreateSender(address)
	if err != nil {
		return nil, errors.New("shoutrrr cannot read its address; see its documentation of services")
	}
	return others{r}, nil
}

// hints matches the parts of an error that may be shown; the rest can contain addresses and tokens in many
// forms.
var hints = pattern.Must(`\b[45][0-9]{2}\b|no such host|connection refused|timeout|deadline exceeded|certificate`)

func hint(err error) string {
	if found := hints.FindString(err.Error()); found != "" {
		return " (" + found + ")"
	}
	return ""
}

func (o others) send(ctx context.Context, m *notice.Message) error {
	text := m.Text
	if text == "" {
		text = m.Title
	}
	done := make(chan error, 1)
	go func() { // it accepts no context; its services have their own time limits
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("the service failed: %v", r)
			}
		}()
		done <- errors.Join(o.router.Send(text, &types.Params{"title": m.Title})...)
	}()
	select {
	case err := <-done:
		if err != nil {
			return errors.New("the service rejected it" + hint(err))
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
