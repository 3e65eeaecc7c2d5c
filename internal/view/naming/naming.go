// Package naming names sessions for people (CO-5, CO-5a): by project and task, and by an id that is as
// short as possible without being ambiguous.
package naming

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	// least is the minimum length of a shown id.
	least = 6
	// taskWidth is how many characters of a task are part of a session's name.
	taskWidth = 48
	// projectWidth is how many characters of a project are part of it.
	projectWidth = 40
	// subagent separates the id of a session from that of its subagent in the ids that the adapters make.
	subagent = "-agent-"
)

// Below separates the short ids of a session and its subagent.
const Below = "/"

// Split returns the session that a subagent's id names, and its own part; parent is "" if the id is not a
// subagent's.
func Split(id string) (parent, own string) {
	if at := strings.LastIndex(id, subagent); at > 0 {
		return id[:at], id[at+len(subagent):]
	}
	return "", id
}

// Children returns the prefix of the ids of a session's subagents.
func Children(session string) string { return session + subagent }

// Short returns the short form of each id: the shortest unique prefix, at least six characters. A subagent
// is shown after its parent: "03a138/c7f2d1".
func Short(ids []string) map[string]string {
	groups := map[string][]string{} // by parent
	for _, id := range ids {
		parent, own := Split(id)
		groups[parent] = append(groups[parent], own)
		if parent != "" {
			groups[""] = append(groups[""], parent)
		}
	}
	shortOf := map[string]map[string]string{}
	for parent, list := range groups {
		shortOf[parent] = prefixes(list)
	}
	short := make(map[string]string, len(ids))
	for _, id := range ids {
		parent, own := Split(id)
		short[id] = shortOf[parent][own]
		if parent != "" {
			short[id] = shortOf[""][parent] + Below + short[id]
		}
	}
	return short
}

// Means reports whether what a person typed denotes an id: as a prefix, or for a subagent as prefixes of
// both parts in the form of [Short]. A prefix of a session's id never denotes its subagents.
func Means(typed, id string) bool {
	parent, own := Split(id)
	if above, below, both := strings.Cut(typed, Below); both {
		return parent != "" && strings.HasPrefix(parent, above) && strings.HasPrefix(own, below)
	}
	return strings.HasPrefix(id, typed) && (parent == "" || len(typed) > len(parent))
}

// Typed reports whether text can be an id as a person types it: valid, or two valid parts of a subagent's
// short form.
func Typed(text string) bool {
	above, below, both := strings.Cut(text, Below)
	return events.ValidID(above) && (!both || events.ValidID(below))
}

// prefixes shortens the ids of one group.
func prefixes(ids []string) map[string]string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	short := make(map[string]string, len(ids))
	for i, id := range ids {
		n := Least(id)
		if i > 0 {
			n = max(n, common(id, ids[i-1])+1)
		}
		if i+1 < len(ids) {
			n = max(n, common(id, ids[i+1])+1)
		}
		if n >= len(id)-2 { // leaving out two characters would only make it look truncated
			n = len(id)
		}
		short[id] = id[:n]
	}
	return short
}

// Least returns how many characters of an id are shown at least: six, counted from where a generated end begins, as
// in ralph-9e0b096400271ad1fe1b.
func Least(id string) int {
	if at := strings.LastIndexByte(id, '-') + 1; at > 0 && Opaque(id[at:]) && !Opaque(id[:at-1]) {
		return at + least
	}
	return least
}

// Generated reports whether an id, or its end, means nothing to people and is shown short.
func Generated(id string) bool {
	parent, own := Split(id)
	return Opaque(parent) || Opaque(own) || Least(own) > least
}

// Brief returns the short form of one id; what people named stays whole.
func Brief(id string) string { return Briefs(id)[0] }

// Briefs does the same for ids that are named together and must not look alike.
func Briefs(ids ...string) []string {
	short, list := Short(ids), make([]string, len(ids))
	for i, id := range ids {
		if list[i] = id; Generated(id) {
			list[i] = short[id]
		}
	}
	return list
}

// Opaque reports whether an id was generated and is meaningless to people: a UUID, a hash.
func Opaque(id string) bool {
	digits, others := 0, 0
	for _, r := range id {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'f', r == '-':
		default:
			others++
		}
	}
	return len(id) >= 16 && digits > 0 && (others == 0 || digits >= 5 && !strings.ContainsAny(id, "-_"))
}

// common returns the length of the longest common prefix.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Project returns the name of a workspace, which is that of its folder.
func Project(workspace string) string {
	name := path.Base(strings.TrimRight(strings.ReplaceAll(workspace, `\`, "/"), "/"))
	if workspace == "" || name == "." || name == "/" {
		return ""
	}
	return page.Plain(name)
}

// Task returns the first words of a task, on one line.
func Task(task string) string {
	words := strings.Fields(page.Plain(task))
	first := ""
	for i, word := range words {
		next := word
		if i > 0 {
			next = first + " " + word
		}
		if utf8.RuneCountInString(next) > taskWidth {
			if i == 0 {
				return text.Short(word, taskWidth)
			}
			return first + " …"
		}
		first = next
	}
	return first
}

// Title returns project and task of a session as one text, "" if neither is known. The end of a long project's name
// tells more than its middle.
func Title(workspace, task string) string {
	project, words := Project(workspace), Task(task)
	if name := []rune(project); len(name) > projectWidth {
		const end = 12
		project = string(name[:projectWidth-end-1]) + "…" + string(name[len(name)-end:])
	}
	if words != "" {
		words = "“" + words + "”"
	}
	return strings.TrimSpace(project + " " + words)
}
