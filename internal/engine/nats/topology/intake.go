package topology

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Intake bounds what the publishers of one account can send (EV-10). The server
// writes the account into the subject, as no client can, and the account's messages
// go through a stream of their own, from which INPUT copies them at once. That
// stream remembers a message for a while and refuses more than a number of them, so
// it lets through so many in any such time. Who is refused sends again later.
//
// The broker does this, not a stage: what a stage derives never depends on a clock
// (EV-9).
type Intake struct {
	Account  string        // of nats-server, as its configuration names it
	Messages int64         // in any Window
	Window   time.Duration // which the messages are counted over
}

// intakePrefix begins the names of the streams of intakes.
const intakePrefix = "INTAKE_"

// Stream is the name of the intake's stream.
func (i Intake) Stream() string { return intakePrefix + i.Account }

// IsIntake reports whether a stream is an account's intake: what it acknowledges
// reaches INPUT.
func IsIntake(stream string) bool { return strings.HasPrefix(stream, intakePrefix) }

// shortestDuplicates is the shortest duplicate window that the server gives a stream
// without sources; there 0 means two minutes. Clients of ours send no message id, so
// nothing of theirs meets it. It is shared by the publishers of one account alone.
const shortestDuplicates = 100 * time.Millisecond

// sourceHeader is where the server writes the stream that it copied a message from. It
// refuses a message that a client sends with it.
const sourceHeader = "Nats-Stream-Source"

// AccountOf returns the account whose intake INPUT copied a message from, "" for one
// that was not copied from an intake.
func AccountOf(header map[string][]string) string {
	values := header[sourceHeader]
	if len(values) == 0 {
		return ""
	}
	stream, _, _ := strings.Cut(values[0], " ")
	account, is := strings.CutPrefix(stream, intakePrefix)
	if !is {
		return ""
	}
	return account
}

// intakeClasses are what publishers say; facts and what people decide have
// credentials of their own.
func intakeClasses() []string {
	var out []string
	for _, subject := range subjects.StreamSubjects(events.StreamInput) {
		switch class := strings.TrimSuffix(subject, ".*.*"); class {
		case events.ClassRunFact, events.ClassOperatorAct, events.ClassNotification, sessionevents.TypeGuardDecided, sessionevents.TypeOpinionRecorded,
			sessionevents.TypeWorkspaceObserved, sessionevents.TypeCheckObserved:
		default:
			out = append(out, class)
		}
	}
	return out
}

// intake is the stream of an account. It refuses new messages while it is full: the
// sender learns it, and sends again.
func (t Topology) intake(i Intake) jetstream.StreamConfig {
	var from []string
	for _, class := range intakeClasses() {
		from = append(from, "intake."+i.Account+"."+class+".*.*")
	}
	c := t.stream(events.Stream(i.Stream()), from)
	c.MaxMsgs, c.MaxAge, c.Discard = i.Messages, i.Window, jetstream.DiscardNew
	c.Duplicates = min(shortestDuplicates, i.Window)
	c.Compression = t.compression()
	return c
}

// copied is how INPUT copies from an intake: under the subjects that it has for
// everybody.
func (t Topology) copied(i Intake) *jetstream.StreamSource {
	source := &jetstream.StreamSource{Name: i.Stream(), OptStartSeq: 1}
	for _, class := range intakeClasses() {
		source.SubjectTransforms = append(source.SubjectTransforms, jetstream.SubjectTransformConfig{
			Source:      "intake." + i.Account + "." + class + ".*.*",
			Destination: fmt.Sprintf("%s.{{partition(%d,1)}}.{{wildcard(1)}}.{{wildcard(2)}}", class, t.Partitions),
		})
	}
	return source
}
