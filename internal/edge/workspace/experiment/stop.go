package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Response is a complete response of a session whose workspace is on this machine.
type Response struct {
	Session, Run string
	Workspace    string
	Text         string // its last text
	Turn         int    // the turn that it ended
	At           time.Time

	kinds []sessionevents.CheckKind // that its text claims to have passed
}

// AtStop runs the checks that a response claims to have passed, once it is complete (JD-21). It runs only
// commands that a person has allowed in that folder, one at a time, each with a limit, and none twice on
// the same tree.
type AtStop struct {
	Finder   *Finder
	Claims   *ledger.Config
	Consents Consents
	Limit    time.Duration // of one check
	Redact   func(string) string
	Publish  func(context.Context, *sessionevents.CheckObserved) error
	Log      *slog.Logger

	mu      sync.Mutex
	waiting []Response
	wake    chan struct{}
	busy    map[string]time.Time // time of the last activity in a workspace
	asked   map[string]bool      // commands that were logged as not allowed
	ran     map[string]string    // the tree on which a folder's command last finished
}

// maxStopped limits the pending responses, and what is remembered of folders.
const (
	maxStopped = 16
	maxFolders = 1000
)

// Seen records activity in a workspace.
func (s *AtStop) Seen(workspace string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy == nil || len(s.busy) >= maxFolders {
		s.busy = map[string]time.Time{}
	}
	s.busy[workspace] = at
}

// Stopped queues a complete response, without blocking. Only the latest of a workspace counts; beyond
// sixteen workspaces the oldest is dropped.
func (s *AtStop) Stopped(r Response) {
	if r.kinds = Claimed(s.Claims, r.Text); len(r.kinds) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(w Response) bool { return w.Workspace == r.Workspace })
	if len(s.waiting) >= maxStopped {
		s.waiting = s.waiting[1:]
	}
	s.waiting = append(s.waiting, r)
	select {
	case s.awake() <- struct{}{}:
	default:
	}
}

// awake returns the channel that signals pending responses. The caller holds the lock.
func (s *AtStop) awake() chan struct{} {
	if s.wake == nil {
		s.wake = make(chan struct{}, 1)
	}
	return s.wake
}

// Run checks pending responses until ctx ends; a running check is then killed with everything that it
// started.
func (s *AtStop) Run(ctx context.Context) {
	s.mu.Lock()
	wake := s.awake()
	s.mu.Unlock()
	for {
		if r, found := s.next(); found {
			s.check(ctx, r)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		}
	}
}

func (s *AtStop) next() (Response, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return Response{}, false
	}
	r := s.waiting[0]
	s.waiting = s.waiting[1:]
	return r, true
}

// check runs the checks that one response claims.
func (s *AtStop) check(ctx context.Context, r Response) {
	for _, kind := range r.kinds {
		if ctx.Err() != nil || !IsFolder(r.Workspace) {
			return
		}
		command, found := s.Finder.Find(r.Workspace, kind)
		if !found || !s.may(r, command) {
			continue
		}
		if err := s.one(ctx, r, command); err != nil && ctx.Err() == nil {
			s.Log.Warn("a check after a response was not made",
				"session", r.Session, "command", command.Line(), "error", err)
		}
	}
}

// may reports whether a person allowed the command in the folder; if not, that is logged once.
func (s *AtStop) may(r Response, c Command) bool {
	given, err := s.Consents.Given(r.Workspace, c)
	if err != nil {
		s.Log.Warn("nothing is run after a response", "error", err)
		return false
	}
	key := r.Workspace + "\x00" + c.Line()
	if given || s.asked[key] {
		return given
	}
	if s.asked == nil || len(s.asked) >= maxFolders {
		s.asked = map[string]bool{}
	}
	s.asked[key] = true
	s.Log.Info("a check may not run yet; say yes to it once: scaffoldwatch done "+r.Session+" --run",
		"command", c.Line(), "from", c.From, "folder", r.Workspace)
	return false
}

