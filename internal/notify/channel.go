package notify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"time"

	"github.com/nicholas-fedor/shoutrrr"
	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
)

// tryTime limits one attempt.
const tryTime = 15 * time.Second

// sender sends to one channel.
type sender interface {
	send(ctx context.Context, m *notice.Message) error
}

// Refused is returned for a channel's response other than success.
type Refused struct {
	Gone bool          // the address no longer exists (410)
	Wait time.Duration // how long the channel asks to wait (Retry-After)
	Why  string
}

// Error returns the response, without an address.
func (r *Refused) Error() string { return r.Why }

// Partly is returned for an incomplete success: some recipients got the message, others never will.
type Partly struct{ Why string }

// Error names those who did not get it.
func (p *Partly) Error() string { return p.Why }

// Post is a channel that is ready to send.
type Post struct {
	ID, Kind string
	// Resolves reports whether the channel is also notified when an incident is settled.
	Resolves bool
	sender   sender
	secrets  []string
	mark     string
}

// Posts returns the channels of a file, ready to send; a nil client means one that does not follow
// redirects. The error names every missing variable.
func (f *File) Posts(environ func(string) string, client *http.Client) ([]*Post, error) {
	if client == nil {
		client = &http.Client{}
	}
	quiet := *client // a redirect could send a secret elsewhere
	quiet.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var posts []*Post
	var problems []error
	for i := range f.Channels {
		p, err := f.Channels[i].post(environ, &quiet)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		posts = append(posts, p)
	}
	return posts, errors.Join(problems...)
}

func (c *Channel) post(environ func(string) string, client *http.Client) (*Post, error) {
	values, err := c.resolve(environ)
	if err != nil {
		return nil, err
	}
	p := &Post{ID: c.ID, Kind: c.Kind, Resolves: c.resolves(), mark: mark(c, values)}
	for key, v := range values {
		if key != "user" {
			p.secrets = append(p.secrets, v)
		}
	}
	if word := values["password"]; word != "" { // the form in which servers see it
		for _, seen := range []string{word, "\x00" + cmp.Or(values["user"], c.User) + "\x00" + word} {
			p.secrets = append(p.secrets, base64.StdEncoding.EncodeToString([]byte(seen)))
		}
	}
	sort.Slice(p.secrets, func(i, j int) bool { return len(p.secrets[i]) > len(p.secrets[j]) })
	if p.sender, err = c.sender(values, client); err != nil {
		return nil, fmt.Errorf("channel %s: %w", c.ID, p.clean(err))
	}
	return p, nil
}

// sender returns the sender for the channel's kind.
func (c *Channel) sender(values map[string]string, client *http.Client) (sender, error) {
	switch c.Kind {
	case "console":
		return console{}, nil
	case "email":
		return newMail(c, cmp.Or(values["user"], c.User), values["password"])
	case "shoutrrr":
		return newShoutrrr(values["url"])
	}
	web := web{client: client, url: values["url"]}
	switch c.Kind {
	case "ntfy":
		web.url = c.Server
		if web.url == "" {
			web.url = "https://ntfy.sh"
		}
	case "pagerduty":
		web.url = c.Server
		if web.url == "" {
			web.url = "https://events.pagerduty.com"
		}
		web.url = strings.TrimSuffix(web.url, "/") + "/v2/enqueue"
	}
	if u, err := url.Parse(web.url); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("its address must begin with http:// or https://")
	}
	switch c.Kind {
	case "slack":
		return slack{web}, nil
	case "teams":
		return teams{web}, nil
	case "discord":
		return discord{web}, nil
	case "ntfy":
		return ntfy{web, cmp.Or(values["topic"], c.Topic), values["token"]}, nil
	case "pagerduty":
		return pagerduty{web, values["token"]}, nil
	default:
		return newWebhook(web, values["secret"], values["previous_secret"])
	}
}

// mark returns a hash that changes with the channel's address without revealing it.
func mark(c *Channel, values map[string]string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{"channel", c.Kind, values["url"], values["token"], c.Server, cmp.Or(values["topic"], c.Topic)}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// Send makes one attempt. The error contains no secret.
func (p *Post) Send(ctx context.Context, m *notice.Message) (err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	defer func() {
		if r := recover(); r != nil { // from a channel's library
			err = fmt.Errorf("the channel failed: %v", r)
		}
		err = p.clean(err)
	}()
	return p.sender.send(ctx, m)
}

// clean removes addresses and secrets from an error.
func (p *Post) clean(err error) error {
	if err == nil {
		return nil
	}
	var refused *Refused
	if errors.As(err, &refused) {
		return &Refused{Gone: refused.Gone, Wait: refused.Wait, Why: p.without(refused.Why)}
	}
	var partly *Partly
	if errors.As(err, &partly) {
		return &Partly{Why: p.without(partly.Why)}
	}
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err // it contains the address
	}
	var network *net.OpError
	if p.Kind != "email" && errors.As(err, &network) {
		err = fmt.Errorf("%s: %w", network.Op, network.Err) // so does this
	}
	return errors.New(p.without(err.Error()))
}

func (p *Post) without(text string) string {
	for _, s := range p.secrets {
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s)} {
			if form != "" {
				text = strings.ReplaceAll(text, form, "[secret]")
			}
		}
		if u, err := url.Parse(s); err == nil && u.Host != "" { // its parts, too
			for _, part := range append(strings.Split(u.Path, "/"), u.RawQuery, u.User.String()) {
				if len(part) >= 8 {
					text = strings.ReplaceAll(text, part, "[secret]")
				}
			}
			text = strings.ReplaceAll(text, u.Hostname(), "[address]") // some are secret in themselves
		}
	}
	return text
}

// result translates the outcome of an attempt for the core.
func result(err error) notice.Result {
	if err == nil {
		return notice.Result{}
	}
	var partly *Partly
	if errors.As(err, &partly) {
		return notice.Result{Note: partly.Why}
	}
	r := notice.Result{Problem: err.Error()}
	var refused *Refused
	if errors.As(err, &refused) {
		r.Gone, r.Wait = refused.Gone, refused.Wait
	}
	return r
}

// console leaves messages in the outbox, where `scaffoldwatch notify outbox` shows them.
type console struct{}

func (console) send(context.Context, *notice.Message) error { return nil }

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
