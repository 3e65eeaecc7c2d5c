package terminal

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Screen is a terminal that is redrawn at every change, on an alternate screen; closing it restores the
// earlier content.
type Screen struct {
	out  io.Writer
	open bool
}

// NewScreen returns a screen on a terminal; nothing is drawn yet.
func NewScreen(out io.Writer) *Screen { return &Screen{out: out} }

// Size returns the terminal's current columns and rows, 80 by 24 if they are unknown.
func (s *Screen) Size() (columns, rows int) {
	if file, ok := s.out.(*os.File); ok {
		if w, h, err := term.GetSize(int(file.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// Show replaces the content.
func (s *Screen) Show(lines []string) error {
	text := "\x1b[H"
	if !s.open {
		text = "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H"
		s.open = true
	}
	_, err := io.WriteString(s.out, text+strings.Join(lines, "\x1b[K\r\n")+"\x1b[K\x1b[J")
	return err
}

// Close restores the terminal; it may be called more than once.
func (s *Screen) Close() error {
	if !s.open {
		return nil
	}
	s.open = false
	_, err := io.WriteString(s.out, "\x1b[?25h\x1b[?1049l")
	return err
}
