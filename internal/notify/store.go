package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
)

// brokenEnd is the suffix of an outbox that could not be read.
const brokenEnd = ".broken"

// version is the schema version of the outbox's file.
const version = 1

// Position is how far DECISIONS has been read.
type Position struct {
	Stream   string `json:"stream"`
	Sequence uint64 `json:"sequence"`
	Anchor   uint64 `json:"anchor"`
}

// Outbox is the content of the outbox's file.
type Outbox struct {
	Version  int           `json:"version"`
	Position Position      `json:"position"`
	State    *notice.State `json:"state"`
}

// ErrNewer is returned if a newer scaffoldwatch wrote the file.
var ErrNewer = errors.New("the outbox of notifications was written by a newer scaffoldwatch; upgrade, or name another file")

// ReadOutbox reads the file; the error wraps [fs.ErrNotExist] if it does not exist.
func ReadOutbox(path string) (*Outbox, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the outbox of notifications: %w", err)
	}
	o := &Outbox{}
	if err := json.Unmarshal(data, o); err != nil {
		return nil, fmt.Errorf("read the outbox of notifications %s: %w", path, err)
	}
	if o.Version > version {
		return nil, fmt.Errorf("%s: %w", path, ErrNewer)
	}
	if o.State == nil {
		return nil, fmt.Errorf("read the outbox of notifications %s: it has no state", path)
	}
	return o, nil
}

// openOutbox reads the file or starts a new one; a broken one is set aside. The second result is a note for
// people.
func openOutbox(path string, begin *notice.State) (*Outbox, string, error) {
	fresh := &Outbox{Version: version, State: begin}
	if path == "" {
		return fresh, "", nil
	}
	o, err := ReadOutbox(path)
	switch {
	case err == nil:
		return o, "", nil
	case errors.Is(err, fs.ErrNotExist):
		return fresh, "", nil
	case errors.Is(err, ErrNewer), errors.Is(err, fs.ErrPermission):
		return nil, "", err
	}
	if moveErr := os.Rename(path, path+brokenEnd); moveErr != nil {
		return nil, "", errors.Join(err, moveErr)
	}
	return fresh, fmt.Sprintf("%v; it is now %s, and a new one begins", err, path+brokenEnd), nil
}

// write replaces the file atomically and syncs it: after a crash, what was sent is not sent again, and what
// was not is.
func (o *Outbox) write(path string) error {
	if path == "" {
		return nil
	}
	data, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode the outbox of notifications: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("create the folder of the outbox: %w", err)
	}
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the outbox of notifications: %w", err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write the outbox of notifications: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("replace the outbox of notifications: %w", err)
	}
	return nil
}
