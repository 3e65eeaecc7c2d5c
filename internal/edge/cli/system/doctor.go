package system

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/audit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natscontrol "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/dead"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Doctor checks an installation.
type Doctor struct {
	cli.Connection
	Rules string `help:"Rules file (YAML) that overrides the built-in rules." type:"path" placeholder:"FILE"`
	Audit bool   `help:"Also verify every stream, and check that every signal ended exactly once."`
	Test  string `help:"Only send a planted git reset --hard through the hooks of an agent, and expect the denial." placeholder:"AGENT"`
}

// Help lists the checks.
func (Doctor) Help() string {
	return `Checks the build (regular expression engine, syntax tier), the rules, the connection
and whether it is encrypted, the server's version and limits, the clock, whether every
stream has a leader, current replicas and accepts writes, the accounts that send more than
they may, how far each stage has read and whether it makes progress, the control states and the
dead letters. It changes nothing but a probe in the bucket POSITIONS, which replaces the
one before, and exits with code 1 if something needs attention; docs/runbook.md says what
to do. With --audit it also verifies every stream as "scaffoldwatch verify" does, names
what an operator erased or acknowledged, and the first signal that did not end exactly once.
Where the configuration names reports.database, it compares the rows with what DECISIONS gives.

It lists the agents whose settings are on this machine: whether their hooks call this program, by an
absolute path that is there and answers. With --test AGENT it sends a planted "git reset --hard" of a
temporary repository through the very command in the agent's settings, which must deny it.

Examples:
  scaffoldwatch doctor
  scaffoldwatch doctor --test claude-code
  scaffoldwatch doctor --audit
  scaffoldwatch --config reporter.yaml doctor --audit
  scaffoldwatch doctor --server nats://nats-1:4222`
}

// checkup prints findings and counts what needs attention.
type checkup struct {
	*cli.Call
	attention int
}

func (c *checkup) line(ok bool, name, format string, args ...any) {
	mark := c.Theme.Good.Render("ok  ")
	if !ok {
		mark = c.Theme.Bad.Render("WARN")
		c.attention++
	}
	const margin = 21
	lines := strings.Split(fmt.Sprintf(format, args...), "\n")
	if c.Theme.Interactive {
		for i, l := range lines {
			lines[i] = terminal.Wrap(l, c.Theme.Width, margin)
		}
	}
	text := strings.Join(lines, "\n"+strings.Repeat(" ", margin))
	fmt.Fprintf(c.Stdout, "%s  %-13s  %s\n", mark, name, text)
}

// Run prints one line for each check.
func (c *Doctor) Run(r *cli.Call) error {
	own := *r
	own.Denied = nil // most users may not write, so denied probes explain nothing
	r = &own
	check := &checkup{Call: r}
	if c.Test != "" {
		testHook(check, c.Test)
		return check.verdict()
	}
	c.build(check)
	remote := agentHooks(check)
	c.advisor(check)
	broker, nc, err := c.AsAdmin().Open(r)
	switch {
	case err != nil && len(remote) > 0 && c.unnamed(r):
		check.line(true, "connection", "no broker is named here, and the hooks call %s; run doctor there for the rest",
			terminal.Clean(strings.Join(remote, ", ")))
	case err != nil:
		check.line(false, "connection", "%v", err)
	default:
		check.line(true, "connection", "%s", nc.ConnectedUrlRedacted())
		encryption(check, nc)
		var restoring keep.Restoring // other errors are those of the streams, and say nothing of a restore
		if errors.As(keep.CheckRestored(r, broker), &restoring) {
			check.line(false, "restore", "%v", restoring)
		}
		inspection, err := broker.Inspect(r, nc)
		c.server(check, inspection, err)
		deadLetters(check, broker, inspection.DeadLetters)
		streams(check, broker)
		c.services(check, nc)
		intakes(check, broker)
		instances(check, broker)
		stages(check, broker)
		control(check, broker)
		opinions(check, broker)
		if c.Audit {
			report, err := audit.Verified(c.Connection, r, nil)
			intact(check, report, err)
			signals(check, broker, report)
			c.readModel(check, broker)
		}
	}
	return check.verdict()
}

// unnamed reports whether neither a flag nor the configuration names a broker.
func (c *Doctor) unnamed(r *cli.Call) bool {
	settings, err := c.Settings(r)
	return err == nil && settings.NATS.URL == config.Default().NATS.URL
}

// verdict returns an error if something needs attention.
func (c *checkup) verdict() error {
	if c.attention > 0 {
		return fmt.Errorf("needs attention: %s", text.Count(c.attention, "check"))
	}
	return nil
}

