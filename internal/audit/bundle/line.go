package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/strict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// maxLine limits the size of a message in a bundle, in bytes.
const maxLine = 64 << 20

// line is a message as a line of JSON.
type line struct {
	Sequence uint64              `json:"sequence"`
	Time     time.Time           `json:"time"`
	Subject  string              `json:"subject"`
	Header   map[string][]string `json:"header,omitempty"`
	Data     string              `json:"data,omitempty"`
	Bytes    []byte              `json:"bytes,omitempty"` // base64, for data that is not UTF-8
}

func encodeLine(m proof.Message) ([]byte, error) {
	l := line{Sequence: m.Sequence, Time: m.Time.UTC(), Subject: m.Subject, Header: maps.Clone(m.Header)}
	maps.DeleteFunc(l.Header, func(name string, _ []string) bool { return brokers(name) })
	if utf8.Valid(m.Data) {
		l.Data = string(m.Data)
	} else {
		l.Bytes = m.Data
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(l); err != nil {
		return nil, fmt.Errorf("encode message %d: %w", m.Sequence, err)
	}
	return out.Bytes(), nil
}

func decodeLine(text []byte) (proof.Message, error) {
	var l line
	if err := strict.Decode(text, &l); err != nil {
		return proof.Message{}, fmt.Errorf("read a message: %w", err)
	}
	data := l.Bytes
	switch {
	case len(data) == 0:
		data = []byte(l.Data)
	case l.Data != "" || utf8.Valid(data):
		return proof.Message{}, errors.New("read a message: its data is repeated, or not in the canonical form")
	}
	return proof.Message{Sequence: l.Sequence, Time: l.Time, Subject: l.Subject, Header: l.Header, Data: data}, nil
}

// brokers reports whether a header is set by the broker; marks do not cover those.
func brokers(name string) bool { return strings.HasPrefix(name, "Nats-") }

// kindSkip is a stage's record of an input that it skipped: skip.STAGE.PARTITION.GROUP.
const kindSkip subjects.SubjectKind = "skip"

// placeOf parses the subjects that stages write; ok is false for any other subject.
func placeOf(subject string) (s subjects.Subject, ok bool) {
	if rest, is := strings.CutPrefix(subject, "skip."); is {
		s, err := subjects.ParseSubject("snap." + rest)
		s.Kind = kindSkip
		return s, err == nil
	}
	s, err := subjects.ParseSubject(subject)
	return s, err == nil && s.Kind != subjects.KindPublished
}
