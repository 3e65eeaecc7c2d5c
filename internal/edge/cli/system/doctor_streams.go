package system

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// streams checks every stream the way the services do for /readyz: leader, replicas, space, settings, and
// whether a write would be accepted. What this user may not write is not tried, as that would say nothing
// about the services' users.
func streams(check *checkup, broker *nats.Broker) {
	found := vitals.Look(check, broker.JetStream(), broker.Topology())
	writes := []vitals.Write{vitals.InputWrite(events.ClassRunRaw)}
	for _, stage := range link.Stages {
		writes = append(writes, vitals.StageWrites(stage)...)
	}
	tried := vitals.TryWrites(check, broker.Conn(), writes...)
	if stored := vitals.Store(check, broker.Conn(), "doctor"); stored != nil {
		tried = append(tried, *stored)
	}
	hidden := denials(found.All())
	found.Faults = append(found.Faults, tried...)
	_ = found.Hear(check, broker.Conn()) // what it hears is among the faults
	denied, wrong := 0, faulty(check, found.All())
	for _, f := range found.All() {
		if f.Kind == vitals.PermissionDenied {
			denied++
		}
	}
	if hidden > 0 {
		check.line(false, "streams", "this user may not read %d of %d: run doctor as admin or auditor", hidden,
			len(found.Streams))
		return
	}
	switch {
	case wrong > 0:
	case denied > 0:
		check.line(true, "streams", "%d, each with a leader and its replicas; writes are not tried as this user", len(found.Streams))
	default:
		check.line(true, "streams", "%d, each with a leader and its replicas, and writes are accepted", len(found.Streams))
	}
}

// faulty prints a line for each kind of fault, with the first and how many there are: one lost
// majority is one thing to fix, however many streams miss it.
func faulty(check *checkup, all []vitals.Fault) (kinds int) {
	by := map[vitals.Kind][]vitals.Fault{}
	for _, f := range all {
		by[f.Kind] = append(by[f.Kind], f)
	}
	for _, kind := range vitals.Kinds() {
		list := by[kind]
		switch kind {
		case vitals.PermissionDenied, vitals.ClockOff, vitals.OldServer: // other lines say so
			continue
		}
		if len(list) == 0 {
			continue
		}
		kinds++
		text := list[0].Error()
		if more := len(list) - 1; more > 0 {
			text += fmt.Sprintf("\nand %d more like it (%s)", more, kind)
		}
		check.line(false, "streams", "%s", text)
	}
	return kinds
}

// denials counts the faults that say only what the user may not do.
func denials(faults []vitals.Fault) (n int) {
	for _, f := range faults {
		if f.Kind == vitals.PermissionDenied {
			n++
		}
	}
	return n
}

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
