package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Record is one event of DECISIONS with its place.
type Record struct {
	Sequence, Anchor uint64
	Event            events.Event // without a type, only the position counts
}

// Options configure a Service.
type Options struct {
	File   *File
	Words  *notice.Words
	Path   string // path of the outbox; "" keeps it in memory
	Log    *slog.Logger
	Env    func(string) string
	Client *http.Client
	// Now returns the time; nil means the system clock.
	Now func() time.Time
}

// Service notifies people: events in, messages out.
type Service struct {
	desk   *notice.Desk
	posts  map[string]*Post
	path   string
	log    *slog.Logger
	now    func() time.Time
	outbox *Outbox
	lock   *outboxLock

	busy    map[string]bool // channels with an attempt in progress
	results chan outcome
	tries   sync.WaitGroup
	dirty   bool
}

type outcome struct {
	channel, key string
	err          error
}

// New reads the outbox, which the service holds exclusively until Close, and returns the service; the error
// wraps [ErrInUse] if another process holds it.
func New(o Options) (*Service, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	posts, err := o.File.Posts(o.Env, o.Client)
	if err != nil {
		return nil, fmt.Errorf("notifications: %w", err)
	}
	s := &Service{path: o.Path, log: o.Log, now: o.Now, posts: map[string]*Post{}, busy: map[string]bool{}, results: make(chan outcome)}
	marks := map[string]string{}
	for _, p := range posts {
		s.posts[p.ID], marks[p.ID] = p, p.mark
	}
	if s.desk, err = notice.NewDesk(o.Words, o.File.settings(marks)); err != nil {
		return nil, fmt.Errorf("notifications: %w", err)
	}
	if s.lock, err = lockOutbox(o.Path); err != nil {
		return nil, err
	}
	note := ""
	if s.outbox, note, err = openOutbox(o.Path, notice.NewState(o.Now())); err != nil {
		return nil, errors.Join(err, s.lock.release())
	}
	if note != "" {
		s.log.Warn(note)
	}
	return s, nil
}

// Close releases the outbox.
func (s *Service) Close() error { return s.lock.release() }

// Position returns how far it has read.
func (s *Service) Position() Position { return s.outbox.Position }

// Begin switches to reading another stream, from its beginning; what is pending is still sent.
func (s *Service) Begin(stream string) { s.outbox.Position, s.dirty = Position{Stream: stream}, true }

// Source returns the available events, waiting for the first until the deadline; none if it passed. Caught
// means that no more are available.
type Source func(ctx context.Context, wait time.Duration) (batch []Record, caught bool, err error)

// Recorder publishes a fact, notification.sent or notification.held.
type Recorder func(ctx context.Context, e events.Event) error

// idle is the longest wait for an event; between waits, outcomes of attempts are collected.
const idle = 200 * time.Millisecond

// Run runs until ctx ends or reading fails. It then waits for attempts in progress, so that they are not
// repeated.
func (s *Service) Run(ctx context.Context, source Source, record Recorder) error {
	defer s.drain()
	for ctx.Err() == nil {
		batch, caught, err := source(ctx, s.wait())
		if err != nil {
			return err
		}
		s.fold(batch)
		s.collect()
		if caught {
			s.desk.Tick(s.outbox.State, s.now())
		}
		if err := s.save(); err != nil {
			return err
		}
		s.send(ctx)
		s.record(ctx, record)
	}
	return nil
}

// wait returns the time until something is due, at most idle.
func (s *Service) wait() time.Duration {
	next := s.desk.Next(s.outbox.State, s.busy, s.now())
	if next.IsZero() {
		return idle
	}
	return min(max(next.Sub(s.now()), time.Millisecond), idle)
}

func (s *Service) fold(batch []Record) {
	for _, r := range batch {
		if r.Sequence <= s.outbox.Position.Sequence {
			continue // read before
		}
		s.outbox.Position.Sequence, s.outbox.Position.Anchor = r.Sequence, r.Anchor
		if r.Event.Type != "" {
			s.desk.Apply(s.outbox.State, r.Event, s.now())
			s.forget(r.Event)
		}
		s.dirty = true
	}
}

