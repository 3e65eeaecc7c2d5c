// Package embedded runs nats-server with JetStream in this process, for
// `scaffoldwatch up` and for tests. Services connect to a server of their own and
// do not link this package.
//
// # Staging in memory
//
// Before nats-server writes an atomic batch to a stream with one replica, it
// assembles it in a file store of its own, made, synced and removed for every
// batch in the subdirectory batches of the stream. No setting moves that
// directory or skips its sync (with several replicas the server itself assembles
// batches in memory). The package therefore replaces it by a link into /dev/shm.
// One batch, every write synced, median of 200 (BenchmarkAtomicBatch in package
// nats, two cores shared with other builds):
//
//	messages   on disk   in memory
//	       2     19 ms      1.0 ms
//	      20     19 ms      1.3 ms
//	     200     19 ms      2.7 ms
//
// On a quiet machine the disk costs 4 to 5 ms, the batch in memory under 1 ms.
// What is acknowledged is still synced to disk first. The directory is read again
// only after a crash in the middle of a commit: it survives a crash of the
// process; after one of the machine, the part of the batch that reached the
// stream has no checkpoint, so no reader accepts it (EV-6).
//
// The link relies on the server's directory layout. Where it cannot be made, on
// a platform without /dev/shm or with a server of another layout, the server
// stages on disk, and the log says so once.
package embedded

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsclient "github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// Name is the server's name, by which clients recognize a system that `up` runs.
const Name = "scaffoldwatch"

// Options configure an embedded server.
type Options struct {
	// Dir holds the streams. It is made if missing; one process at a time may
	// use it.
	Dir string
	// Host and Port make it listen, Port -1 on any free one; with Port 0 only
	// this process can connect.
	Host string
	Port int
	// LazySync uses the broker's own sync interval of two minutes: faster, but a
	// power loss loses acknowledged data. The default syncs each write.
	LazySync bool
	// MaxStore limits the bytes on disk; 0: the size of the disk. The broker's own default, three
	// quarters of what is free when it starts, refuses writes after a start on a disk that is nearly
	// full, also when there is room again.
	MaxStore int64
	// Users are who may connect over the network; without any everybody may. This
	// process always may.
	Users []User
	Log   *slog.Logger
}

// Server is an embedded nats-server with JetStream.
type Server struct {
	ns      *server.Server
	own     own
	lock    *dirLock
	staging staging
	broken  broken
}

// Start starts an embedded server and waits until it is ready.
func Start(o Options) (*Server, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Server{lock: lock, staging: staging{root: stagingRoot, streams: filepath.Join(o.Dir, "streams"), log: o.Log}}
	if err := s.start(o); err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return s, nil
}

func (s *Server) start(o Options) error {
	host := o.Host
	if host == "" {
		host = "127.0.0.1"
	}
	if _, size, err := room(o.Dir); err == nil && o.MaxStore == 0 {
		o.MaxStore = int64(min(size, math.MaxInt64)) //nolint:gosec // bounded
	}
	options := &server.Options{
		ServerName: Name, JetStream: true, StoreDir: s.staging.streams,
		SyncAlways: !o.LazySync, JetStreamMaxStore: o.MaxStore, DisableJetStreamBanner: true,
		DontListen: o.Port == 0, Host: host, Port: o.Port, MaxPayload: nats.MaxPayload, NoSigs: true, NoLog: o.Log == nil,
	}
	if err := s.admit(options, o.Users); err != nil {
		return err
	}
	ns, err := server.NewServer(options)
	if err != nil {
		return fmt.Errorf("configure the embedded server: %w", err)
	}
	if o.Log != nil {
		ns.SetLoggerV2(&serverLog{log: o.Log, broken: &s.broken}, false, false, false)
	}
	left := s.staging.left()
	if !ready(ns, o.Log) {
		return fmt.Errorf("the embedded server is not ready %s after it opened its files "+
			"(host %s port %d in use, or %s not writable?)", readyWithin, host, o.Port, o.Dir)
	}
	s.ns = ns
	if left != "" {
		_ = os.RemoveAll(left) // the server has read what it needed
	}
	s.StageInMemory()
	return nil
}

// readyWithin is how long a server may take to accept connections once it has read its streams.
var readyWithin = 30 * time.Second

// ready starts the server, waits until it accepts connections, and reports whether it does. Before that it
// reads its streams, after a crash all of them, which takes as long as they are large: about 3 s for each GB
// on a machine at rest.
func ready(ns *server.Server, log *slog.Logger) bool {
	started := make(chan struct{})
	go func() {
		defer close(started)
		ns.Start()
	}()
	for began, over := time.Now(), false; !ns.ReadyForConnections(readyWithin); {
		select {
		case <-started:
			if over {
				ns.Shutdown()
				ns.WaitForShutdown()
				return false
			}
			over = true
		default:
			if log != nil {
				log.Info("the embedded server is still opening its files", "for", time.Since(began).Round(time.Second))
			}
		}
	}
	return true
}

// hasStreams reports whether the server holds a stream.
func (s *Server) hasStreams() bool {
	info, err := s.ns.Jsz(nil)
	return err == nil && info.Streams > 0
}

// InProcessConn connects without a network, for [nats.Connect].
func (s *Server) InProcessConn() (net.Conn, error) { return s.ns.InProcessConn() }

