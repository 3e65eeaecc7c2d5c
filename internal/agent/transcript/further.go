package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// further looks for the marks of a format beyond the head, however far (IN-1), and returns the format, what
// is then known of the transcript, and a reader of the whole transcript. It holds one record; for input
// that cannot be read twice, it keeps what it examines, up to the largest record.
func (list Formats) further(r io.Reader, in *bufio.Reader, h Head, limit int) (best Format, found Head,
	again *bufio.Reader, err error,
) {
	seeker, twice := r.(io.Seeker)
	var kept bytes.Buffer
	source := io.Reader(in)
	if twice {
		if _, err := seeker.Seek(0, io.SeekCurrent); err != nil {
			twice = false // a pipe
		}
	}
	if !twice {
		source = io.TeeReader(io.LimitReader(in, int64(limit)), &kept)
	}
	best, found, err = list.search(bufio.NewReaderSize(source, HeadSize), h, limit)
	if err != nil {
		return best, found, nil, err
	}
	if !twice {
		return best, found, bufio.NewReaderSize(io.MultiReader(&kept, in), HeadSize), nil
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return best, found, nil, err
	}
	return best, found, bufio.NewReaderSize(r, HeadSize), nil
}

// search returns the first format that is recognised with more confidence than by the head.
func (list Formats) search(in *bufio.Reader, h Head, limit int) (Format, Head, error) {
	found := h
	if h.Structure == Object {
		probe, whole := record.OutlineNext(in)
		found.Probes, found.Structure = []record.Probe{probe}, One
		if more, err := skipSpace(in); err != nil {
			return Format{}, h, err
		} else if whole && more {
			found.Structure = Lines
		}
		if f, confidence := list.best(found); confidence > 0 {
			return f, found, nil
		}
	}
	var records record.Reader
	switch ignore := func(int, int64, string) {}; found.Structure {
	case Lines:
		records = record.NewLines(in, limit, ignore)
	case Array:
		records = record.NewDocument(in, record.Members{}, limit, ignore)
	default:
		return Format{}, h, nil
	}
	for {
		rec, err := records.Next()
		if errors.Is(err, io.EOF) {
			return Format{}, h, nil
		}
		if err != nil {
			return Format{}, h, err
		}
		probe, _, _ := record.Outline(rec.Data)
		found.Probes = []record.Probe{probe}
		if f, confidence := list.best(found); confidence > 0 {
			return f, found, nil
		}
	}
}

// skipSpace reports whether anything but white space follows.
func skipSpace(in *bufio.Reader) (more bool, err error) {
	for {
		c, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)):
			return true, in.UnreadByte()
		}
	}
}
