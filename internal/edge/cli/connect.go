// Package cli holds what the commands of scaffoldwatch share: the call, its flags and
// errors, and the connection to a running system. The commands themselves are in the
// subpackages, one per noun.
package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
)

// Patience is how long a command waits for a broker that does not answer.
const Patience = 3 * time.Second

// Connection holds the flags of commands that talk to a running system.
type Connection struct {
	Server string `help:"NATS server URL." placeholder:"nats://127.0.0.1:4222"`

	role credential.Role // role of the key to log in with; "" is the publisher's
	file string          // file of a credential to use instead
	lost func(error)     // is called when the connection is lost, and with nil when it is back

	patient bool // also waits on this machine for a system that does not run yet
}

// LoadConfig reads the configuration from file and environment; flags override both. For a system on this
// machine, the person's own rules apply if no rules are configured, as in `up`.
func LoadConfig(path string, flags map[string]string) (config.Config, error) {
	settings, err := config.Load(config.Sources{File: path, Environ: os.Environ(), Flags: flags})
	if err == nil && settings.Rules == "" && Local(settings.NATS.URL) {
		settings.Rules = deployment.OwnRules()
	}
	return settings, err
}

// Local reports whether an address is that of one broker on this machine, as `up` is.
func Local(address string) bool { return link.Local(address) && !strings.Contains(address, ",") }

// RulesFile returns the rules file for reading transcripts: the given one, or else the one that a running system
// would use (CO-7), so that what a person muted is silent here too.
func RulesFile(r *Call, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	settings, err := LoadConfig(r.Config, nil)
	return settings.Rules, err
}

// Settings returns the settings of file and environment, with the given address applied.
func (c Connection) Settings(r *Call) (config.Config, error) {
	return r.session().read(r.Config, c.Server)
}

// Open connects to the running system. The connection is the call's: it ends with it.
func (c Connection) Open(r *Call) (*nats.Broker, *nats.Conn, error) {
	settings, err := c.Settings(r)
	if err != nil {
		return nil, nil, err
	}
	o := c.login(settings)
	o.Once, o.OnDenied, o.OnState = true, r.Denied.note, c.lost
	o.AtOnce = !c.patient && link.Local(o.URL)
	open, err := r.session().open(r, settings, o)
	return open.broker, open.conn, err
}

// login returns where to connect, and as whom.
func (c Connection) login(settings config.Config) nats.ConnectOptions {
	role := c.role
	if role == "" {
		role = credential.Publisher
	}
	if c.file != "" {
		settings.NATS.User, settings.NATS.Credentials = "", c.file
		return link.Options(settings, "cli_"+string(role))
	}
	return link.As(settings, role, connectionName(settings.NATS.User))
}

// Patient returns the connection for a command that programs call: a system that restarts must not fail them.
func (c Connection) Patient() Connection {
	c.patient = true
	return c
}

// AsInfra returns the connection with the infrastructure's credential, for facts about a run.
func (c Connection) AsInfra() Connection {
	c.role, c.file = credential.Infra, ""
	return c
}

// AsAdmin returns the connection with the administrator's credential, for creating streams and reading all
// of them.
func (c Connection) AsAdmin() Connection {
	c.role, c.file = credential.Admin, ""
	return c
}

// Watched returns the connection for a command that waits for what comes: silence must not look like peace, so
// it says when the broker is gone and when it is back.
func (c Connection) Watched(r *Call) Connection {
	var gone atomic.Bool
	c.lost = func(err error) {
		switch was := gone.Swap(err != nil); {
		case err != nil && !was:
			fmt.Fprintln(r.Stderr, "scaffoldwatch: the system is gone; nothing is shown until it is back (Ctrl-C ends)")
		case err == nil && was:
			fmt.Fprintln(r.Stderr, "scaffoldwatch: the system is back")
		}
	}
	return c
}

// cure returns advice for a connection as a user, or with the credential of a file, that failed.
func cure(err error, user, file string) string {
	var missing *fs.PathError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &missing):
		return "--operator, or the configuration, names this file: nats.credentials, nats.tls_ca, nats.tls_cert or nats.tls_key"
	case errors.As(err, &certificate):
		return "name the authority that signed the server's certificate with nats.tls_ca, and the server by a name or address that the certificate has"
	case nats.Refused(err) && file != "":
		return fmt.Sprintf("it does not accept the credential %s: another system may run at this address, or "+
			"nats.credentials or --operator name the file of another one", file)
	case nats.Refused(err) && user != "":
		return fmt.Sprintf("it does not accept %q with this password: compare nats.user and nats.password "+
			"(SCAFFOLDWATCH_NATS_USER, SCAFFOLDWATCH_NATS_PASSWORD) with the server's own", user)
	case nats.Refused(err):
		return "it does not accept this user: run the command as the person who started `scaffoldwatch up`, or name a user with nats.user or nats.credentials"
	}
	return "start one with `scaffoldwatch up`, or name its address with --server"
}

