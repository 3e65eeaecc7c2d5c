package segment

import (
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// user makes the USER segment of a user block: what the person said, without
// what the harness wrote around it. A block nobody typed makes none.
func (b *builder) user(text string, offset int, from origin) {
	for _, prefix := range b.config.InjectedPrefixes {
		if strings.HasPrefix(strings.TrimLeft(text, " \r\n\t"), prefix) {
			return
		}
	}
	var words []string
	first, last := -1, 0
	for _, part := range b.personal(text) {
		start, end := trimmed(text, part.start, part.end)
		if start == end || b.injected(text[start:end]) {
			continue
		}
		if first < 0 {
			first = start
		}
		words, last = append(words, text[start:end]), end
	}
	if first < 0 {
		return
	}
	b.add(sessionevents.Segment{
		Kind: sessionevents.SegmentUser, Text: head(strings.Join(words, "\n"), b.config.Limits.Text),
		Offset: offset + first, Length: last - first,
	}, from)
}

func (b *builder) injected(text string) bool {
	for _, prefix := range b.config.InjectedPrefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

type span struct{ start, end int }

// personal returns the text outside of injected elements, and inside of elements whose content is
// the person's. An element without an end tag goes to the end of the text, so that a cut-off
// wrapper leaks nothing.
func (b *builder) personal(text string) (out []span) {
	from := 0
	for at := 0; at < len(text); {
		open := strings.IndexByte(text[at:], '<')
		if open < 0 {
			break
		}
		open += at
		name, afterOpen := tagAt(text, open)
		kept, known := b.tags[name]
		if !known {
			at = open + 1
			continue
		}
		out = append(out, span{from, open})
		closing := "</" + name + ">"
		inner := len(text)
		after := len(text)
		if i := strings.Index(text[afterOpen:], closing); i >= 0 {
			inner, after = afterOpen+i, afterOpen+i+len(closing)
		}
		if kept {
			out = append(out, span{afterOpen, inner})
		}
		from, at = after, after
	}
	return append(out, span{from, len(text)})
}

// tagAt reads <name …> at i and gives the name and where the tag ends.
func tagAt(text string, i int) (name string, end int) {
	limit := min(len(text), i+200)
	closing := strings.IndexByte(text[i:limit], '>')
	if closing < 1 {
		return "", 0
	}
	inside := text[i+1 : i+closing]
	if name, _, more := strings.Cut(inside, " "); more && strings.Contains(inside, "=") {
		return name, i + closing + 1
	}
	return inside, i + closing + 1
}

// trimmed moves the ends of text[start:end] past white space.
func trimmed(text string, start, end int) (int, int) {
	for start < end && isSpace(text[start]) {
		start++
	}
	for end > start && isSpace(text[end-1]) {
		end--
	}
	return start, end
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