// forget removes an outbox that was set aside as broken, which may contain what an operator erased (AU-40).
func (s *Service) forget(e events.Event) {
	if e.Type != runevents.TypeContentPurged || s.path == "" {
		return
	}
	if err := os.Remove(s.path + brokenEnd); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Warn("a broken outbox, which may quote erased content, could not be removed", "error", err)
	}
}

// collect handles the outcomes of attempts.
func (s *Service) collect() {
	for {
		select {
		case o := <-s.results:
			s.finish(o)
		default:
			return
		}
	}
}

func (s *Service) finish(o outcome) {
	delete(s.busy, o.channel)
	s.dirty = true
	s.desk.Done(s.outbox.State, o.key, result(o.err), s.now())
	if o.err != nil {
		s.log.Warn("a notification was rejected", "channel", o.channel, "message", o.key, "why", o.err.Error())
	}
}

func (s *Service) save() error {
	if !s.dirty {
		return nil
	}
	if err := s.outbox.write(s.path); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

// send starts the attempts that are due, concurrently: a slow channel does not delay the others.
func (s *Service) send(ctx context.Context) {
	for _, m := range s.desk.Due(s.outbox.State, s.busy, s.now()) {
		post := s.posts[m.Channel]
		s.busy[m.Channel] = true
		s.tries.Add(1)
		go func() {
			defer s.tries.Done()
			// An attempt that has begun is completed, within its time limit.
			err := post.Send(context.WithoutCancel(ctx), &m)
			s.results <- outcome{m.Channel, m.Key, err}
		}()
	}
}

// drain waits for attempts in progress and records their outcomes.
func (s *Service) drain() {
	done := make(chan struct{})
	go func() { s.tries.Wait(); close(done) }()
	for {
		select {
		case o := <-s.results:
			s.finish(o)
		case <-done:
			if err := s.save(); err != nil {
				s.log.Warn("the outbox of notifications was not written", "error", err)
			}
			return
		}
	}
}

// factsAtOnce limits how many facts are recorded before events are read again.
const factsAtOnce = 50

// record publishes pending facts; one that fails is retried later.
func (s *Service) record(ctx context.Context, publish Recorder) {
	for n := 0; n < factsAtOnce && len(s.outbox.State.Facts) > 0; n++ {
		fact := s.outbox.State.Facts[0]
		if err := publish(ctx, fact.Event()); err != nil {
			if ctx.Err() == nil {
				s.log.Warn("a notification was not recorded, retrying", "error", err)
			}
			return
		}
		s.outbox.State.Recorded(fact.ID)
		s.dirty = true
	}
}

// ErrInUse is returned if another process uses the same outbox.
var ErrInUse = errors.New("another reporter uses the same outbox")

// outboxLock keeps a second reporter away from an outbox: both would send everything, and overwrite each
// other's records. The operating system releases it when the process ends, however it ends.
type outboxLock struct{ file *os.File }

func lockOutbox(path string) (*outboxLock, error) {
	if path == "" {
		return &outboxLock{}, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, fmt.Errorf("create the folder of the outbox: %w", err)
	}
	file, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the outbox: %w", err)
	}
	if err := lockFile(file); err != nil {
		defer file.Close()
		holder, _ := io.ReadAll(io.LimitReader(file, 20))
		return nil, fmt.Errorf("%w %s (process %s)", ErrInUse, path, strings.TrimSpace(string(holder)))
	}
	if err := errors.Join(file.Truncate(0), written(fmt.Fprintf(file, "%d\n", os.Getpid()))); err != nil {
		return nil, fmt.Errorf("write the lock of the outbox: %w", errors.Join(err, file.Close()))
	}
	return &outboxLock{file: file}, nil
}

func written(_ int, err error) error { return err }

// release releases the outbox. The file remains: removing it could let two processes lock two files with
// the same name.
func (l *outboxLock) release() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
