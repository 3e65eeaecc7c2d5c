package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Restore writes a backup into an empty system.
type Restore struct {
	cli.Operated
	Data       string   `help:"Restore into this data directory of \"up\", which must be missing or empty, instead of into a server." type:"path" placeholder:"DIR"`
	Anchor     []string `help:"Anchors of the system, to list what was recorded after the backup." placeholder:"FILE" type:"path" sep:"none"`
	AnchorKey  []string `help:"Public nkeys that sign anchors, in addition to those of security.trusted_keys." placeholder:"KEY"`
	Key        []string `help:"Public nkeys that sign backups, in addition to those of security.trusted_keys." placeholder:"KEY"`
	Unverified bool     `help:"Restore even if the content of the backup does not verify, or no trusted key has signed it. Damaged files are rejected in any case."`
	Directory  string   `arg:"" name:"dir" help:"Directory of the backup." type:"path"`
}

// Help explains where a backup can be restored.
func (Restore) Help() string {
	return `Reads the whole backup and verifies it, then writes it into an empty system: a data directory
for "up" that does not exist (--data), or a server without messages on which no service runs.
Messages keep their sequences and times. The restored system continues where the backup was
made and decides nothing twice: input that was not decided on then is decided on now, into
the same events with the same ids. Publishers send again what they published after it.

Killed in the middle, run it again: with --data nothing is at that place before all of it is;
on a server, services do not start before it is complete.

With --anchor it says which messages came after the backup and are lost, and refuses a backup
of another history. Restore the private keys, and start the services with a configuration
that trusts the same keys.

Examples:
  scaffoldwatch restore /backups/scaffoldwatch --data ./data
  SCAFFOLDWATCH_NATS_USER=admin SCAFFOLDWATCH_NATS_PASSWORD=… scaffoldwatch restore /backups/scaffoldwatch
  scaffoldwatch restore /backups/scaffoldwatch --data ./data --anchor monday.anchor`
}

// Run verifies and restores.
func (c *Restore) Run(r *cli.Call) error {
	known, anchors, err := trusted(c.Connection, r, c.Anchor, c.AnchorKey)
	if err != nil {
		return err
	}
	b, report, err := readBackup(r, c.Directory, known, backupReading{signers: c.Key, unsigned: c.Unverified})
	if err != nil {
		return err
	}
	if !report.Verified && !c.Unverified {
		return fmt.Errorf("%w, so nothing was restored: %s; see `scaffoldwatch verify %s`, or restore it as it is with --unverified", ErrFindings, report.Findings[0], c.Directory)
	}
	if err := c.beside(r, b); err != nil {
		return err
	}
	later, err := c.later(r, b, known, anchors)
	if err != nil {
		return err
	}
	restore := c.intoServer
	if c.Data != "" {
		restore = c.intoData
	}
	if err := restore(r, b); err != nil {
		return err
	}
	return c.print(r, b, later, known)
}

// beside prints what the directory holds that is not restored. That is not a reason to reject an intact
// backup that may be needed now.
func (c *Restore) beside(r *cli.Call, b *backup.Backup) error {
	extra, err := b.Extra()
	for _, name := range extra.Foreign {
		fmt.Fprintf(r.Stderr, "not restored: %s: %s\n", filepath.Join(c.Directory, name), notOfBackup)
	}
	return err
}

// later returns what the anchors cover that the backup lacks.
func (c *Restore) later(r *cli.Call, b *backup.Backup, known chain.Keys, anchors []chain.Anchor) ([]string, error) {
	if len(anchors) == 0 {
		return nil, nil
	}
	report, err := b.Verify(r, backup.Reading{Keys: known, Anchors: anchors})
	if err != nil {
		return nil, err
	}
	later, other := b.Later(report, anchors)
	if len(other) > 0 && !c.Unverified {
		return nil, fmt.Errorf("%w, so nothing was restored: the backup is not of the history that was anchored: %s", ErrFindings, other[0])
	}
	return later, nil
}

