package ralph

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// kind is the kind of a line in the log.
type kind int

const (
	output  kind = iota // the agent's words, or anything else
	begin               // of an iteration
	end                 // of the iteration or of its agent
	maybe               // such an end that an agent could also have written
	gaveUp              // the loop ran out of iterations
	done                // the loop completed everything
	wait                // between iterations
	rule                // a drawn line
	promise             // a promise that all is done
	blank
)

// read is a line with its meaning.
type read struct {
	written
	kind    kind
	number  int    // begin
	restart bool   // begin: the loop was restarted
	outcome string // end, maybe: as in a run event, "" if only code gives it
	code    *int   // end, maybe: the exit code
	word    string // promise
}

// scanner classifies the lines of a log. All banners of a log have the style of its first one and count up;
// anything else that looks like a banner is something the agent wrote.
type scanner struct {
	phrases *Phrases
	style   string // style of the banners, "" before the first
	number  int    // number of the current iteration
	ended   bool   // the loop reported the end of the current iteration
	ruled   bool   // the previous line was drawn
	loop    bool   // Ralph is named before the first iteration, or by its banner
	marked  bool   // the text has Markdown before its first iteration
	worded  bool   // text preceded it
	bare    bool   // the banners have no frame: the log needs first words and ends
}

// line classifies the next line.
func (s *scanner) line(text string) read {
	r := read{written: look(text)}
	r.kind = s.kind(&r)
	s.ruled, s.worded = r.rule, s.worded || r.kind != blank && r.kind != rule
	if s.style == "" {
		s.loop = s.loop || strings.Contains(strings.ToLower(r.bare), "ralph")
		s.marked = s.marked || strings.HasPrefix(r.text, "#") && strings.Contains(r.text, "# ") || strings.HasPrefix(strings.TrimSpace(r.text), "```")
	}
	return r
}

func (s *scanner) kind(r *read) kind {
	switch {
	case strings.TrimSpace(r.text) == "":
		return blank
	case len(r.text) > maxWritten:
		return output
	case r.rule:
		return rule
	}
	if m := match(s.phrases.Promises, r.written); m != nil {
		r.word = m["word"]
		return promise
	}
	if k := s.ends(r); k != output {
		return k
	}
	if s.begins(r) {
		return begin
	}
	return s.loopSays(r)
}

// begins recognises a banner.
func (s *scanner) begins(r *read) bool {
	m := match(s.phrases.Begins, r.written)
	if m == nil || r.bullet {
		return false
	}
	number, err := strconv.Atoi(m["number"])
	if err != nil {
		return false
	}
	lower := strings.ToLower(r.bare)
	style := lower[:strings.Index(lower, m["number"])] + "/" + r.frame + strconv.FormatBool(r.stamped)
	named := strings.Contains(lower, "ralph")
	if s.style == "" {
		s.bare = !r.framed && !r.stamped && !s.ruled && !named
		if number > 1 || s.bare && s.worded {
			return false
		}
		s.style, s.number, s.loop = style, number, s.loop || named
		r.number = number
		return true
	}
	again := number <= 1 && (s.number > number || s.number == number && s.ended)
	if style != s.style || number <= s.number && !again {
		return false
	}
	s.number, s.ended, r.number, r.restart = number, false, number, again
	return true
}

// ends recognises the end of an iteration or of its agent.
func (s *scanner) ends(r *read) kind {
	if s.style == "" {
		return output
	}
	m := match(s.phrases.Ends, r.written)
	if m != nil {
		if number, err := strconv.Atoi(m["number"]); err != nil || number != s.number {
			return output
		}
	} else if m = match(s.phrases.Exits, r.written); m == nil {
		return output
	}
	r.outcome = "success"
	switch {
	case m["timeout"] != "":
		r.outcome = "timeout"
	case m["failed"] != "":
		r.outcome = "failure"
	}
	if code, err := strconv.Atoi(m["code"]); err == nil {
		r.code = &code
	}
	if !r.framed && !r.stamped {
		return maybe
	}
	s.ended = true
	return end
}

// loopSays recognises what else the loop itself writes.
func (s *scanner) loopSays(r *read) kind {
	switch {
	case match(s.phrases.GivesUp, r.written) != nil:
		return gaveUp
	case s.style != "" && match(s.phrases.Succeeds, r.written) != nil:
		return done
	case match(s.phrases.Waits, r.written) != nil:
		return wait
	}
	return output
}

// Pattern is one way to express something.
type Pattern struct {
	Pattern *pattern.Regexp `yaml:"pattern" pattern:"fold"`
	Matches []string        `yaml:"matches"`
	Not     []string        `yaml:"not"`
	// FrameOnly requires a frame or a time stamp: without one, an agent could have written it.
	FrameOnly bool `yaml:"frame_only"`
}

// Phrases is the section `loops` of the rules.
type Phrases struct {
	Begins    []*Pattern `yaml:"begins"`
	Ends      []*Pattern `yaml:"ends"`
	Exits     []*Pattern `yaml:"exits"`
	GivesUp   []*Pattern `yaml:"gives_up"`
	Succeeds  []*Pattern `yaml:"succeeds"`
	Waits     []*Pattern `yaml:"waits"`
	Promises  []*Pattern `yaml:"promises"`
	Stillborn []*Pattern `yaml:"stillborn"`
	// Plans are files that list what the loop has to do; LogFolders are separate folders for its logs
	// (IN-13).
	Plans      []string `yaml:"plans"`
	LogFolders []string `yaml:"log_folders"`
}

// Load returns the phrases of a set of rules.
func Load(set *rules.Set) (*Phrases, error) {
	p := &Phrases{}
	if err := set.Decode("loops", p); err != nil {
		return nil, fmt.Errorf("read the phrases of loops: %w", err)
	}
	return p, nil
}

// embedded holds the phrases of the embedded rules.
var embedded = sync.OnceValue(func() *Phrases {
	p, err := Load(rules.Default())
	if err != nil {
		panic(err) // the embedded data is checked by this package's tests
	}
	return p
})

// match returns the groups of the first pattern that matches, nil if none does.
func match(list []*Pattern, l written) map[string]string {
	for _, p := range list {
		if p.FrameOnly && !l.framed && !l.stamped {
			continue
		}
		m := p.Pattern.FindStringSubmatch(l.bare)
		if m == nil {
			continue
		}
		groups := map[string]string{}
		for i, name := range p.Pattern.SubexpNames() {
			if name != "" {
				groups[name] = m[i]
			}
		}
		return groups
	}
	return nil
}

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
