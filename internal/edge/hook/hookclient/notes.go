package hookclient

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

const (
	noteAge  = 7 * 24 * time.Hour // age at which a note is removed
	maxNotes = 1000               // number of notes above which the rest is removed
	hangAge  = 30 * time.Second   // how long a system that hung is given little time
)

// Folder returns the folder of the notes in the user's cache, "" if there is none.
func Folder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "scaffoldwatch", "hook")
}

// note returns the message to the person about a missing answer, once in a session for each kind of
// problem, and "" afterwards.
func (c Call) note(session string, problem error) string {
	kind, text := c.told(problem)
	if c.Notes == "" || !first(c.Notes, "told", c.Agent.Agent, session, kind) {
		return ""
	}
	return text
}

// told describes a problem and its cure.
func (c Call) told(problem error) (kind, text string) {
	var no refused
	switch {
	case errors.Is(problem, errTooLong):
		return "hangs", "scaffoldwatch does not answer; this session continues unwatched until it does. See `scaffoldwatch doctor`."
	case !errors.As(problem, &no):
		return "down", "scaffoldwatch is not running, so nobody is interrupted and nothing is reported; destructive commands are still guarded: start `scaffoldwatch up`, or `scaffoldwatch uninstall`"
	case no.status == http.StatusUnauthorized || no.status == http.StatusForbidden:
		return "token", "scaffoldwatch does not accept the hooks of " + c.Agent.Agent + " (no valid token): " +
			c.tokenCure() + ", or set " + VariableToken + "."
	case no.status == http.StatusServiceUnavailable:
		return "starting", "scaffoldwatch is not ready; this session continues unwatched until it is. See `scaffoldwatch doctor`."
	}
	return "refused", "scaffoldwatch does not accept this session's hooks; it continues unwatched. See `scaffoldwatch doctor`."
}

// tokenCure says how the agent gets its token: for a system on this machine it is created here, for a
// remote system there (docs/install.md).
func (c Call) tokenCure() string {
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" || loopback.Is(u.Hostname()) {
		return "run `scaffoldwatch install --agent " + c.Agent.Agent + "`"
	}
	return "put " + c.Agent.Agent + ".token, made where the system at " + u.Hostname() + " runs, into " +
		hooktoken.Folder(os.Getenv) + " (ask who runs it)"
}

// name returns the file name of a note.
func name(folder string, parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		sum.Write([]byte(p))
		sum.Write([]byte{0})
	}
	return filepath.Join(folder, hex.EncodeToString(sum.Sum(nil)[:16]))
}

// first reports whether no such note exists yet, and creates it. It returns false if the note cannot be
// created: silence is better than a message for each call.
func first(folder string, parts ...string) bool {
	path := name(folder, parts...)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrNotExist) && os.MkdirAll(folder, 0o700) == nil {
		file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return false
	}
	_ = file.Close()
	tidy(folder)
	return true
}

// tidy removes old notes, and more if there are too many.
func tidy(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	age := noteAge
	if len(entries) > maxNotes {
		age = time.Hour
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > age {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// hung reports whether a system has recently failed to answer in time.
func hung(folder, address string) bool {
	info, err := os.Stat(name(folder, "hung", address))
	return err == nil && time.Since(info.ModTime()) < hangAge
}

func noteHang(folder, address string) {
	path := name(folder, "hung", address)
	if hung(folder, address) || os.MkdirAll(folder, 0o700) != nil {
		return // the time of the first failure counts, so that the system is tried again
	}
	_ = os.WriteFile(path, nil, 0o600)
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// Limits for the note of the last answer.
const (
	answeredEvery = time.Minute   // how often it is renewed
	answeredAge   = 2 * time.Hour // age after which no session that it answered is still in progress
)

// noteAnswered records that a system answers.
func noteAnswered(folder string) {
	path := name(folder, "answered")
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < answeredEvery || os.MkdirAll(folder, 0o700) != nil {
		return
	}
	_ = os.WriteFile(path, nil, 0o600)
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// heardEvery is how often a call of an agent's hook is recorded.
const heardEvery = time.Minute

// noteHeard records that an agent called its hook.
func noteHeard(folder, agent string) {
	path := name(folder, "heard", agent)
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < heardEvery || os.MkdirAll(folder, 0o700) != nil {
		return
	}
	_ = os.WriteFile(path, nil, 0o600)
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// Heard returns when an agent last called its hook, to the minute; zero if no record of it is left.
func Heard(folder, agent string) time.Time {
	info, err := os.Stat(name(folder, "heard", agent))
	if folder == "" || err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// begins reports whether a session is only beginning as far as the hooks without a system know: what it
// changed earlier would look like somebody else's work.
func (c Call) begins(e *hook.Event) bool {
	if e.Call().Opens {
		return true
	}
	info, err := os.Stat(name(c.Notes, "answered"))
	return e.Point == hook.PointPrompt && (err != nil || time.Since(info.ModTime()) > answeredAge)
}