// intoServer restores into the server given by the configuration or --server.
func (c *Restore) intoServer(r *cli.Call, b *backup.Backup) error {
	if err := operatorOnly(r, c.Operated, "restore the backup of "+b.Made.Format("2006-01-02T15:04:05Z")); err != nil {
		return err
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	if err := c.into(r, b, broker); err != nil {
		return c.hint(err)
	}
	return nil
}

// hint adds advice about a system that "up" runs.
func (c *Restore) hint(err error) error {
	if errors.Is(err, backup.ErrNotEmpty) {
		return fmt.Errorf("%w\nto restore a system of `scaffoldwatch up`: stop it and restore into a data directory of its own, with --data DIR", err)
	}
	return err
}

func (c *Restore) into(r *cli.Call, b *backup.Backup, broker *nats.Broker) error {
	bar := &bars{out: r}
	defer bar.done()
	return b.Restore(r, broker, now(), func(stream string, done, of uint64) { bar.at(events.Stream(stream), done, of) })
}

// intoData restores into a directory that is moved into place once it is complete.
func (c *Restore) intoData(r *cli.Call, b *backup.Backup) (err error) {
	if c.Server != "" {
		return cli.Usage(errors.New("--data and --server are mutually exclusive"))
	}
	if err := absent(c.Data); err != nil {
		return err
	}
	if _, err := c.AsOperator(r, fmt.Sprintf("restore the backup of %s into %s", b.Made.Format("2006-01-02T15:04:05Z"), c.Data)); err != nil {
		return err
	}
	part := filepath.Clean(c.Data) + ".restoring"
	if err := os.MkdirAll(part, 0o700); err != nil {
		return fmt.Errorf("create the data directory: %w; name one in a directory that you may write to", err)
	}
	held, err := embedded.Hold(part)
	if err != nil {
		return err
	}
	defer held.Close()
	data := filepath.Join(part, "data")
	if err := os.RemoveAll(data); err != nil { // left by a restore that was killed
		return fmt.Errorf("remove what an interrupted restore left: %w", err)
	}
	if err := c.fill(r, b, data); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	if err := os.Remove(c.Data); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace the empty data directory: %w", err)
	}
	if err := os.Rename(data, c.Data); err != nil {
		return fmt.Errorf("move the restored data to its place: %w", err)
	}
	return os.RemoveAll(part)
}

// absent rejects a data directory that is not empty.
func absent(data string) error {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look into the data directory: %w; name a directory that does not exist", err)
	}
	return fmt.Errorf("%w: %s is not empty; name a directory that does not exist", backup.ErrNotEmpty, data)
}

// fill restores with a server in this process, and syncs everything to disk.
func (c *Restore) fill(r *cli.Call, b *backup.Backup, data string) (err error) {
	server, err := embedded.Start(embedded.Options{Dir: data, LazySync: true})
	if err != nil {
		return err
	}
	err = c.serve(r, b, server)
	if err = errors.Join(err, server.Shutdown()); err != nil {
		return err
	}
	return syncAll(data)
}

func (c *Restore) serve(r *cli.Call, b *backup.Backup, server *embedded.Server) error {
	settings, err := c.Settings(r)
	if err != nil {
		return err
	}
	settings.Streams.Replicas = 1
	ctx, cancel := context.WithTimeout(r, cli.Patience)
	defer cancel()
	nc, err := nats.Connect(ctx, nats.ConnectOptions{Server: server, Name: "restore"})
	if err != nil {
		return err
	}
	defer nc.Close()
	broker, err := nats.Open(nc, link.Topology(settings), nats.Keys{}, nil)
	if err != nil {
		return err
	}
	return c.into(r, b, broker)
}

// syncAll syncs every file of a directory, so that it survives a power failure.
func syncAll(dir string) error {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return gone(err)
		}
		file, err := os.Open(path)
		if err != nil {
			return gone(err)
		}
		return errors.Join(file.Sync(), file.Close())
	})
	if err != nil {
		return fmt.Errorf("write the restored data to the disk: %w", err)
	}
	return nil
}

// gone ignores a missing file: a broker that is stopping still removes the stream that marked the restore.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c *Restore) print(r *cli.Call, b *backup.Backup, later []string, known chain.Keys) error {
	for _, s := range b.Streams {
		fmt.Fprintf(r.Prose(), "%-12s %s through %d\n", s.Name, text.Count(int(s.Messages), "message"), s.Last)
	}
	for _, line := range later {
		fmt.Fprintln(r.Prose(), line)
	}
	if len(b.Keys.Trusted) > 0 && len(known.Trusted) == 0 {
		fmt.Fprintln(r.Prose(), "the system that was backed up had security.trusted_keys, this configuration has none: start the services with the old ones")
	}
	place := c.Data
	if place == "" {
		place = "the server"
	}
	_, err := fmt.Fprintf(r.Prose(), "restored backup %s of %s into %s; it continues where the backup was made\n", b.ID(), b.Made.Format("2006-01-02T15:04:05Z"), place)
	return err
}
