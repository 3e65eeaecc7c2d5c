package workrail

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// storeManifest recognises and reads a session's manifest.jsonl with the segments next to it that it names.
// It grows, so a session is followed through it.
var storeManifest = transcript.Format{
	Name: StoreName, Title: "WorkRail session store (manifest.jsonl with events)", Log: true,
	Signs:  "`manifestIndex` with `segmentRelPath` or `snapshotRef`",
	Limits: "run and phase events, with the segments next to the manifest; see [WorkRail](agents/workrail.md)",
	Recognise: func(h transcript.Head) int {
		return transcript.Best(h, func(p record.Probe) int {
			if p.Has("manifestIndex", "sessionId") && (p.Has("segmentRelPath") || p.Has("snapshotRef")) {
				return 98
			}
			return 0
		})
	},
	Decode: func(a *transcript.Assembler) transcript.Decoder { return &manifestDecoder{a: a, fold: newFold(a)} },
}

// storeSegment reads events of a session without its manifest.
var storeSegment = transcript.Format{
	Name: SegmentName, Title: "WorkRail session events (JSONL)", Log: true, Document: true,
	Signs:  "`eventId`, `eventIndex`, `dedupeKey` and `kind` with `data`",
	Limits: "if their manifest is next to them, they are read with it; see [WorkRail](agents/workrail.md)",
	Recognise: func(h transcript.Head) int {
		return transcript.Best(h, func(p record.Probe) int {
			if p.Has("eventId", "eventIndex", "sessionId", "kind") && (p.Has("dedupeKey") || p.Has("timestampMs")) {
				return 97
			}
			return 0
		})
	},
	Decode: func(a *transcript.Assembler) transcript.Decoder { return newSegment(a) },
}

// maxSegment limits how much of one segment is read, in bytes.
const maxSegment = 16 << 20

type manifestDecoder struct {
	a    *transcript.Assembler
	fold *fold
	next int64 // index of the next event
}

// Record reads the segment that a line names.
func (d *manifestDecoder) Record(r record.Record) error {
	var l struct {
		Kind    loose.String `json:"kind"`
		Session loose.String `json:"sessionId"`
		Path    loose.String `json:"segmentRelPath"`
		First   loose.Int    `json:"firstEventIndex"`
	}
	if err := json.Unmarshal(r.Data, &l); err != nil {
		return fmt.Errorf("not a line of a manifest: %w", err)
	}
	switch l.Kind {
	case "segment_closed":
	case "snapshot_pinned":
		return nil
	default:
		d.a.Problem("a line of unknown kind: %s", plainName(l.Kind))
		return nil
	}
	name := path.Clean(string(l.Session) + "/" + strings.ReplaceAll(string(l.Path), `\`, "/"))
	if l.Session == "" || !fs.ValidPath(name) || !strings.HasPrefix(name, string(l.Session)+"/") {
		return errors.New("a segment that is not below its session")
	}
	if d.a.Options().Beside == nil {
		return errors.New("a segment that is not next to its manifest")
	}
	file, err := d.a.Options().Beside.Open(name)
	if err != nil {
		return errors.New("a segment that is not next to its manifest: its content is unknown")
	}
	defer func() { _ = file.Close() }() // it was only read
	return d.segment(io.LimitReader(file, maxSegment))
}

// segment reads events. It skips those that were read before.
func (d *manifestDecoder) segment(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxSegment)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		e, err := readEvent(lines.Bytes())
		if err != nil {
			d.a.Problem("%v", err)
			continue
		}
		if int64(e.Index) < d.next {
			continue
		}
		d.next = int64(e.Index) + 1
		d.fold.take(e)
	}
	return lines.Err()
}

// End emits what was held back.
func (d *manifestDecoder) End() { d.fold.end() }

type segmentDecoder struct {
	fold   *fold
	hidden bool // its manifest reads it
}

func newSegment(a *transcript.Assembler) *segmentDecoder {
	d := &segmentDecoder{fold: newFold(a)}
	if beside := a.Options().Beside; beside != nil {
		if file, err := beside.Open("manifest.jsonl"); err == nil {
			_ = file.Close() // only its existence matters
			d.hidden = true
		}
	}
	return d
}

// Record reads one event.
func (d *segmentDecoder) Record(r record.Record) error {
	if d.hidden {
		return nil
	}
	e, err := readEvent(r.Data)
	if err != nil {
		return err
	}
	d.fold.take(e)
	return nil
}

// End emits what was held back.
func (d *segmentDecoder) End() { d.fold.end() }
