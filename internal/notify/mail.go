package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/notice"
)

// letters sends mail by SMTP.
type letters struct {
	from    string
	to      []string
	options []mail.Option
	host    string
}

func newMail(c *Channel, password string) (sender, error) {
	host, port, err := net.SplitHostPort(c.Server)
	number, numberErr := strconv.Atoi(port)
	if err != nil || numberErr != nil || host == "" {
		return nil, errors.New("its server must be host:port, for example smtp.example.org:587")
	}
	l := letters{from: c.From, to: c.To, host: host, options: []mail.Option{mail.WithPort(number), mail.WithTimeout(tryTime)}}
	switch c.TLS {
	case "implicit":
		l.options = append(l.options, mail.WithSSL())
	case "none":
		l.options = append(l.options, mail.WithTLSPolicy(mail.NoTLS))
	default:
		l.options = append(l.options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if c.User != "" {
		l.options = append(l.options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(c.User), mail.WithPassword(password))
	}
	if _, err := l.message(&notice.Message{Key: "check", Title: "check"}); err != nil {
		return nil, err
	}
	return l, nil
}

func (l letters) message(m *notice.Message) (*mail.Msg, error) {
	letter := mail.NewMsg()
	if err := letter.From(l.from); err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	if err := letter.To(l.to...); err != nil {
		return nil, fmt.Errorf("to: %w", err)
	}
	_, domain, _ := strings.Cut(strings.TrimSuffix(l.from, ">"), "@")
	letter.SetMessageIDWithValue(m.Key + "@" + domain) // the same for every try
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

func (l letters) send(ctx context.Context, m *notice.Message) error {
	letter, err := l.message(m)
	if err != nil {
		return err
	}
	client, err := mail.NewClient(l.host, l.options...)
	if err != nil {
		return fmt.Errorf("prepare the mail: %w", err)
	}
	if err := client.DialAndSendWithContext(ctx, letter); err != nil {
		return fmt.Errorf("send the mail: %w", err)
	}
	return nil
}
