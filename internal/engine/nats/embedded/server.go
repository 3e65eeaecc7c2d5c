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
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

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
