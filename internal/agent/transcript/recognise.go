package transcript

import (
	"bytes"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

const maxProbes = 40 // records of the head to examine

// Recognise returns the format of a transcript from its beginning, ideally the first HeadSize bytes, with a
// confidence of 1 to 100, or 0 if no format recognises it.
func (list Formats) Recognise(head []byte) (Format, int) { return list.best(Outline(head)) }

func (list Formats) best(h Head) (best Format, confidence int) {
	for _, f := range list {
		if c := f.Recognise(h); c > confidence {
			best, confidence = f, c
		}
	}
	return best, confidence
}

// Inside returns the format of a transcript of turns that is part of a log.
func (list Formats) Inside(head []byte) (Format, bool) {
	f, confidence := list.Recognise(head)
	return f, confidence > 0 && f.holdsTurns() && !f.Whole && !f.Fallback
}

// undecided reports whether a growing text can still turn out to be of a format that is recognised later.
func (list Formats) undecided(head []byte) bool {
	if f, _ := list.Recognise(head); !f.Fallback {
		return false
	}
	for _, f := range list {
		if f.Begins != nil && f.Begins(head) {
			return true
		}
	}
	return false
}

// Outline returns the structure of a transcript's beginning and its first records.
func Outline(head []byte) Head {
	b := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	h := Head{Bytes: b, Structure: Text}
	switch {
	case len(b) == 0:
	case b[0] == '[':
		h.Structure = Array
		h.Probes = elements(b)
		if len(h.Probes) == 0 {
			h.Structure = Text // "[x] done" begins a list, not an array
		}
	case b[0] == '{':
		object(&h, b)
	case bytes.Contains(b, []byte("\n{")):
		h.Probes = lines(b) // damage on the first line
		if len(h.Probes) > 1 {
			h.Structure = Lines
		}
	}
	return h
}

// object distinguishes JSONL from one document that begins with an object.
func object(h *Head, b []byte) {
	probe, whole, size := record.Outline(b)
	rest := bytes.TrimSpace(b[size:])
	switch {
	case len(probe) == 0:
		h.Structure = Text
	case whole && len(rest) == 0:
		h.Structure, h.Probes = One, []record.Probe{probe}
	case whole:
		h.Structure, h.Probes = Lines, lines(b)
	default:
		h.Structure, h.Probes = Object, []record.Probe{probe}
		if first, _, cut := bytes.Cut(b, []byte("\n")); cut && bytes.HasPrefix(first, []byte("{\"")) && len(lines(b)) > 1 {
			h.Structure, h.Probes = Lines, lines(b) // a broken first line
		}
	}
}

func lines(b []byte) []record.Probe {
	var probes []record.Probe
	for len(b) > 0 && len(probes) < maxProbes {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' {
			if probe, _, _ := record.Outline(line); len(probe) > 0 {
				probes = append(probes, probe)
			}
		}
		b = rest
	}
	return probes
}

func elements(b []byte) []record.Probe {
	var probes []record.Probe
	b = b[1:]
	for len(probes) < maxProbes {
		b = bytes.TrimLeft(b, " \t\r\n,")
		if len(b) == 0 || b[0] != '{' {
			break
		}
		probe, whole, size := record.Outline(b)
		if len(probe) > 0 {
			probes = append(probes, probe)
		}
		if !whole || size == 0 {
			break
		}
		b = b[size:]
	}
	return probes
}

// unknown returns the error for a transcript that no format recognises.
func (list Formats) unknown(h Head) error {
	what := "JSON in an unknown format"
	switch {
	case len(h.Bytes) == 0:
		what = "nothing"
	case !IsText(h.Bytes):
		what = "binary data"
	case h.Structure == Text:
		what = "text that is damaged JSON"
	}
	all := list.names(func(Format) bool { return true })
	return fmt.Errorf("%w: the input holds %s; supported are: %s", ErrUnknown, what, all)
}
