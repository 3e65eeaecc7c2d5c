package system

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// Streams groups the commands about streams.
type Streams struct {
	Init streamsInitCommand `cmd:"" help:"Create missing streams, add new event types to existing ones, and print where they differ from the configuration."`
}

type streamsInitCommand struct {
	cli.Connection
	Apply bool `help:"Also change existing streams where that loses no message: longer ages, higher limits, limits above the current content, more replicas; compression removed from streams with replicas."`
}

// Help explains what the command never does.
func (streamsInitCommand) Help() string {
	return `Creates missing streams and adds new event types to existing ones. With --apply it also
changes existing streams to match the configuration, as far as that loses no message.
Other differences, such as a shorter age, are only printed: change them with the nats command
line if you want to lose what is older. The number of partitions is fixed once the streams
exist.

Compression taken off a stream with replicas takes effect on each server when it is
restarted. Until then this command and doctor name the servers that still compress.

Examples:
  scaffoldwatch streams init
  scaffoldwatch streams init --apply
  scaffoldwatch --config prod.yaml streams init --server nats://nats-1:4222`
}

// Run provisions the streams; a difference is a failure (exit 1).
func (c *streamsInitCommand) Run(r *cli.Call) error {
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	if err := keep.CheckRestored(r, broker); err != nil { // which removes what is made here
		return err
	}
	changed, err := topology.AddSubjects(r, broker.JetStream(), broker.Topology())
	for _, name := range changed {
		fmt.Fprintln(r.Stdout, name+" accepts the event types of this version")
	}
	if err != nil {
		return err
	}
	if c.Apply {
		changed, err := topology.Apply(r, broker.JetStream(), broker.Topology())
		for _, name := range changed {
			fmt.Fprintln(r.Stdout, name+" was changed to match the configuration; nothing was lost")
		}
		if err != nil {
			return err
		}
	}
	differences, err := topology.Provision(r, broker.JetStream(), broker.Topology())
	if err != nil {
		return err
	}
	for _, d := range differences {
		fmt.Fprintln(r.Stdout, r.Theme.Warn.Render("differs ")+d.String())
	}
	if len(differences) > 0 {
		return fmt.Errorf("%d settings differ; nothing else was changed", len(differences))
	}
	names := ""
	for _, s := range broker.Topology().Streams() {
		names += " " + s.Name
	}
	_, err = fmt.Fprintf(r.Stdout, "streams exist:%s (%d partitions)\n", names, broker.Topology().Partitions)
	return err
}
