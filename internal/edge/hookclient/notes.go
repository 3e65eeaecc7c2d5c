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
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
)

const (
	noteAge  = 7 * 24 * time.Hour // after which a note is removed
	maxNotes = 1000               // of which the rest is removed
	hangAge  = 30 * time.Second   // how long a system that hung gets little time
)

// Folder returns the folder of the notes in the user's cache, "" without one.
func Folder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "scaffoldwatch", "hook")
}

// note returns the message to the person about a missing answer: once in a session
// for each kind of problem, "" afterwards.
func (c Call) note(session string, problem error) string {
	kind, text := c.told(problem)
	if c.Notes == "" || !first(c.Notes, "told", c.Agent.Agent, session, kind) {
		return ""
	}
	return text
}

// told words a problem and the cure.
func (c Call) told(problem error) (kind, text string) {
	var no refused
	switch {
	case errors.Is(problem, errTooLong):
		return "hangs", "scaffoldwatch does not answer; this session continues unwatched until it does. See `scaffoldwatch doctor`."
	case !errors.As(problem, &no):
		return "down", "scaffoldwatch is not running, so nobody is interrupted and nothing is reported; the guard before destructive commands holds: start `scaffoldwatch up`, or `scaffoldwatch uninstall`"
	case no.status == http.StatusUnauthorized || no.status == http.StatusForbidden:
		return "token", "scaffoldwatch does not accept the hooks of " + c.Agent.Agent + " (no valid token): " +
			c.tokenCure() + ", or set " + VariableToken + "."
	case no.status == http.StatusServiceUnavailable:
		return "starting", "scaffoldwatch is not ready; this session continues unwatched until it is. See `scaffoldwatch doctor`."
	}
	return "refused", "scaffoldwatch does not accept this session's hooks; it continues unwatched. See `scaffoldwatch doctor`."
}

// tokenCure says how the agent gets its token: one of this machine's system is made here, that of a
// system elsewhere is made there (docs/install.md).
func (c Call) tokenCure() string {
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" || loopback.Is(u.Hostname()) {
		return "run `scaffoldwatch install --agent " + c.Agent.Agent + "`"
	}
	return "put " + c.Agent.Agent + ".token, made where the system at " + u.Hostname() + " runs, into " +
		hooktoken.Folder(os.Getenv) + " (ask who runs it)"
}

// name is the file of a note.
func name(folder string, parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		sum.Write([]byte(p))
		sum.Write([]byte{0})
	}
	return filepath.Join(folder, hex.EncodeToString(sum.Sum(nil)[:16]))
}

// first reports whether nothing was noted under a name yet, and notes it. Where
// nothing can be noted it is false: silence is better than a line per call.
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

// tidy removes old notes, and more where there are too many.
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

// hung reports whether a system did not answer in time a moment ago.
func hung(folder, address string) bool {
	info, err := os.Stat(name(folder, "hung", address))
	return err == nil && time.Since(info.ModTime()) < hangAge
}

func noteHang(folder, address string) {
	path := name(folder, "hung", address)
	if hung(folder, address) || os.MkdirAll(folder, 0o700) != nil {
		return // the time of the first one counts, so that it is tried again
	}
	_ = os.WriteFile(path, nil, 0o600)
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// Bounds of the note of the last answer.
const (
	answeredEvery = time.Minute   // is it renewed
	answeredAge   = 2 * time.Hour // after which no session is still under way that it answered
)

// noteAnswered notes that a system answers.
func noteAnswered(folder string) {
	path := name(folder, "answered")
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < answeredEvery || os.MkdirAll(folder, 0o700) != nil {
		return
	}
	_ = os.WriteFile(path, nil, 0o600)
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// heardEvery is how often it is noted that an agent called its hook.
const heardEvery = time.Minute

// noteHeard notes that an agent called its hook.
func noteHeard(folder, agent string) {
	path := name(folder, "heard", agent)
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < heardEvery || os.MkdirAll(folder, 0o700) != nil {
		return
	}
	_ = os.WriteFile(path, nil, 0o600)
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// Heard is when an agent called its hook last, to the minute; the zero time where no note is left of it.
func Heard(folder, agent string) time.Time {
	info, err := os.Stat(name(folder, "heard", agent))
	if folder == "" || err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// begins reports whether a session that no hook without a system saw yet only begins: what
// it changed before would look like somebody else's.
func (c Call) begins(e *hook.Event) bool {
	if e.Call().Opens {
		return true
	}
	info, err := os.Stat(name(c.Notes, "answered"))
	return e.Point == hook.PointPrompt && (err != nil || time.Since(info.ModTime()) > answeredAge)
}
