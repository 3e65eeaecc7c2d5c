package terminal

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Screen is a terminal that is redrawn at every change, on an alternate screen; the
// earlier content returns at the end.
type Screen struct {
	out  io.Writer
	open bool
}

// NewScreen takes the output of a terminal; nothing is drawn yet.
func NewScreen(out io.Writer) *Screen { return &Screen{out: out} }

// Size is the terminal's columns and rows now, 80 by 24 where they are not known.
func (s *Screen) Size() (columns, rows int) {
	if file, ok := s.out.(*os.File); ok {
		if w, h, err := term.GetSize(int(file.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// Show replaces what is seen.
func (s *Screen) Show(lines []string) error {
	text := "\x1b[H"
	if !s.open {
		text = "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H"
		s.open = true
	}
	_, err := io.WriteString(s.out, text+strings.Join(lines, "\x1b[K\r\n")+"\x1b[K\x1b[J")
	return err
}

// Close gives the terminal back as it was; more than one call does no harm.
func (s *Screen) Close() error {
	if !s.open {
		return nil
	}
	s.open = false
	_, err := io.WriteString(s.out, "\x1b[?25h\x1b[?1049l")
	return err
}
