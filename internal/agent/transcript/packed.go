package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the largest window of a packed transcript, in bytes: what unpacking holds.
const maxWindow = 64 << 20

// zstdMagic begins each frame of zstd, which DeepSeek Harness packs its logs in.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// packed reads what a packed transcript holds.
type packed struct {
	frames *zstd.Decoder
	torn   bool // it ended in the middle of a frame
}

// unpack returns r, or what it holds where it is packed; packed is nil where it is not.
func unpack(r io.Reader) (io.Reader, *packed, error) {
	seeker, twice := r.(io.ReadSeeker)
	if twice {
		if _, err := seeker.Seek(0, io.SeekCurrent); err != nil {
			twice = false // a pipe
		}
	}
	if !twice {
		in := bufio.NewReaderSize(r, HeadSize)
		if head, _ := in.Peek(len(zstdMagic)); !bytes.Equal(head, zstdMagic) {
			return in, nil, nil
		}
		return unpacking(in)
	}
	head := make([]byte, len(zstdMagic))
	_, err := io.ReadFull(seeker, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(head, zstdMagic) {
		return r, nil, nil
	}
	return unpacking(r)
}

func unpacking(r io.Reader) (io.Reader, *packed, error) {
	frames, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, fmt.Errorf("unpack it: %w", err)
	}
	p := &packed{frames: frames}
	return p, p, nil
}

// Read reads on. A log whose writer was stopped ends in the middle of a frame: what was
// whole before is there.
func (p *packed) Read(b []byte) (int, error) {
	n, err := p.frames.Read(b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		p.torn = true
		err = io.EOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("unpack it: %w", err)
	}
	return n, err //nolint:wrapcheck // io.EOF as it is
}
