package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/wneessen/go-mail"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
)

// letters sends mail by SMTP.
type letters struct {
	from    string
	to      []string
	options []mail.Option
	host    string
	took    *taken
	// TLS from the first byte
	implicit bool
}

func newMail(c *Channel, user, password string) (sender, error) {
	host, port, err := net.SplitHostPort(c.Server)
	number, numberErr := strconv.Atoi(port)
	if err != nil || numberErr != nil || host == "" {
		return nil, errors.New("its server must be host:port, for example smtp.example.org:587")
	}
	l := letters{from: c.From, to: c.To, host: host, took: &taken{by: map[string][]string{}}, options: []mail.Option{mail.WithPort(number), mail.WithTimeout(tryTime)}}
	switch c.TLS {
	case "implicit":
		l.options = append(l.options, mail.WithSSL())
		l.implicit = true
	case "none":
		l.options = append(l.options, mail.WithTLSPolicy(mail.NoTLS))
	default:
		l.options = append(l.options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if user != "" {
		l.options = append(l.options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(user), mail.WithPassword(password))
	}
	if _, err := l.message(&notice.Message{Key: "check", Title: "check"}, l.to); err != nil {
		return nil, err
	}
	return l, nil
}

func (l letters) message(m *notice.Message, to []string) (*mail.Msg, error) {
	letter := mail.NewMsg()
	if err := letter.From(l.from); err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	if err := letter.To(to...); err != nil {
		return nil, fmt.Errorf("to: %w", err)
	}
	_, domain, _ := strings.Cut(strings.TrimSuffix(l.from, ">"), "@")
	letter.SetMessageIDWithValue(m.Key + "@" + domain) // the same for every attempt
	letter.SetDateWithValue(m.Made)
	letter.Subject("[scaffoldwatch] " + m.Title)
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	text := m.Title + "\n"
	if m.Text != "" {
		text += "\n" + m.Text + "\n"
	}
	letter.SetBodyString(mail.TypeTextPlain, text)
	return letter, nil
}

// send sends one mail to all recipients. If the server rejects one of them, nobody has received it; then
// each gets a separate mail, so that one wrong address does not affect the others.
func (l letters) send(ctx context.Context, m *notice.Message) error {
	got := l.took.of(m.Key)
	if len(got) == 0 {
		err := l.try(ctx, m, l.to)
		if len(l.to) == 1 || !refusesRecipient(err) {
			return err
		}
	}
	return l.apart(ctx, m, got)
}

// apart sends separately to each recipient who does not have the mail yet.
func (l letters) apart(ctx context.Context, m *notice.Message, got []string) error {
	var never, later []error
	for _, to := range l.to {
		if slices.Contains(got, to) {
			continue
		}
		err := l.try(ctx, m, []string{to})
		switch {
		case err == nil:
			got = append(got, to)
		case refusesRecipient(err) && isFinal(err):
			never = append(never, err)
		default:
			later = append(later, err)
		}
	}
	l.took.note(m.Key, got, len(later) == 0)
	switch {
	case len(later) > 0 || len(got) == 0:
		return errors.Join(append(later, never...)...)
	case len(never) > 0:
		return &Partly{Why: "some recipients did not get it: " + errors.Join(never...).Error()}
	}
	return nil
}

// refusesRecipient reports whether the server rejects a recipient.
func refusesRecipient(err error) bool {
	var failed *mail.SendError
	return errors.As(err, &failed) && failed.Reason == mail.ErrSMTPRcptTo
}

func isFinal(err error) bool {
	var failed *mail.SendError
	return errors.As(err, &failed) && !failed.IsTemp()
}

func (l letters) try(ctx context.Context, m *notice.Message, to []string) error {
	letter, err := l.message(m, to)
	if err != nil {
		return err
	}
	options := slices.Clone(l.options)
	if !l.implicit { // for the others, the library must connect itself to know that the connection is encrypted
		options = append(options, mail.WithDialContextFunc(hangUp(ctx)))
	}
	client, err := mail.NewClient(l.host, options...)
	if err != nil {
		return fmt.Errorf("prepare the mail: %w", err)
	}
	// The library's time limit applies to each command, not to the whole.
	err = within(ctx, func() error { return client.DialAndSendWithContext(ctx, letter) })
	if err != nil && ctx.Err() != nil {
		return errors.New("send the mail: the server took too long (timeout)")
	}
	if err != nil {
		return fmt.Errorf("send the mail: %w", err)
	}
	return nil
}

// hangUp returns a dialer whose connections close when the attempt ends, however far it got.
func hangUp(try context.Context) mail.DialContextFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, fmt.Errorf("connect: %w", err)
		}
		context.AfterFunc(try, func() { _ = conn.Close() })
		return conn, nil
	}
}

// within waits for a function until ctx ends.
func within(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// taken remembers who already got a mail that others could not get yet, so that a retry does not send it
// twice. A restart forgets it.
type taken struct {
	mu sync.Mutex
	by map[string][]string // recipients by the message's key
}

// mostTaken limits the mails that are remembered.
const mostTaken = 1000

func (t *taken) of(key string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.by[key]...)
}

// note remembers who got a mail until all recipients are done.
func (t *taken) note(key string, got []string, done bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.by, key)
	if done || len(t.by) >= mostTaken {
		return
	}
	t.by[key] = got
}
