package ralph

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
)

// Name is the format's name.
const Name = "ralph"

// Format recognises and reads logs of loops. inner finds the format of what an
// iteration wrote where that is a transcript.
func Format(inner func(head []byte) (format.Format, bool)) format.Format {
	return format.Format{
		Name: Name, Title: "log of a loop around an agent (Ralph)", Log: true, Text: true,
		Recognise: recognise,
		Decode:    func(a *assemble.Assembler) format.Decoder { return newDecoder(a, inner) },
	}
}

// recognise asks for iterations that count up from 0 or 1 and for a sign of an
// agent beside them: how one ended, a promise, or Ralph's name. Banners without
// any frame need two ends; a first iteration that fills all that is looked at
// needs a frame alone.
func recognise(h format.Head) int {
	if h.Structure == format.One || h.Structure == format.Object || len(h.Bytes) == 0 || h.Bytes[0] == '{' || !format.IsText(h.Bytes) {
		return 0
	}
	s := scanner{phrases: embedded()}
	banners, signs := 0, 0
	framed := false
	held := false // an end that an agent could have written waits for the loop to go on
	for _, line := range strings.Split(string(h.Bytes), "\n") {
		switch r := s.line(line); r.kind {
		case begin:
			banners++
			framed = framed || r.framed
			if held {
				signs++
			}
			held = false
		case end, promise:
			if banners > 0 {
				signs++
			}
		case maybe:
			held = true
		case output:
			held = false
		}
	}
	if held {
		signs++
	}
	switch {
	case banners == 0 || s.marked, s.bare && (banners < 2 || signs < 2):
		return 0
	case signs > 0, s.loop && banners > 1:
		return 99
	case s.loop, framed && len(h.Bytes) >= longOutput:
		return 60
	}
	return 0
}

// MayBegin reports whether a text that grows may turn out to be a loop's log once
// there is more of it: its first iteration has begun, or Ralph is named.
func MayBegin(head []byte) bool {
	if !format.IsText(head) {
		return false
	}
	s := scanner{phrases: embedded()}
	for _, line := range strings.Split(string(head), "\n") {
		s.line(line)
	}
	return !s.marked && (s.loop || s.style != "")
}

// longOutput is how much an agent can write in its first iteration before the
// end of that lies outside of what a format is recognised by.
const longOutput = 48 << 10
