package nats

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Conn is a connection of the client library, so that callers need not import it.
type Conn = nats.Conn

// Option configures a connection.
type Option = nats.Option

// MaxPayload is the size of a message that a broker must accept, 8 MiB (EV-3).
const MaxPayload = 8 << 20

// A server that is frozen or cut off keeps its connections open and says nothing. Three pings
// without an answer end the connection, within 15 s of the last answer (the client library's own
// times end it after more than five minutes), and the next server of the list is tried.
const (
	pingInterval = 5 * time.Second
	pingsUnheard = 2
	// writePatience is how long a write may wait for room in the buffers of the network: nothing
	// else of the connection works meanwhile, its pings included.
	writePatience = 10 * time.Second
	// repliesAtOnce is how many messages wait for a subscription that is read one by one, at most: a batch has
	// 500, a snapshot in pieces of 128 KB has 8 MB on its way. The library's 65,536 take 512 KB for each request.
	repliesAtOnce = 4096
)

// InProcess is a server that is reached without a network.
type InProcess interface {
	InProcessConn() (net.Conn, error)
	Login() []Option // of a connection of this process
}

// ConnectOptions say where the broker is and who connects.
type ConnectOptions struct {
	URL    string    // of a server, or
	Server InProcess // an embedded one, connected to without a network
	Name   string    // shown by the server, e.g. "evaluator"
	Creds  string    // file of credentials or of an nkey seed, may be empty
	Extra  []nats.Option
	Log    *slog.Logger // of errors that no call returns; may be nil
	// OnState is called with an error when the connection is lost and with nil
	// when it is back.
	OnState func(error)
	// OnDenied is called with the broker's error when it denies this user a subject. The call
	// itself gets no error: it waits until it times out.
	OnDenied func(error)
	// OnFailed is called with the error of each failed attempt to connect; may be nil.
	OnFailed func(error)
	// Once makes Connect give up when the broker rejects the credentials.
	Once bool
	// AtOnce makes Connect give up when nothing listens there.
	AtOnce bool
}

// Connect connects, and reconnects whenever the connection is lost. The first
// attempt is repeated with growing pauses until ctx ends; the error says why it
// failed.
func Connect(ctx context.Context, o ConnectOptions) (*nats.Conn, error) {
	options, server := o.options()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		nc, err := nats.Connect(server, options...)
		if err == nil {
			return nc, nil
		}
		if o.Once && Refused(err) || o.AtOnce && Absent(err) || unreadable(err) {
			return nil, unconnected(server, err)
		}
		if o.OnFailed != nil {
			o.OnFailed(err)
		}
		timer := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("%w (gave up: %w)", unconnected(server, err), context.Cause(ctx))
		case <-timer.C:
		}
	}
}

func (o ConnectOptions) options() ([]nats.Option, string) {
	state := o.OnState
	if state == nil {
		state = func(error) {}
	}
	options := []nats.Option{
		nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.ReconnectJitter(200*time.Millisecond, 500*time.Millisecond), nats.CustomInboxPrefix("_INBOX_" + Token(o.Name)),
		// What is sent while the connection is lost must fail, not arrive late.
		nats.ReconnectBufSize(-1),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(pingsUnheard),
		nats.FlusherTimeout(writePatience), nats.ReconnectOnFlusherError(),
		nats.SyncQueueLen(repliesAtOnce),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				state(fmt.Errorf("connection to NATS lost: %w", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { state(nil) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if o.Log != nil {
				o.Log.Warn("NATS connection", "error", err)
			}
			if o.OnDenied != nil && errors.Is(err, nats.ErrPermissionViolation) {
				o.OnDenied(err)
			}
		}),
	}
	url := o.URL
	if o.Server != nil {
		options = append(append(options, nats.InProcessServer(o.Server)), o.Server.Login()...)
		url = "in-process"
	}
	if o.Creds != "" {
		options = append(options, login(o.Creds))
	}
	return append(options, o.Extra...), url
}

// Token returns a name in which everything that a subject cannot hold is replaced. With an
// inbox of its own, a connection can be permitted to read its own replies only (EV-10).
func Token(name string) string {
	kept := []byte(name)
	for i, c := range kept {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			kept[i] = '_'
		}
	}
	if len(kept) == 0 {
		return "scaffoldwatch"
	}
	return string(kept)
}

