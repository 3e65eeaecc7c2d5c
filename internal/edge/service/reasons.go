package service

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
)

// notConnected explains why no connection could be made, and how to fix it.
func notConnected(c config.NATS, err error) error {
	var certificate *tls.CertificateVerificationError
	var file *fs.PathError
	user := c.User
	if user == "" {
		user = c.Credentials
	}
	cure := "check nats.url, the network and that a server runs there"
	switch {
	case errors.As(err, &certificate):
		cure = "nats.tls_ca must name the authority that signed the server's certificate, and nats.url the " +
			"server by a " +
			"name that the certificate has"
	case errors.As(err, &file):
		cure = "nats.credentials, nats.tls_ca, nats.tls_cert or nats.tls_key names this file"
	case nats.Refused(err) && user == "":
		cure = "the server requires a user: set nats.user and nats.password (SCAFFOLDWATCH_NATS_USER, " +
			"SCAFFOLDWATCH_NATS_PASSWORD), or nats.credentials"
	case nats.Refused(err):
		cure = fmt.Sprintf("the server does not accept %q: compare nats.user and nats.password "+
			"(SCAFFOLDWATCH_NATS_PASSWORD), or nats.credentials, with the server's own", user)
	}
	return fmt.Errorf("not connected: %w: %s", err, cure)
}

// denial remembers what the broker last denied: a denied request gets no reply, so its error only says that
// it timed out.
type denial struct {
	mu   sync.Mutex
	last error
}

func (d *denial) note(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = err
}

// explain adds to a timeout error what the broker denied meanwhile, and forgets that. Name is the
// service's, user the one it connects as.
func (d *denial) explain(err error, name, user string) error {
	d.mu.Lock()
	denied := d.last
	d.last = nil
	d.mu.Unlock()
	if denied == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	words := strings.TrimPrefix(denied.Error(), nats.ErrDenied.Error()+": ")
	cure := "compare the server's configuration with deploy/nats/nats.conf of this version"
	switch {
	case strings.Contains(words, "_INBOX_"):
		cure = fmt.Sprintf("it connects as %q, and each service needs its own user, which alone reads its replies; %s",
			user, cure)
	case strings.Contains(words, "$JS.API.STREAM.CREATE."):
		cure = "a stream is missing, and only an administrator makes it: `scaffoldwatch streams init` as admin"
	}
	return fmt.Errorf("%s: the broker denies %s something: %s: %s", vitals.PermissionDenied, name, words, cure)
}

// unusable prefixes the reason why a service cannot use the streams yet with its kind. A request that nobody answers
// says nothing about what was asked.
func unusable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf(
			"%s: nobody answers for the streams: they have no leader, or it is out of reach (%w)", vitals.NoLeader, err,
		)
	}
	return vitals.Explained(err)
}
