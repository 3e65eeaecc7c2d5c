package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/atif"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// trajectory writes a session as other tools read it (IN-20).
func (c *Export) trajectory(r *cli.Call) error {
	switch {
	case c.Session == "":
		return cli.Usage(errors.New("--format atif writes one session: name it with --session ID"))
	case !events.ValidID(c.Session):
		return cli.Usage(fmt.Errorf("%q is not a session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.Session))
	case c.Out == "":
		return cli.Usage(errors.New("name the file to write: --out FILE, or - for standard output"))
	case c.Key != "" || len(c.Anchor) > 0:
		return cli.Usage(errors.New("--key and --anchor go with a bundle: a trajectory proves nothing"))
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	said, err := saidIn(r, record.Running(broker), c.Session)
	if err != nil {
		return err
	}
	if len(said) == 0 {
		return fmt.Errorf("nothing is recorded for --session %s%s", c.Session, listed)
	}
	if c.Out == "-" {
		return atif.Write(r.Stdout, c.Session, said)
	}
	return c.trajectoryFile(r, said)
}

func (c *Export) trajectoryFile(r *cli.Call, said []events.Event) error {
	out, err := newFile(c.Out, 0o600)
	if err != nil {
		return fmt.Errorf("write the trajectory: %w", err)
	}
	if err := errors.Join(atif.Write(out, c.Session, said), out.Close()); err != nil {
		return errors.Join(err, os.Remove(c.Out))
	}
	_, err = io.WriteString(r.Prose(), c.Out+": written; `scaffoldwatch scan` reads it too\n")
	return err
}

// saidIn returns the segmented turns of a session and of its group, in which its
// subagents are.
func saidIn(ctx context.Context, from record.Source, session string) (said []events.Event, err error) {
	var groups []string
	turns := record.Selection{Stream: events.StreamSegments, Type: sessionevents.TypeTurnSegmented, Session: session}
	err = from.Events(ctx, turns, func(e record.Entry) error {
		if group := e.Group(); !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the turns of session %s: %w", session, err)
	}
	for _, group := range groups {
		turns.Session, turns.Run = "", group
		err := from.Events(ctx, turns, func(e record.Entry) error {
			said = append(said, e.Event)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read the turns of the group %s: %w", group, err)
		}
	}
	return said, nil
}