// JetStream returns the connection's JetStream context.
func JetStream(nc *nats.Conn) (jetstream.JetStream, error) {
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(5*time.Second))
	if err != nil {
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	return js, nil
}

// ErrDenied is wrapped by the errors that [ConnectOptions.OnDenied] receives.
var ErrDenied = nats.ErrPermissionViolation

// UserPassword returns the option to log in with a password.
func UserPassword(user, password string) nats.Option { return nats.UserInfo(user, password) }

// TLS returns the options for encrypted connections. The arguments are paths of PEM files, each
// of which may be empty: the authority that signed the servers' certificates, and this client's
// certificate and key. With an authority, a server without TLS is refused.
func TLS(authority, certificate, key string) []nats.Option {
	var options []nats.Option
	if authority != "" {
		options = append(options, nats.RootCAs(authority))
	}
	if certificate != "" {
		options = append(options, nats.ClientCert(certificate, key))
	}
	return options
}

// DialTimeout returns the option that limits one attempt to connect.
func DialTimeout(d time.Duration) nats.Option { return nats.Timeout(d) }

// NoDial returns the option that makes every attempt to connect fail at once, for a publisher
// that only fills its spool.
func NoDial() nats.Option { return nats.SetCustomDialer(noDial{}) }

type noDial struct{}

// Dial always fails.
func (noDial) Dial(string, string) (net.Conn, error) {
	return nil, errors.New("not tried: it did not answer a moment ago")
}

// ConnectLater returns a connection at once and connects in the background, for a caller that
// keeps what it cannot send.
func ConnectLater(o ConnectOptions) (*nats.Conn, error) {
	options, server := o.options()
	nc, err := nats.Connect(server, append(options, nats.RetryOnFailedConnect(true))...)
	if err != nil {
		return nil, unconnected(server, err)
	}
	return nc, nil
}

// unconnected is the error of an attempt to connect.
func unconnected(server string, err error) error {
	if unreadable(err) { // the library quotes all of the address
		err = errors.New("this is not the address of a server")
	}
	return fmt.Errorf("connect to NATS at %s: %w", Shown(server), err)
}

// unreadable reports whether an address has another form than that of a server.
func unreadable(err error) bool {
	var broken *url.Error
	return errors.As(err, &broken)
}

// login returns the option to log in with a file that holds either credentials with a JWT, as
// nsc writes them, or the seed of an nkey.
func login(path string) Option {
	content, err := os.ReadFile(path)
	if err != nil {
		return failing(fmt.Errorf("read the credential: %w", err))
	}
	if bytes.Contains(content, []byte("NATS USER JWT")) {
		return nats.UserCredentials(path)
	}
	seed, err := nats.NkeyOptionFromSeed(path)
	if err != nil {
		return failing(&fs.PathError{Op: "read the credential", Path: path, Err: errors.New("it holds neither NATS credentials nor an nkey seed of a user")})
	}
	return seed
}

// failing returns an option that makes every attempt to connect fail with err.
func failing(err error) Option { return func(*nats.Options) error { return err } }

// Refused reports whether connecting again cannot help: the broker rejected the user, its
// certificate is not trusted, or a credential file is missing.
func Refused(err error) bool {
	var file *fs.PathError
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate) || errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrNkeysNotSupported) || errors.As(err, &file)
}

// Shown returns a list of servers without the passwords in it, and without tokens: what is alone before the @ is one.
func Shown(servers string) string {
	list := strings.Split(servers, ",")
	for i, server := range list {
		from := 0
		if at := strings.Index(server, "://"); at >= 0 {
			from = at + len("://")
		}
		to := strings.LastIndexByte(server, '@')
		if to < from {
			continue
		}
		if at := strings.IndexByte(server[from:to], ':'); at >= 0 {
			from += at + 1
		}
		list[i] = server[:from] + "xxxxx" + server[to:]
	}
	return strings.Join(list, ",")
}

// Absent reports whether an attempt to connect failed because nothing listens at any of the addresses.
func Absent(err error) bool { // the client library's name for connections that were refused
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, syscall.ECONNREFUSED)
}

// NoStream reports whether err says that a stream does not exist.
func NoStream(err error) bool { return errors.Is(err, jetstream.ErrStreamNotFound) }