// connectionName keeps the replies of users apart: the inbox contains the name, and permissions restrict
// each user to their own inbox (EV-10).
func connectionName(user string) string {
	if user == "" {
		return "cli"
	}
	return "cli_" + user
}

// Deciding is the stage whose verdicts count.
const Deciding = "dispatcher"

// CommandSource is the CloudEvents source of events reported at the command line.
const CommandSource = "/scaffoldwatch/run-event"

// OpenRun connects to the running system and opens a run on it, for a program that reports or asks.
func (c Connection) OpenRun(r *Call, id string, Patience time.Duration) (*client.Run, func(), error) {
	return c.Patient().OpenRunAs(r, id, CommandSource, Patience)
}

// OpenRunAs is OpenRun with a CloudEvents source for the events it publishes.
func (c Connection) OpenRunAs(r *Call, id, source string, Patience time.Duration) (*client.Run, func(), error) {
	if Patience <= 0 {
		return nil, nil, Usage(fmt.Errorf("--timeout %s: must be more than 0", Patience))
	}
	broker, nc, err := c.Open(r)
	if err != nil {
		return nil, nil, err
	}
	run, err := client.OpenRun(nc, id, client.RunOptions{Source: source, Patience: Patience, TrustedKeys: broker.Keys().Trusted[Deciding], RevokedKeys: broker.Keys().Revoked})
	if err != nil {
		return nil, nil, Usage(err)
	}
	return run, func() { _ = run.Close() }, nil // nothing of it is buffered
}

// Exit codes of the command line (docs/scan.md).
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2
	ExitFailOn = 3
	ExitWarned = 4
)

// ErrFailOn is returned if a --fail-on condition holds.
var ErrFailOn = errors.New("a --fail-on condition held")

// ErrDenied and ErrWarned are the verdicts of a try; both were already printed.
var (
	ErrDenied = errors.New("the command would be denied")
	ErrWarned = errors.New("the command would get a warning")
)

// UsageError wraps an error in how a command was called.
type UsageError struct{ err error }

// Usage wraps err as a [UsageError].
func Usage(err error) error { return UsageError{err} }

// Error returns the message of the wrapped error.
func (e UsageError) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error.
func (e UsageError) Unwrap() error { return e.err }

// Call is one call of a command, with its context, inputs, outputs and theme.
type Call struct {
	context.Context
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Theme  terminal.Theme
	Config string // file of --config
	Denied *Denied
	// Session is shared by the parts of the call; one is made where it is nil.
	Session *Session
}

// Denied remembers the first thing that the broker denied. A nil Denied remembers nothing.
type Denied struct{ first atomic.Pointer[error] }

func (d *Denied) note(err error) {
	if d != nil {
		d.first.CompareAndSwap(nil, &err)
	}
}

// Explain adds to a failure what the broker denied, which no reply says: the user would only see a timeout.
// A missing stream usually means that the server was never set up.
func (d *Denied) Explain(err error) error {
	if nats.NoStream(err) {
		return fmt.Errorf("%w\ncheck that this is the right server (--server): `scaffoldwatch up` or `scaffoldwatch streams init` sets one up", err)
	}
	if err == nil || d == nil || d.first.Load() == nil {
		return err
	}
	words := strings.TrimPrefix((*d.first.Load()).Error(), nats.ErrDenied.Error()+": ")
	return fmt.Errorf("%w\nthe broker answered: %s; name a user who may, with nats.user or nats.credentials", err, words)
}

// ReadModel opens the read model for queries: the file that reports.database names, or else a model built
// from the running system.
func (c Connection) ReadModel(r *Call) (*readmodel.Model, func(), error) {
	settings, err := c.Settings(r)
	if err != nil {
		return nil, nil, err
	}
	return c.ModelOf(r, settings.Reports)
}

// FreshModel builds a read model from the events of DECISIONS that match filters, all of them if there are
// none. Unlike a file, it never lags.
func (c Connection) FreshModel(r *Call, filters ...string) (*readmodel.Model, func(), error) {
	return c.ModelOf(r, decisions.ReadAfresh, filters...)
}

// ModelOf opens the read model that settings name; see [decisions.ReadModel].
func (c Connection) ModelOf(r *Call, settings config.Reports, filters ...string) (*readmodel.Model, func(), error) {
	return c.ModelBy(r, settings, nil, filters...)
}

// ModelBy is [Connection.ModelOf] with the rules by which runs are judged.
func (c Connection) ModelBy(r *Call, settings config.Reports, by *decisions.Reading, filters ...string) (*readmodel.Model, func(), error) {
	broker, _, err := c.Open(r)
	if err != nil {
		return nil, nil, err
	}
	model, err := decisions.ReadModelBy(r, settings, by, broker, filters...)
	if err != nil {
		return nil, nil, err
	}
	return model, func() { _ = model.Close() }, nil // nothing was written
}
