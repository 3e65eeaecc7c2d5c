package ralph

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Transcript recognises and reads logs of loops; inner returns the format of an iteration's output if that
// is a transcript.
func Transcript(inner func(head []byte) (transcript.Format, bool)) transcript.Format {
	return transcript.Format{
		Name: Name, Title: "log of a loop around an agent (Ralph)", Log: true, Text: true,
		Signs:     "iterations that count up in one style of banner, and how they ended, a promise, or Ralph's name",
		Limits:    "run events, and sessions where an iteration wrote a transcript; see [Ralph loops](agents/ralph.md)",
		Recognise: recognise, Begins: mayBegin,
		Decode: func(a *transcript.Assembler) transcript.Decoder { return newDecoder(a, inner) },
	}
}

// recognise requires iterations that count up from 0 or 1 and another sign of an agent: how one ended, a
// promise, or Ralph's name. Banners without any frame require two ends; a first iteration that fills the
// whole head requires only a frame.
func recognise(h transcript.Head) int {
	if h.Structure == transcript.One || h.Structure == transcript.Object || len(h.Bytes) == 0 || h.Bytes[0] == '{' || !transcript.IsText(h.Bytes) {
		return 0
	}
	s := scanner{phrases: embedded()}
	banners, signs := 0, 0
	framed := false
	held := false // an end that an agent could have written waits for the loop to continue
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

// mayBegin reports whether a growing text may turn out to be a loop's log: its first iteration has begun,
// or Ralph is named.
func mayBegin(head []byte) bool {
	if !transcript.IsText(head) {
		return false
	}
	s := scanner{phrases: embedded()}
	for _, line := range strings.Split(string(head), "\n") {
		s.line(line)
	}
	return !s.marked && (s.loop || s.style != "")
}

// longOutput is how much an agent can write in its first iteration before the iteration's end is outside
// the head by which a format is recognised.
const longOutput = 48 << 10
