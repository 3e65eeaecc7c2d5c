package agent

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// ErrUnknown is the cause of the error for input that is no transcript.
var ErrUnknown = errors.New("no known transcript format")

const maxProbes = 40 // records of the head that are looked at

// Recognise names the format of a transcript from its beginning, at best the
// first 64 KB, with a confidence of 1 to 100. Confidence 0 means it is none.
func Recognise(head []byte) (Format, int) {
	f, confidence, _ := recognise(head)
	return f, confidence
}

func recognise(head []byte) (Format, int, format.Head) {
	h := look(head)
	var best Format
	confidence := 0
	for _, f := range Formats() {
		if c := f.Recognise(h); c > confidence {
			best, confidence = f, c
		}
	}
	return best, confidence, h
}

// look finds the structure of the beginning and outlines its first records.
func look(head []byte) format.Head {
	b := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	h := format.Head{Bytes: b, Structure: format.Text}
	switch {
	case len(b) == 0:
	case b[0] == '[':
		h.Structure = format.Array
		h.Probes = elements(b)
		if len(h.Probes) == 0 {
			h.Structure = format.Text // "[x] done" begins a list, not an array
		}
	case b[0] == '{':
		object(&h, b)
	case bytes.Contains(b, []byte("\n{")):
		h.Probes = lines(b) // damage on the first line
		if len(h.Probes) > 1 {
			h.Structure = format.Lines
		}
	}
	return h
}

// object tells JSONL from one document that begins with an object.
func object(h *format.Head, b []byte) {
	probe, whole, size := record.Outline(b)
	rest := bytes.TrimSpace(b[size:])
	switch {
	case len(probe) == 0:
		h.Structure = format.Text
	case whole && len(rest) == 0:
		h.Structure, h.Probes = format.One, []record.Probe{probe}
	case whole:
		h.Structure, h.Probes = format.Lines, lines(b)
	default:
		h.Structure, h.Probes = format.Object, []record.Probe{probe}
		if first, _, cut := bytes.Cut(b, []byte("\n")); cut && bytes.HasPrefix(first, []byte("{\"")) && len(lines(b)) > 1 {
			h.Structure, h.Probes = format.Lines, lines(b) // a broken first line
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

// unknown is the error for a transcript that no format claims.
func unknown(h format.Head) error {
	what := "JSON that is none of them"
	switch {
	case len(h.Bytes) == 0:
		what = "nothing"
	case !format.IsText(h.Bytes):
		what = "binary data"
	case h.Structure == format.Text:
		what = "text that is damaged JSON"
	}
	names := make([]string, 0, len(Formats()))
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return fmt.Errorf("%w: the input holds %s; supported are: %s", ErrUnknown, what, strings.Join(names, ", "))
}
