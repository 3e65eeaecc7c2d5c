package all

import (
	"bytes"
	"io"
	"os"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// frames packs each line of data in a frame of its own, as DeepSeek Harness does.
func frames(t *testing.T, data []byte) []byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true))
	require.NoError(t, err)
	var out []byte
	for line := range bytes.SplitAfterSeq(data, []byte("\n")) {
		if len(line) > 0 {
			out = encoder.EncodeAll(line, out)
		}
	}
	return out
}

// A packed log gives what the plain one gives, from a file, a pipe, and byte by byte (IN-20).
func TestAPackedTranscript(t *testing.T) {
	data, err := os.ReadFile("../dsh/testdata/dsh.jsonl")
	require.NoError(t, err)
	_, want := drain(t, bytes.NewReader(data), transcript.Options{})
	whole := frames(t, data)
	for name, r := range map[string]io.Reader{
		"file":         bytes.NewReader(whole),
		"pipe":         iotest.DataErrReader(bytes.NewBuffer(whole)),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(whole)),
	} {
		s, all := drain(t, r, transcript.Options{})
		require.Equal(t, "dsh", s.Format().Name, name)
		require.Equal(t, want, all, name)
		_, problems := s.Problems()
		require.Zero(t, problems, name)
	}
}

// A log whose writer was stopped in the middle of a frame is read up to there, and says so;
// one that is damaged is an error, and what is packed twice is binary data (IN-1).
func TestAPackedTranscriptThatIsDamaged(t *testing.T) {
	data, err := os.ReadFile("../dsh/testdata/dsh.jsonl")
	require.NoError(t, err)
	whole := frames(t, data)
	s, all := drain(t, bytes.NewReader(whole[:len(whole)-20]), transcript.Options{})
	require.Equal(t, "dsh", s.Format().Name)
	require.NotEmpty(t, all)
	list, total := s.Problems()
	require.Equal(t, 1, total)
	require.Contains(t, list[0].Reason, "breaks off")

	broken := bytes.Clone(whole)
	for i := len(broken) / 2; i < len(broken)/2+40; i++ {
		broken[i] ^= 0xff
	}
	source, err := Formats().Open(bytes.NewReader(broken), transcript.Options{})
	for err == nil {
		_, err = source.Next()
	}
	require.NotErrorIs(t, err, io.EOF)

	_, err = Formats().Open(bytes.NewReader(frames(t, whole)), transcript.Options{})
	require.ErrorIs(t, err, transcript.ErrUnknown)
}

func FuzzPacked(f *testing.F) {
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd})
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00\x11\x00\x00{}\n\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = append([]byte{0x28, 0xb5, 0x2f, 0xfd}, data...)
		s, err := Formats().Open(bytes.NewReader(data), transcript.Options{MaxRecord: 1 << 20})
		for n := 0; err == nil && n < 10_000; n++ {
			_, err = s.Next()
		}
		require.Error(t, err)
	})
}