// intakes names the accounts whose publishers are rejected for exceeding their limits.
func intakes(check *checkup, broker *nats.Broker) {
	all, err := broker.Intakes(check)
	if err != nil {
		check.line(false, "intakes", "%v", err)
	}
	for _, i := range all {
		s := fmt.Sprintf("%s sent %d of %d messages in %s", i.Account, i.Messages, i.Intake.Messages, i.Window)
		if i.Full() {
			s += "; its publishers are rejected until the oldest is that old"
		}
		if i.Waiting > 0 {
			s += fmt.Sprintf("; %s not in INPUT yet", text.Count(int(i.Waiting), "message"))
		}
		check.line(!i.Full(), "intakes", "%s", s)
	}
}

// control compares the control states with the decisions they derive from (EV-8).
// A state that lags briefly, while a dispatcher decides, is fine.
func control(check *checkup, broker *nats.Broker) {
	behind, err := natscontrol.Check(check, broker)
	for tries := 0; tries < 3 && err == nil && len(behind) > 0; tries++ {
		time.Sleep(300 * time.Millisecond)
		behind, err = natscontrol.Check(check, broker)
	}
	switch {
	case err != nil:
		check.line(false, "control", "%v", err)
	case len(behind) > 0:
		check.line(false, "control", "%s of CONTROL not as decided, the first: %s; is a dispatcher running?", text.Count(len(behind), "key"), terminal.Clean(behind[0]))
	default:
		check.line(true, "control", "states of runs and sessions are as decided")
	}
}

// signals counts all signals by outcome (DP-18).
func signals(check *checkup, broker *nats.Broker, report *chain.Report) {
	account, err := decisions.Audit(check, broker, lost(report))
	switch {
	case err != nil:
		check.line(false, "signals", "%v", err)
	case account.First != nil:
		check.line(false, "signals", "%s\n%d at fault; the first: %s", account, account.Faults, terminal.Clean(account.First.String()))
	default:
		check.line(account.Balanced(), "signals", "%s", account)
	}
}

// lost returns, in order, the last positions in DECISIONS before which an operator acknowledged that
// messages are lost.
func lost(report *chain.Report) (list []uint64) {
	if report == nil {
		return nil
	}
	for _, a := range report.Acknowledged {
		switch f := a.Finding; f.Kind {
		case chain.ErasedEvent, chain.Gap, chain.DroppedBatch, chain.HeadCut, chain.TailCut, chain.PartitionGone:
			if f.Stream == string(events.StreamDecisions) {
				list = append(list, max(f.Sequence, f.Through))
			}
		}
	}
	slices.Sort(list)
	return list
}

func (c *Doctor) build(check *checkup) {
	check.line(true, "regex engine", "%s", secrets.Engine())
	check.line(syntax.Tier() == "tree", "syntax", "%s", map[bool]string{
		true: "tree-sitter", false: "declarations by regular expression only; build with cgo",
	}[syntax.Tier() == "tree"])
	check.line(codepattern.Tier() == "tree", "code patterns", "%s", map[bool]string{
		true: "tree-sitter, values followed within a function", false: fmt.Sprintf("regular expressions only, confidence at most %.1f, nothing escalates; build with cgo", codepattern.PlainCap),
	}[codepattern.Tier() == "tree"])
	file := c.Rules
	if settings, err := c.Settings(check.Call); err == nil {
		file = cmp.Or(file, settings.Rules)
	}
	set, err := deployment.LoadRules(file)
	if err == nil {
		_, err = machines.New(machines.Options{Rules: set})
	}
	if err != nil {
		check.line(false, "rules", "%v", err)
		return
	}
	check.line(true, "rules", "version %s, hash %s", rules.Version, set.Hash())
}

func (c *Doctor) server(check *checkup, i nats.Inspection, err error) {
	if err != nil {
		check.line(false, "server", "%v", err)
		return
	}
	check.line(vitals.AtomicBatches(i.Version), "server", "nats-server %s (2.12 or newer is needed), round trip %s", i.Version, i.RoundTrip.Round(time.Microsecond))
	check.line(i.MaxPayload >= nats.MaxPayload, "max_payload", "%d bytes; turns up to 4 MiB need %d", i.MaxPayload, nats.MaxPayload)
	check.line(i.ClockAhead.Abs() < 2*time.Second, "clock", "%s", clockWords(i.ClockAhead))
	check.line(len(i.Differences) == 0, "settings", "%s", map[bool]string{
		true: "as configured", false: fmt.Sprintf("%d settings differ; `scaffoldwatch streams init` lists them", len(i.Differences)),
	}[len(i.Differences) == 0])
	check.line(true, "replicas", "%d%s", i.Replicas, map[bool]string{true: " (production: three, on three failure domains)"}[i.Replicas < 3])
	check.line(true, "sync", "not visible from here; the embedded server syncs every write, others need sync_interval: always")
	room := "no limit of the account; each server's is its max_file_store"
	if i.StoreLimit > 0 {
		room = fmt.Sprintf("of %d MiB", i.StoreLimit>>20)
	}
	filled := vitals.Filled(i.StoreUsed, i.StoreLimit, 0, 0)
	check.line(filled <= vitals.NearlyFull, "storage", "%d MiB used, %s", i.StoreUsed>>20, room)
}

