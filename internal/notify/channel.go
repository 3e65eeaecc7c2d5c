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

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
)

// tryTime bounds one try.
const tryTime = 15 * time.Second

// sender speaks to one channel.
type sender interface {
	send(ctx context.Context, m *notice.Message) error
}

// Refused is a channel's answer other than success.
type Refused struct {
	Gone bool          // nothing is there any more (410)
	Wait time.Duration // it asks to be left alone so long (Retry-After)
	Why  string
}

// Error says what it answered, without an address.
func (r *Refused) Error() string { return r.Why }

// Partly is a success that is not whole: some were told, others will never be.
type Partly struct{ Why string }

// Error says who was not told.
func (p *Partly) Error() string { return p.Why }

// Post is a channel ready to send.
type Post struct {
	ID, Kind string
	// Resolves is true for a channel that is also notified when an incident is settled.
	Resolves bool
	sender   sender
	secrets  []string
	mark     string
}

// Posts makes the channels of a file ready; client nil takes one that follows no
// redirects. An error names every variable that is missing.
func (f *File) Posts(environ func(string) string, client *http.Client) ([]*Post, error) {
	if client == nil {
		client = &http.Client{}
	}
	quiet := *client // a redirect could carry a secret elsewhere
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
	if word := values["password"]; word != "" { // as servers see it when one logs in
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

// sender is the one of the channel's kind.
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

// mark changes with whatever leads to a channel; it does not tell what that is.
func mark(c *Channel, values map[string]string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{"channel", c.Kind, values["url"], values["token"], c.Server, cmp.Or(values["topic"], c.Topic)}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// Send tries once. The error quotes no secret.
func (p *Post) Send(ctx context.Context, m *notice.Message) (err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	defer func() {
		if r := recover(); r != nil { // of a library of a channel
			err = fmt.Errorf("the channel failed: %v", r)
		}
		err = p.clean(err)
	}()
	return p.sender.send(ctx, m)
}

// clean takes addresses and secrets out of an error.
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
		err = address.Err // it quotes the address
	}
	var network *net.OpError
	if p.Kind != "email" && errors.As(err, &network) {
		err = fmt.Errorf("%s: %w", network.Op, network.Err) // so does it
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
		if u, err := url.Parse(s); err == nil && u.Host != "" { // also in parts
			for _, part := range append(strings.Split(u.Path, "/"), u.RawQuery, u.User.String()) {
				if len(part) >= 8 {
					text = strings.ReplaceAll(text, part, "[secret]")
				}
			}
			text = strings.ReplaceAll(text, u.Hostname(), "[address]") // some are secrets by themselves
		}
	}
	return text
}

// result returns what an attempt reports to the core.
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

// console keeps what it is told in the outbox, where `scaffoldwatch notify
// outbox` shows it.
type console struct{}

func (console) send(context.Context, *notice.Message) error { return nil }
