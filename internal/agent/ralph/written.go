package ralph

import (
	"strings"
	"time"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// written is a line of the log, analysed for how it is written.
type written struct {
	text    string // without colours
	bare    string // also without time stamp, level and frame
	framed  bool   // "=== … ===", or an emblem before it
	rule    bool   // nothing but a frame
	stamped bool   // preceded by a time stamp or level
	frame   string // what precedes its words
	bullet  bool   // "- …": a list item
	at      time.Time
}

// maxWritten is how long a line of a loop can be; a longer one is the agent's.
const maxWritten = 400

// fromDate matches a time as date(1) prints it.
const fromDate = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d (?:[AP]M )?[A-Z]{2,5} \d{4}`

var (
	colours = pattern.Must("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)")
	stamp   = pattern.Must(`^\[?(` + fromDate + `|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\d\d:\d\d:\d\d)\]?[ \t]*[|:-]?[ \t]*`)
	inside  = pattern.Must(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|` + fromDate)
	level   = pattern.Must(`^\[(?:INFO|WARN|WARNING|ERROR|SUCCESS|LOOP|DEBUG|RALPH|ralph)\][ \t]*`)
)

// frame are the characters with which loops draw lines. Markdown's * # > and | are excluded: a text about a
// loop is not the log of one.
const frame = "=-━═─~_╔╗╚╝║╠╣┃┏┓┗┛•"

// look analyses how a line is written.
func look(line string) written {
	w := written{text: strings.TrimRight(colours.ReplaceAllString(line, ""), "\r\n\t ")}
	if len(w.text) > maxWritten {
		return w
	}
	rest := strings.TrimSpace(w.text)
	if m := stamp.FindStringSubmatch(rest); m != nil {
		w.at, w.stamped = moment(m[1]), true
		rest = rest[len(m[0]):]
	}
	if m := level.FindString(rest); m != "" {
		w.stamped = true
		rest = rest[len(m):]
	}
	bare := strings.Trim(rest, frame+" \t")
	before := rest[:strings.Index(rest+bare, bare)]
	emblem := strings.TrimLeftFunc(bare, func(r rune) bool { return unicode.Is(unicode.So, r) || r == '\uFE0F' || r == ' ' })
	w.framed = len([]rune(strings.TrimSpace(before))) >= 2 || emblem != bare
	w.frame = strings.TrimSpace(before + strings.TrimSuffix(bare, emblem))
	w.bullet = strings.TrimSpace(before) == "-" || strings.TrimSpace(before) == "•"
	w.bare = emblem
	w.rule = bare == "" && len([]rune(strings.TrimSpace(rest))) >= 3
	if w.at.IsZero() {
		w.at = moment(inside.FindString(w.bare))
	}
	return w
}

var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05-0700", "2006-01-02 15:04:05-0700", "Mon Jan _2 15:04:05 MST 2006", "Mon Jan _2 03:04:05 PM MST 2006",
}

// moment returns the time in a stamp, in UTC if it names no zone; a time without a date gives zero.
func moment(text string) time.Time {
	text = strings.Replace(text, ",", ".", 1)
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil && at.Year() > 1970 && at.Year() < 3000 {
			return at.UTC()
		}
	}
	return time.Time{}
}
