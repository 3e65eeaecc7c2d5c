package histories

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// History is what one build recorded.
type History struct {
	Identity step.Identity
	Streams  map[events.Stream][]engine.Message
}

// line is one message, or the identity on the first line.
type line struct {
	Identity *step.Identity      `json:"identity,omitempty"`
	Stream   events.Stream       `json:"stream,omitempty"`
	Subject  string              `json:"subject,omitempty"`
	Header   map[string][]string `json:"header,omitempty"`
	Data     json.RawMessage     `json:"data,omitempty"`
}

// order is the order of the streams in a file.
var order = []events.Stream{events.StreamInput, events.StreamSegments, events.StreamSignals, events.StreamDecisions}

// planted marks the place of the sample fleet's secret: no file holds its value (SW-7).
const planted = "{{stripe_key}}"

// Load reads a history.
func Load(path string) (History, error) {
	h := History{Streams: map[events.Stream][]engine.Message{}}
	packed, err := os.ReadFile(path)
	if err != nil {
		return h, fmt.Errorf("read a history: %w", err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		return h, fmt.Errorf("start zstd: %w", err)
	}
	defer decoder.Close()
	text, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return h, fmt.Errorf("unpack %s: %w", path, err)
	}
	lines := bufio.NewScanner(strings.NewReader(demo.PlantSecrets(string(text))))
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return h, fmt.Errorf("%s line %d: %w", path, n, err)
		}
		if l.Identity != nil {
			h.Identity = *l.Identity
			continue
		}
		h.Streams[l.Stream] = append(h.Streams[l.Stream], engine.Message{Subject: l.Subject, Header: l.Header, Data: l.Data})
	}
	return h, lines.Err()
}

// Save writes a history and returns the size of its file.
func (h History) Save(path string) (int, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line{Identity: &h.Identity}); err != nil {
		return 0, fmt.Errorf("encode the identity: %w", err)
	}
	for _, stream := range order {
		for _, m := range h.Streams[stream] {
			before := text.Len()
			if err := encoder.Encode(line{Stream: stream, Subject: m.Subject, Header: m.Header, Data: m.Data}); err != nil {
				return 0, fmt.Errorf("encode %s: %w", m.Subject, err)
			}
			if !bytes.Contains(text.Bytes()[before:], m.Data) {
				return 0, fmt.Errorf("%s: the file would not hold the data byte for byte", m.Subject)
			}
		}
	}
	secret := demo.PlantSecrets(planted)
	hidden := strings.ReplaceAll(text.String(), secret, planted)
	encoded, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return 0, fmt.Errorf("start zstd: %w", err)
	}
	packed := encoded.EncodeAll([]byte(hidden), nil)
	if err := os.WriteFile(path, packed, 0o644); err != nil {
		return 0, fmt.Errorf("write a history: %w", err)
	}
	return len(packed), nil
}
