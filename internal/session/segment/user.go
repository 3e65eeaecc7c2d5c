package segment

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// user adds the USER segment of a user block: what the person said, without what the
// harness added. A block that no person typed adds none.
func (b *builder) user(s string, offset int, from origin) {
	b.injectedInstructions(s)
	if b.config.harness(strings.TrimLeft(s, " \r\n\t")) {
		return
	}
	var words []string
	first, last := -1, 0
	for _, part := range b.personal(s) {
		start, end := trimmed(s, part.start, part.end)
		if start == end || b.config.injected(s[start:end]) {
			continue
		}
		kept := b.config.withoutLines(s[start:end])
		if kept == "" {
			continue
		}
		if first < 0 {
			first = start
		}
		words, last = append(words, kept), end
	}
	if first < 0 {
		return
	}
	b.add(sessionevents.Segment{
		Kind: sessionevents.SegmentUser, Text: text.Head(strings.Join(words, "\n"), b.config.Limits.Text),
		Offset: offset + first, Length: last - first,
	}, from)
}

// harness reports whether a harness wrote the whole message, because of a prefix or
// because it begins with a notification.
func (cfg *Config) harness(text string) bool {
	if cfg.injected(text) {
		return true
	}
	if !strings.HasPrefix(text, "<") {
		return false
	}
	name, _ := tagAt(text, 0)
	return slices.Contains(cfg.NotificationTags, name)
}

// withoutLines drops the lines that a harness adds.
func (cfg *Config) withoutLines(text string) string {
	for _, mark := range cfg.InjectedLines {
		if !strings.Contains(text, mark) {
			continue
		}
		lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
			return strings.HasPrefix(strings.TrimSpace(line), mark)
		})
		text = strings.TrimSpace(strings.Join(lines, "\n"))
	}
	return text
}

func (cfg *Config) injected(text string) bool {
	for _, prefix := range cfg.InjectedPrefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

type span struct{ start, end int }

// personal returns the text outside injected elements, and inside elements whose content
// is the person's. An element without an end tag at the beginning of the text extends to
// its end.
func (s *Segmenter) personal(text string) (out []span) {
	from := 0
	for at := 0; at < len(text); {
		open := strings.IndexByte(text[at:], '<')
		if open < 0 {
			break
		}
		open += at
		name, afterOpen := tagAt(text, open)
		kept, known := s.tags[name]
		if !known {
			at = open + 1
			continue
		}
		closing := "</" + name + ">"
		inner := len(text)
		after := len(text)
		if i := strings.Index(text[afterOpen:], closing); i >= 0 {
			inner, after = afterOpen+i, afterOpen+i+len(closing)
		} else if talkedOf(text, open, afterOpen) {
			at = open + 1
			continue
		}
		out = append(out, span{from, open})
		if kept {
			out = append(out, span{afterOpen, inner})
		}
		from, at = after, after
	}
	return append(out, span{from, len(text)})
}

// talkedOf reports whether a person writes about a tag: it begins neither the text nor an
// element, but is followed by text like a word.
func talkedOf(text string, open, afterOpen int) bool {
	return strings.TrimSpace(text[:open]) != "" && afterOpen < len(text) && strings.IndexByte(" `\"').,:;?!/", text[afterOpen]) >= 0
}

// tagAt reads <name …> at i and returns the name and where the tag ends.
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
func trimmed(s string, start, end int) (int, int) {
	for start < end && text.IsBlank(s[start]) {
		start++
	}
	for end > start && text.IsBlank(s[end-1]) {
		end--
	}
	return start, end
}
