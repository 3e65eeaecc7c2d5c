package subjects

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

import "strconv"

// Classes returns the subject classes that belong to a stream, each once, in the order of
// [events.All].
func Classes(in events.Stream) []string {
	var out []string
	seen := map[string]bool{}
	for _, d := range events.All() {
		if d.Stream == in && !seen[d.SubjectClass] {
			seen[d.SubjectClass] = true
			out = append(out, d.SubjectClass)
		}
	}
	return out
}

// ConsumerFilters returns the filter subjects of a consumer that reads the events of one
// partition of a stream: one for each class that belongs there, and one for forwarded
// events. They do not overlap and leave out checkpoints and snapshots (EV-4).
func ConsumerFilters(source events.Stream, partition int) []string {
	p := strconv.Itoa(partition)
	var out []string
	for _, class := range Classes(source) {
		out = append(out, class+"."+p+".>")
	}
	if forwards(source) {
		out = append(out, streamPrefix(source)+".*.*."+p+".>")
	}
	return out
}

// TimerSubject begins the subjects of the timers that wait in TIMERS:
// timer.at.<stage>.<group>.<id>.<name> (EV-9).
const TimerSubject = "timer.at"

// StreamSubjects returns the subjects that a stream captures. For INPUT they are as
// publishers send them (its transform inserts the partition); for the others as they are
// stored, with the checkpoints and snapshots of the stage that writes it. TIMERS captures
// expired timers, and INPUT copies them from there: no client sends them.
func StreamSubjects(in events.Stream) []string {
	expired := class(events.TypeTimerExpired)
	var out []string
	for _, class := range Classes(in) {
		switch {
		case in == events.StreamInput && class == expired:
		case in == events.StreamInput:
			out = append(out, class+".*.*")
		default:
			out = append(out, class+".*.*.*")
		}
	}
	switch {
	case in == events.StreamTimers:
		out = append(out, TimerSubject+".*.*.*.*", expired+".*.*")
	case in == events.StreamDeadLetter:
		out = append(out, "dead.>")
	case forwards(in):
		stage := StageOf(in)
		out = append(out, streamPrefix(in)+".>", "ckpt."+stage+".>", "snap."+stage+".>")
	}
	return out
}

// StageOf returns the name of the stage that writes a stream, empty for INPUT and
// DEADLETTER (EV-5).
func StageOf(s events.Stream) string {
	switch s {
	case events.StreamSegments:
		return "ingest"
	case events.StreamSignals:
		return "evaluator"
	case events.StreamDecisions:
		return "dispatcher"
	}
	return ""
}

// SourceOf returns the stream that a stage reads (EV-5), empty for an unknown stage.
func SourceOf(stage string) events.Stream {
	switch stage {
	case "ingest":
		return events.StreamInput
	case "evaluator":
		return events.StreamSegments
	case "dispatcher":
		return events.StreamSignals
	case "reporter":
		return events.StreamDecisions
	}
	return ""
}

// SessionFilter selects one type about one session in any run (EV-4). The id must pass
// [ValidID].
func SessionFilter(t events.Type, session string) string { return class(t) + ".*.*." + session }

// RunFilter selects one type about a run and all its sessions (EV-4).
func RunFilter(t events.Type, run string) string { return class(t) + ".*." + run + ".>" }

// RunSubjectFilter selects one type about the run itself, without its sessions.
func RunSubjectFilter(t events.Type, run string) string { return class(t) + ".*." + run + "." + run }

// FleetFilter selects one type about the whole fleet (EV-4).
func FleetFilter(t events.Type) string { return class(t) + ".>" }

// DecidedAboutSession selects everything in DECISIONS about one session: its own events, and
// forwarded ones.
func DecidedAboutSession(session string) []string {
	return []string{"*.*.*.*." + session, "decisions.*.*.*.*." + session}
}

// DecidedAboutRun selects everything in DECISIONS about a run and its sessions.
func DecidedAboutRun(run string) []string {
	return []string{"*.*.*." + run + ".*", "decisions.*.*.*." + run + ".*"}
}

// class returns the type's subject class; an unknown type keeps its name, which then
// matches nothing.
func class(t events.Type) string {
	if d, ok := events.Lookup(t); ok {
		return d.SubjectClass
	}
	return string(t)
}

// RunSessionFilter selects one type about one session of a run.
func RunSessionFilter(t events.Type, run, session string) string {
	return class(t) + ".*." + run + "." + session
}
