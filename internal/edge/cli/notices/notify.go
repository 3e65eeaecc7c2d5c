// Package notices holds the commands about notices to people.
package notices

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter/notifier"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Notify groups the commands that test and show notifications (PL-50, PL-51).
type Notify struct {
	Test   notifyTest   `cmd:"" help:"Send a test message through one channel or all."`
	Outbox notifyOutbox `cmd:"" help:"Show notices that are waiting, held, sent or failed."`
}

type notifyTest struct {
	Channel string `arg:"" optional:"" help:"Channel id; defaults to all channels."`
	File    string `help:"Notification settings file; defaults to notify.file of the configuration." type:"path" placeholder:"FILE"`
}

// Help gives examples.
func (notifyTest) Help() string {
	return `Sends one message now, regardless of working hours, and prints the result. Secrets are
read from this command's environment. A test incident of a pager is resolved right away.
Exits with code 1 if a channel failed, including when a mail server refuses one of the
recipients.

Examples:
  scaffoldwatch notify test --file notify.yaml
  scaffoldwatch notify test ops-slack`
}

// Run sends the test messages.
func (c *notifyTest) Run(r *cli.Call) error {
	settings, err := cli.Connection{}.Settings(r)
	if err != nil {
		return err
	}
	if c.File == "" {
		c.File = settings.Notify.File
	}
	if c.File == "" {
		return cli.Usage(errors.New("no notification settings: name a file with --file, or in notify.file of the configuration"))
	}
	file, _, err := notifier.Settings(c.File, settings.Rules)
	if err != nil {
		return cli.Usage(err)
	}
	if file.Channels, err = c.chosen(file); err != nil {
		return cli.Usage(err)
	}
	posts, err := file.Posts(os.Getenv, nil)
	if err != nil {
		return cli.Usage(err)
	}
	defer c.mention(r, file)
	return c.send(r, posts)
}

// mention names channels that are valid but never used.
func (c *notifyTest) mention(r *cli.Call, file *notify.File) {
	for _, id := range file.Unused() {
		fmt.Fprintf(r.Stdout, "note  %-16s  is used only by runs that name it (trigger.notify): it is a channel of neither operator nor team in %s\n", id, c.File)
	}
}

func (c *notifyTest) chosen(file *notify.File) ([]notify.Channel, error) {
	var ids []string
	for _, one := range file.Channels {
		if one.ID == c.Channel {
			return []notify.Channel{one}, nil
		}
		ids = append(ids, one.ID)
	}
	if c.Channel != "" {
		return nil, fmt.Errorf("unknown channel %s in %s; it has %v", c.Channel, c.File, ids)
	}
	return file.Channels, nil
}

func (c *notifyTest) send(r *cli.Call, posts []*notify.Post) error {
	now, failed := time.Now(), 0
	for _, post := range posts {
		m := &notice.Message{
			Key: events.DerivedID("notify", "test "+post.ID, now.Format(time.RFC3339Nano), 0), Channel: post.ID, Group: "test|" + post.ID, Made: now,
			Title: "scaffoldwatch: a test of the channel " + post.ID, Text: "Someone ran `scaffoldwatch notify test`. No action is needed.", Notices: []notice.Notice{},
		}
		mark, s := r.Theme.Good.Render("ok  "), "taken"
		if err := testPost(r, post, m); err != nil {
			failed++
			mark, s = r.Theme.Bad.Render("fail"), err.Error()
		}
		fmt.Fprintf(r.Stdout, "%s  %-16s  %-9s  %s\n", mark, post.ID, post.Kind, terminal.Clean(s))
	}
	if failed > 0 {
		return fmt.Errorf("rejected by %s", text.Count(failed, "channel"))
	}
	return nil
}

// testPost sends the test message. Channels that keep incidents also receive its resolution, so that nobody
// has to close a test.
func testPost(ctx context.Context, post *notify.Post, m *notice.Message) error {
	if err := post.Send(ctx, m); err != nil || !post.Resolves {
		return err
	}
	settled := *m
	settled.Key, settled.Incident, settled.Resolved = m.Key+"-settled", m.Key, true
	settled.Title, settled.Text = "settled: "+m.Title, ""
	if err := post.Send(ctx, &settled); err != nil {
		return fmt.Errorf("the test was accepted but its resolution was not, so close it yourself: %w", err)
	}
	return nil
}

type notifyOutbox struct {
	Outbox string `help:"Outbox file; defaults to notify.outbox of the configuration. \"scaffoldwatch up\" keeps notify.json in its data directory." type:"path" placeholder:"FILE"`
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help gives examples.
func (notifyOutbox) Help() string {
	return `Shows the outbox of notices: messages that wait to be sent or retried, messages held for
working hours, disabled channels, and recent messages, including the text of those for a
console channel.

Examples:
  scaffoldwatch notify outbox
  scaffoldwatch notify outbox --outbox /var/lib/scaffoldwatch/notify.json -o json`
}

// Run shows the outbox.
func (c *notifyOutbox) Run(r *cli.Call) error {
	if c.Outbox == "" {
		settings, err := cli.Connection{}.Settings(r)
		if err != nil {
			return err
		}
		if c.Outbox = settings.Notify.Outbox; c.Outbox == "" {
			data, err := system.DataFolder(os.Getenv)
			if err != nil {
				return err
			}
			c.Outbox = filepath.Join(data, "notify.json")
		}
	}
	outbox, err := notify.ReadOutbox(c.Outbox)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w\nname the file with --outbox; it is there once a reporter with notify.file and notify.outbox ran", err)
	}
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return cli.Indented(r.Stdout, outbox)
	}
	lines := notify.Lines(outbox.State)
	for i := range lines {
		lines[i] = terminal.Clean(lines[i])
	}
	return cli.WriteLines(r.Stdout, lines)
}
