package ralph

import (
	"strconv"
	"strings"
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