// URL returns the address at which the server listens, "" if it does not.
func (s *Server) URL() string {
	if s.ns.Addr() == nil {
		return ""
	}
	return "nats://" + s.ns.Addr().String()
}

// Messages returns how many messages the server has received and sent.
func (s *Server) Messages() (int64, error) {
	v, err := s.ns.Varz(nil)
	if err != nil {
		return 0, fmt.Errorf("ask the embedded server: %w", err)
	}
	return v.InMsgs + v.OutMsgs, nil
}

// Room returns the free space and the size of the disk of the streams, in bytes.
func (s *Server) Room() (free, size uint64, err error) { return room(s.staging.streams) }

// Broken returns what the server said when its storage first failed, "" while it works. From then on
// it refuses writes until it is started again, also when the cause is gone; to a request that would
// only be checked it answers as if nothing were wrong. A server without a log never says so.
func (s *Server) Broken() string { return s.broken.text() }

// Shutdown stops the server, waits for its end and frees the data directory.
// Connections must be closed or drained before.
func (s *Server) Shutdown() error { return errors.Join(s.stop(), s.lock.release()) }

func (s *Server) stop() error {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	return s.staging.remove()
}

// dirLock keeps other processes out of a data directory while this one runs. The
// operating system frees it when the process ends, however it ends.
type dirLock struct{ file *os.File }

// Hold keeps other processes out of a directory until the closer is closed.
func Hold(dir string) (io.Closer, error) {
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	return lock.file, nil
}

func lockDir(dir string) (*dirLock, error) {
	path := filepath.Join(dir, "lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the directory: %w", err)
	}
	if err := lockFile(file); err != nil {
		defer file.Close()
		holder, _ := io.ReadAll(io.LimitReader(file, 20))
		return nil, fmt.Errorf("directory %s is in use by process %s: stop that, or choose another directory (%w)",
			dir, strings.TrimSpace(string(holder)), err)
	}
	if err := file.Truncate(0); err != nil {
		return nil, fmt.Errorf("write the lock of the directory: %w", err)
	}
	if _, err := fmt.Fprintf(file, "%d\n", os.Getpid()); err != nil {
		return nil, fmt.Errorf("write the lock of the directory: %w", err)
	}
	return &dirLock{file: file}, nil
}

// release frees the directory. The file stays: removing it would let two
// processes lock two files of one name.
func (l *dirLock) release() error { return l.file.Close() }

// serverLog forwards the server's log lines, and notes the one that says that its storage failed.
type serverLog struct {
	log    *slog.Logger
	broken *broken
}

func (l *serverLog) Noticef(f string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(f, v...)) }
func (l *serverLog) Warnf(f string, v ...any)   { l.log.Warn("nats: " + fmt.Sprintf(f, v...)) }
func (l *serverLog) Fatalf(f string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(f, v...)) }
func (l *serverLog) Debugf(f string, v ...any)  {}
func (l *serverLog) Tracef(f string, v ...any)  {}

// Errorf also notes what broke.
func (l *serverLog) Errorf(f string, v ...any) {
	line := fmt.Sprintf(f, v...)
	l.log.Error("nats: " + line)
	l.broken.hear(line)
}

// storageFails are parts of the server's lines about storage that it writes to no more.
var storageFails = []string{"critical write error", "no space left on device", "will be disabled"}

// broken is the first line of the server that says that its storage failed.
type broken struct {
	mu   sync.Mutex
	line string
}

func (b *broken) hear(line string) {
	low := strings.ToLower(line)
	for _, part := range storageFails {
		if strings.Contains(low, part) {
			b.mu.Lock()
			if b.line == "" {
				b.line = line
			}
			b.mu.Unlock()
			return
		}
	}
}

func (b *broken) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.line
}

// User is who may connect over the network: whoever has the seed of a public
// nkey.
type User struct {
	PublicKey string
	// Rights hold the user to some subjects; nil allows everything.
	Rights *Rights
}

// Rights are the subjects to which a user may publish and subscribe.
type Rights struct{ Publish, Subscribe []string }

// own is the key of this process, new at each start and nowhere else.
type own struct {
	pair   nkeys.KeyPair
	public string
}

func newOwn() (own, error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return own{}, fmt.Errorf("make a key: %w", err)
	}
	public, err := pair.PublicKey()
	return own{pair, public}, err
}

// admit has the server refuse whoever is none of the users. This process logs in
// with a key of its own and may do everything.
func (s *Server) admit(o *server.Options, users []User) error {
	if len(users) == 0 {
		return nil
	}
	key, err := newOwn()
	if err != nil {
		return err
	}
	s.own = key
	o.Nkeys = []*server.NkeyUser{{Nkey: key.public}}
	for _, u := range users {
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: u.PublicKey, Permissions: u.Rights.permissions()})
	}
	return nil
}

func (r *Rights) permissions() *server.Permissions {
	if r == nil {
		return nil
	}
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: r.Publish},
		Subscribe: &server.SubjectPermission{Allow: r.Subscribe},
	}
}

// Login returns how a connection of this process logs in, nothing where everybody
// may connect.
func (s *Server) Login() []nats.Option {
	if s.own.pair == nil {
		return nil
	}
	return []nats.Option{natsclient.Nkey(s.own.public, s.own.pair.Sign)}
}