// one runs one check and publishes its receipt.
func (s *AtStop) one(ctx context.Context, r Response, c Command) error {
	key := r.Workspace + "\x00" + c.Line()
	if tree := Tree(ctx, r.Workspace); tree != "" && s.ran[key] == tree {
		s.Log.Debug("a check is not run again: nothing changed since its receipt",
			"session", r.Session, "command", c.Line())
		return nil
	}
	began := time.Now()
	later := Later(ctx, r.Workspace, r.At)
	receipt, err := s.Finder.Run(ctx, c, r.Workspace, s.Limit)
	if err != nil {
		return err
	}
	if s.moved(ctx, r, receipt, began) {
		return errors.New("the workspace was worked in and changed while it ran: its result applies to neither state")
	}
	receipt.Session, receipt.Run, receipt.Turn, receipt.By = r.Session, r.Run, r.Turn, sessionevents.ByConfiguration
	receipt.Later, receipt.Summary = later, s.Redact(receipt.Summary)
	if err := s.Publish(ctx, receipt); err != nil {
		return err
	}
	if s.ran == nil || len(s.ran) >= maxFolders {
		s.ran = map[string]string{}
	}
	if s.ran[key] = receipt.Tree; receipt.Check.Result == sessionevents.CheckUnknown {
		delete(s.ran, key)
	}
	return nil
}

// moved reports whether somebody worked in the workspace while a check ran, and changed it.
func (s *AtStop) moved(ctx context.Context, r Response, receipt *sessionevents.CheckObserved, began time.Time) bool {
	s.mu.Lock()
	busy := s.busy[r.Workspace].After(began)
	s.mu.Unlock()
	return busy && Tree(ctx, r.Workspace) != receipt.Tree
}

// Claimed returns the kinds of checks that a text claims to have passed, each once.
func Claimed(claims *ledger.Config, text string) (kinds []sessionevents.CheckKind) {
	for _, kind := range claims.Questions(text).Checks {
		if check := OfClaim(kind); check != "" && !slices.Contains(kinds, check) {
			kinds = append(kinds, check)
		}
	}
	return kinds
}

// OfClaim returns the kind of check that decides a claim, "" if no check of a project does.
func OfClaim(kind sessionevents.ClaimKind) sessionevents.CheckKind {
	switch kind {
	case sessionevents.ClaimTests:
		return sessionevents.CheckTest
	case sessionevents.ClaimBuild:
		return sessionevents.CheckBuild
	case sessionevents.ClaimLint:
		return sessionevents.CheckLint
	}
	return ""
}

// Consents are the commands that a person allowed in a repository, stored in a file in the user's
// configuration directory, so that no repository can bring its own. A command that changes has to be
// allowed again.
type Consents struct{ File string }

// consent is one allowed command.
type consent struct {
	Folder  string `json:"folder"`
	Command string `json:"command"`
}

// maxConsents limits the size of the file.
const maxConsents = 1000

// Default returns the user's file of consents.
func Default() (Consents, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return Consents{}, fmt.Errorf("find your configuration directory: %w", err)
	}
	return Consents{filepath.Join(folder, "scaffoldwatch", "checks.json")}, nil
}

func (c Consents) read() (list []consent, err error) {
	text, err := os.ReadFile(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read what may run: %s: %w", c.File, err)
	}
	return list, nil
}

// Given reports whether a command may run in a folder.
func (c Consents) Given(folder string, command Command) (bool, error) {
	list, err := c.read()
	return slices.Contains(list, consent{folder, command.Line()}), err
}

// Give records that a command may run in a folder.
func (c Consents) Give(folder string, command Command) error {
	list, err := c.read()
	if err != nil {
		return err
	}
	list = append(list, consent{folder, command.Line()})
	text, err := json.MarshalIndent(list[max(0, len(list)-maxConsents):], "", "  ")
	if err != nil {
		return fmt.Errorf("remember what may run: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o700); err != nil {
		return fmt.Errorf("remember what may run: %w", err)
	}
	temporary := c.File + ".new"
	if err := os.WriteFile(temporary, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember what may run: %w", err)
	}
	if err := os.Rename(temporary, c.File); err != nil {
		return fmt.Errorf("remember what may run: %w", err)
	}
	return nil
}
