package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow limits the window of a compressed transcript, in bytes, and so the memory for decompression.
const maxWindow = 64 << 20

// zstdMagic is how each zstd frame begins; DeepSeek Harness compresses its logs with zstd.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// packed decompresses a compressed transcript.
type packed struct {
	frames *zstd.Decoder
	torn   bool // it ended in the middle of a frame
}

// unpack returns r, or its decompressed content; packed is nil if r is not compressed.
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

// Read reads decompressed bytes. The log of a writer that was stopped ends in the middle of a frame:
// everything before that is returned.
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
