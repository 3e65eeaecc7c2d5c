package claudecode

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// maxQueued bounds the messages that wait.
const maxQueued = 200

// queue is what a person typed while the agent worked. Its entries have no ids: a
// message leaves the queue first in, first out. "remove" gives it to the running
// response; "dequeue" opens a response with it, and a user line repeats it;
// "popAll" gives all of it back to the person, who did not say it after all. Newer
// versions write an attachment beside "remove" (SW-3a).
type queue struct {
	waiting  []string
	opening  []string       // dequeued; the user line did not come yet
	said     map[string]int // removed; the attachment did not come yet
	attached map[string]int // the attachment came; "remove" did not
}

func newQueue() *queue { return &queue{said: map[string]int{}, attached: map[string]int{}} }

// operation applies a line of the queue's log. It returns what was said, "" for
// nothing.
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

// attachment is a message that the agent was given while it worked.
func (q *queue) attachment(text string) string { return q.unlessKnown(text, q.said, q.attached) }

// unlessKnown returns text unless the other record of it came first.
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

// prompted notes that a user line came: it holds what was dequeued. An interruption
// gives that back to the person.
func (q *queue) prompted(text string, interrupted bool) {
	q.opening = slices.DeleteFunc(q.opening, func(o string) bool { return interrupted || strings.Contains(text, o) })
}

// opened is what was dequeued and no user line repeats.
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

// typed is what a person typed into the queue: of a slash command its arguments, as
// of one that is not queued.
func (d *decoder) typed(text string) string {
	text = d.phrases.UserText(text)
	if command, arguments, _ := strings.Cut(text, " "); strings.HasPrefix(command, "/") && strings.Count(command, "/") == 1 && !strings.ContainsAny(command, ".\n") {
		return strings.TrimSpace(arguments)
	}
	return text
}
