package ralph

import (
	"strconv"
	"strings"
)

// kind is what a line of the log is.
type kind int

const (
	output  kind = iota // the agent's words, or anything else
	begin               // of an iteration
	end                 // of the iteration or of its agent
	maybe               // such an end, written as an agent could write it too
	gaveUp              // the loop, out of iterations
	done                // the loop, all that was asked
	wait                // between iterations
	rule                // a line drawn
	promise             // that all is done
	blank
)

// read is a line with what it says.
type read struct {
	written
	kind    kind
	number  int    // begin
	restart bool   // begin: the loop was restarted
	outcome string // end, maybe: as of a run event, "" where only code says it
	code    *int   // end, maybe: the exit code
	word    string // promise
}

// scanner distinguishes the lines of a log. All banners of a log are written in the
// style of its first one and count up; anything else that looks like one is
// something the agent wrote.
type scanner struct {
	phrases *Phrases
	style   string // of the banners, "" before the first
	number  int    // of the current iteration
	ended   bool   // the current iteration, in the loop's own words
	ruled   bool   // the line before was drawn
	loop    bool   // Ralph is named before the first iteration, or by its banner
	marked  bool   // the text has Markdown's marks before its first iteration
	worded  bool   // something was written before
	bare    bool   // the banners have no frame: they need the log's first words and ends
}

// line reads the next line.
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

// begins reads a banner.
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

// ends reads the end of an iteration or of its agent.
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

// loopSays reads what else the loop itself writes.
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
