package cli

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
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