// deadLetters counts the dead letters; it warns of those that nobody acknowledged, and names who did the others.
func deadLetters(check *checkup, broker *nats.Broker, stored uint64) {
	if stored == 0 {
		check.line(true, "dead letters", "0")
		return
	}
	seen, err := dead.Acknowledged(check, broker)
	if err != nil {
		check.line(false, "dead letters", "%d; which ones are acknowledged is not known: %v", stored, err)
		return
	}
	state, known, unknown := "all acknowledged", []string{}, 0
	err = dead.Letters(check, broker, func(l dead.Stored) error {
		if by, is := seen[l.Mark]; is {
			known = append(known, fmt.Sprintf("\n%d: %s", l.Number, seenText(by)))
		} else {
			unknown++
		}
		return nil
	})
	if err != nil {
		check.line(false, "dead letters", "%d: %v", stored, err)
		return
	}
	if more := len(known) - lettersNamed; more > 0 {
		known = append(known[:lettersNamed], fmt.Sprintf("\n… and %d more", more))
	}
	if unknown > 0 {
		state = fmt.Sprintf("%d not acknowledged: `scaffoldwatch dead list`, then `dead retry` or `dead ack`", unknown)
	}
	check.line(unknown == 0, "dead letters", "%d, %s%s", stored, state, strings.Join(known, ""))
}

// lettersNamed is how many acknowledged letters are named.
const lettersNamed = 5

// clockWords says how far the clock of this machine and that of the broker's differ.
func clockWords(ahead time.Duration) string {
	if ahead < 0 {
		return fmt.Sprintf("%s behind the server's", ahead.Abs().Round(time.Millisecond))
	}
	return fmt.Sprintf("%s ahead of the server's", ahead.Round(time.Millisecond))
}

// connected is a connection to the broker.
type connected interface {
	TLSConnectionState() (tls.ConnectionState, error)
	ConnectedAddr() string // host:port
}

// encryption warns if passwords, turns and decisions cross a network in clear text.
func encryption(check *checkup, nc connected) {
	state, err := nc.TLSConnectionState()
	host, _, _ := net.SplitHostPort(nc.ConnectedAddr())
	switch {
	case err == nil:
		check.line(true, "encryption", "%s", tls.VersionName(state.Version))
	case loopback.Is(host):
		check.line(true, "encryption", "none needed: the server is on this machine")
	default:
		check.line(false, "encryption", "none: passwords and turns cross the network in clear text; see deploy/nats/cluster.conf and nats.tls_ca")
	}
}

// readModel compares the reporter's read model with DECISIONS: people see lists, reports and figures from
// it.
func (c *Doctor) readModel(check *checkup, broker *nats.Broker) {
	settings, err := c.Settings(check.Call)
	if err != nil {
		check.line(false, "read model", "%v", err)
		return
	}
	if settings.Reports.Database == "" {
		check.line(true, "read model", "not compared: this configuration names no reports.database (of `up`: reports.db in its --data)")
		return
	}
	found, err := reporter.Check(check, settings.Reports, broker)
	if err != nil {
		check.line(false, "read model", "%v", err)
		return
	}
	readModelLine(check, settings.Reports.Database, found)
}

func readModelLine(check *checkup, file string, found reporter.Checked) {
	switch {
	case found.Other:
		check.line(false, "read model", "%s was built from another DECISIONS; the reporter rebuilds it when it starts", file)
	case found.Behind:
		check.line(false, "read model", "%s still has what an operator erased; start the reporter, which removes it", file)
	case found.Lacks:
		check.line(true, "read model", "%s was filled by an earlier version; a reporter completes it when it starts, "+
			"and then it is compared", file)
	case len(found.Differences) > 0:
		lines := []string{file + " is not what DECISIONS gives up to " + strconv.FormatUint(found.Sequence, 10) + ":"}
		for _, d := range found.Differences {
			lines = append(lines, terminal.Clean(d.String()))
		}
		lines = append(lines, "rows were deleted or edited, or an earlier build wrote them; `reporter rebuild` restores them")
		check.line(false, "read model", "%s", strings.Join(lines, "\n"))
	default:
		text := file + " is what DECISIONS gives up to " + strconv.FormatUint(found.Sequence, 10)
		if found.Kept.Aged {
			text += "; what is older than its age is not compared"
		}
		check.line(true, "read model", "%s", text)
	}
}
