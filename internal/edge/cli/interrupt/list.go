package interrupt

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const (
	// latest limits how many interrupts are listed, each with a number (CO-7).
	latest = 10
	// listedWithin is the maximum age of a listed interrupt whose session has ended.
	listedWithin = 24 * time.Hour
)

// list prints the latest unanswered interrupts, each with a number that can be used instead of its id until
// the next list.
func (a answer) list(r *cli.Call, broker *nats.Broker) error {
	var list []readmodel.Interrupt
	var err error
	if a.in.ID != "" {
		list, err = decisions.UnansweredInterruptsOf(r, broker, a.in, latest)
	} else {
		list, err = decisions.UnansweredInterrupts(r, broker, time.Now().Add(-listedWithin), latest)
	}
	if err != nil {
		return err
	}
	if len(list) == 0 {
		if _, err := fmt.Fprintln(r.Stdout, "no interrupt waits for an answer"); err != nil {
			return err
		}
	}
	if err := a.listInterrupts(r, list); err != nil || a.act != runevents.ActAck {
		return err
	}
	return a.listEscalations(r, broker)
}

func (a answer) listInterrupts(r *cli.Call, list []readmodel.Interrupt) error {
	if len(list) == 0 {
		return nil
	}
	numbered := remember(list) == nil
	sessions := make([]string, len(list))
	for i, one := range list {
		sessions[i] = one.Session
	}
	short := naming.Short(sessions)
	for i, one := range list {
		note := one.Heed
		if note == "" {
			note = "not judged yet"
		}
		id, session := one.ID, one.Session
		if r.Theme.Interactive { // scripts read whole ids
			id, session = shortID(one.ID), short[one.Session]
			if numbered {
				id = fmt.Sprintf("%2d  %s", i+1, id)
			}
		}
		if _, err := fmt.Fprintf(r.Stdout, "%s  %s turn %d in %s (%s)\n%s", r.Theme.Strong.Render(id), one.Detector, one.Turn, session, note, r.Below(terminal.Clean(one.Message))); err != nil {
			return err
		}
	}
	how := "ID; its first letters are enough"
	if numbered {
		how = "NUMBER, counted from the top, or ID; its first letters are enough"
	}
	_, err := fmt.Fprintln(r.Stdout, r.Theme.Faint.Render("scaffoldwatch "+string(a.act)+" "+how))
	return err
}

// shortID is how much of an interrupt's id people see; it names it.
func shortID(id string) string { return id[:min(len(id), 6)] }

// listFile returns the file with the ids of the latest list.
func listFile() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache: %w", err)
	}
	return filepath.Join(cache, "scaffoldwatch", "listed.json"), nil
}

// remember stores the ids of a list, so that a number means what the person saw, whatever was said since.
func remember(list []readmodel.Interrupt) error {
	path, err := listFile()
	if err != nil {
		return err
	}
	ids := make([]string, len(list))
	for i, one := range list {
		ids[i] = one.ID
	}
	data, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("encode the list: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep the list: %w", err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("keep the list: %w", err)
	}
	return nil
}

// numbered returns the id for a number of the latest list, and any other text unchanged.
func numbered(text string) (string, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > latest {
		return text, nil
	}
	unknown := fmt.Errorf("number %d is not in the list that was printed last; `scaffoldwatch dismiss` prints one", n)
	path, err := listFile()
	if err != nil {
		return "", unknown
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", unknown
	}
	var ids []string
	if err := json.Unmarshal(data, &ids); err != nil {
		return "", errors.Join(unknown, err)
	}
	if n > len(ids) {
		return "", unknown
	}
	return ids[n-1], nil
}
