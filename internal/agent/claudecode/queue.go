package claudecode

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// maxQueued limits the messages in the queue.
const maxQueued = 200

// queue holds what a person typed while the agent worked. Its entries have no ids: messages leave the queue
// first in, first out. "remove" passes one to the running response; "dequeue" opens a response with it, and
// a user line repeats it; "popAll" returns all of them to the person, so they were never said. Newer
// versions write an attachment in addition to "remove" (SW-3a).
type queue struct {
	waiting  []string
	opening  []string       // dequeued, but not yet repeated by a user line
	said     map[string]int // removed, but the attachment has not followed yet
	attached map[string]int // attached, but "remove" has not followed yet
}

func newQueue() *queue { return &queue{said: map[string]int{}, attached: map[string]int{}} }

// operation applies a line of the queue's log. It returns what was said, "" if nothing was.
func (q *queue) operation(kind, text string) string {
	switch kind {
	case "enqueue":
		if len(q.waiting) < maxQueued {
			q.waiting = append(q.waiting, text)
		}
	case "remove":
		return q.unlessKnown(q.next(), q.attached, q.said)
	case "dequeue":
		if next := q.next(); next != "" {
			q.opening = append(q.opening, next)
		}
	case "popAll":
		q.waiting = nil
	}
	return ""
}

func (q *queue) next() string {
	if len(q.waiting) == 0 {
		return ""
	}
	text := q.waiting[0]
	q.waiting = q.waiting[1:]
	return text
}

// attachment handles a message that the agent received while it worked, and returns it unless it is already
// known.
func (q *queue) attachment(text string) string { return q.unlessKnown(text, q.said, q.attached) }

// unlessKnown returns text unless its other record came first.
func (q *queue) unlessKnown(text string, came, comes map[string]int) string {
	switch {
	case text == "":
		return ""
	case came[text] > 0:
		came[text]--
		return ""
	}
	if len(comes) < maxQueued {
		comes[text]++
	}
	return text
}

// prompted notes a user line, which contains what was dequeued. An interruption returns that to the person.
func (q *queue) prompted(text string, interrupted bool) {
	q.opening = slices.DeleteFunc(q.opening, func(o string) bool { return interrupted || strings.Contains(text, o) })
}

// opened returns what was dequeued but not repeated by a user line.
func (q *queue) opened() []string {
	opening := q.opening
	q.opening = nil
	return opening
}

// queued reads a line of the queue's log or an attachment.
func (d *decoder) queued(s *transcript.Session, l *line) {
	var text string
	switch {
	case l.Type == "queue-operation":
		text = d.queue.operation(string(l.Operation), d.typed(loose.Text(l.Content)))
	case l.Attachment.Type == "queued_command" && (l.Attachment.CommandMode == "" || l.Attachment.CommandMode == "prompt"):
		if kind := l.Attachment.Origin.Kind; kind == "" || kind == "human" || kind == "cli" {
			text = d.queue.attachment(d.typed(loose.Text(l.Attachment.Prompt)))
		}
	}
	s.User(text, l.Timestamp.Time)
}

// typed returns what a person typed into the queue: for a slash command its arguments, as for one that is
// not queued.
func (d *decoder) typed(text string) string {
	text = d.phrases.UserText(text)
	if command, arguments, _ := strings.Cut(text, " "); strings.HasPrefix(command, "/") && strings.Count(command, "/") == 1 && !strings.ContainsAny(command, ".\n") {
		return strings.TrimSpace(arguments)
	}
	return text
}
