package segment

import (
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func itoa(n int) string { return strconv.Itoa(n) }

// todoItems reads the list of a todo or plan tool: an array of entries, a
// Markdown task list, or a single entry (TaskCreate, TaskUpdate).
func (s *Segmenter) todoItems(c *call) []sessionevents.TodoItem {
	f := s.tools.fields
	list, ok := c.in.field(f.Items...)
	if !ok {
		return s.tools.todoItem(c.in, nil)
	}
	if list.kind == jsonparser.String {
		text := list.text()
		if strings.HasPrefix(strings.TrimSpace(text), "[{") {
			return s.tools.todoList(readInput([]byte(text)).fields)
		}
		return s.markdownTasks(text)
	}
	return s.tools.todoList([]field{*list})
}

func (t *toolTable) todoList(fields []field) (out []sessionevents.TodoItem) {
	for i := range fields {
		for _, entry := range fields[i].objects() {
			out = t.todoItem(entry, out)
		}
	}
	return out
}

func (t *toolTable) todoItem(entry *input, out []sessionevents.TodoItem) []sessionevents.TodoItem {
	f := t.fields
	item := sessionevents.TodoItem{
		Text: text.Head(entry.text(f.ItemText...), 1024), Status: todoStatus(entry.text(f.ItemStatus...)), ID: text.Head(entry.text(f.ItemID...), 64),
	}
	if item.ID == "" {
		if n, ok := entry.number(f.ItemID...); ok {
			item.ID = itoa(n)
		}
	}
	if item.Text == "" && item.Status == "" {
		return out
	}
	if item.Status == "" {
		item.Status = sessionevents.TodoPending
	}
	return append(out, item)
}

// underscores normalizes the separators between the words of a status.
var underscores = strings.NewReplacer("-", "_", " ", "_")

// todoStatus returns the status that an agent's word means.
func todoStatus(s string) sessionevents.TodoStatus {
	switch strings.ToLower(underscores.Replace(s)) {
	case "":
		return ""
	case "completed", "complete", "done", "finished":
		return sessionevents.TodoCompleted
	case "in_progress", "active", "doing", "started":
		return sessionevents.TodoInProgress
	case "cancelled", "canceled", "deleted", "skipped", "abandoned":
		return sessionevents.TodoCancelled
	default:
		return sessionevents.TodoPending
	}
}

func (s *Segmenter) markdownTasks(text string) (out []sessionevents.TodoItem) {
	for _, block := range s.blocks(text) {
		for _, task := range block.Tasks {
			out = append(out, todoOf(task))
		}
	}
	return out
}

func todoOf(task markdown.Task) sessionevents.TodoItem {
	status := sessionevents.TodoPending
	if task.Done {
		status = sessionevents.TodoCompleted
	}
	return sessionevents.TodoItem{Text: text.Head(task.Text, 1024), Status: status}
}
