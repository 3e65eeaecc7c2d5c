package client

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Shed is an event that was dropped, with the reason (EV-11).
type Shed struct {
	ID      string      `json:"id"`
	Type    events.Type `json:"type"`
	Subject string      `json:"subject"` // session or run
	Time    time.Time   `json:"time"`    // of the event
	Reason  string      `json:"reason"`
	// File is where a refused event was set aside; empty if the spool was full.
	File string `json:"file,omitempty"`
}

// ShedError is returned when an event could neither be sent nor spooled.
type ShedError struct {
	Shed Shed
	Err  error // why the event did not reach JetStream
}

// Error names the event, the spool's problem and what kept the event from JetStream.
func (e *ShedError) Error() string {
	return fmt.Sprintf("shed %s %s of %s: %s (%v)", e.Shed.Type, e.Shed.ID, e.Shed.Subject, e.Shed.Reason, e.Err)
}

// Unwrap returns what kept the event from JetStream.
func (e *ShedError) Unwrap() error { return e.Err }

// Stats counts what a publisher has done since it was created. Spooled and Shed describe
// the spool's folder and outlive the process.
type Stats struct {
	Published uint64 // acknowledged by INPUT
	Retries   uint64 // attempts that failed and were repeated
	Spooled   int    // events waiting on disk
	Shed      int    // dropped events, as far as shed.jsonl holds them
}

type counters struct{ published, retries, shed atomic.Uint64 }

// Stats returns the counts. Without a spool, Spooled and Shed are 0.
func (p *Publisher) Stats() (Stats, error) {
	out := Stats{Published: p.counts.published.Load(), Retries: p.counts.retries.Load(), Shed: int(p.counts.shed.Load())}
	if p.spool == nil {
		return out, nil
	}
	waiting, err := p.spool.list()
	if err != nil {
		return out, err
	}
	lines, err := p.spool.shedLines()
	out.Spooled, out.Shed = len(waiting), max(out.Shed, lines)
	return out, err
}

// shed reports a dropped event: to the caller's function, to the counts and to shed.jsonl
// in the spool.
func (p *Publisher) shed(e events.Event, reason, file string) Shed {
	s := Shed{ID: e.ID, Type: e.Type, Subject: e.Subject, Time: e.Time, Reason: reason, File: file}
	p.counts.shed.Add(1)
	p.spool.noteShed(s)
	p.options.OnShed(s)
	return s
}

const (
	shedFile      = "shed.jsonl"
	shedFileLimit = 1 << 20
)

// noteShed appends a line while the file is small. A failure is ignored: the count and
// the caller's function report the event as well.
func (s *spool) noteShed(shed Shed) {
	path := filepath.Join(s.dir, shedFile)
	if info, err := os.Stat(path); err == nil && info.Size() > shedFileLimit {
		return
	}
	line, err := json.Marshal(shed)
	if err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(line, '\n'))
	_ = f.Close()
}

func (s *spool) shedLines() (int, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, shedFile))
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the events shed by the spool: %w", err)
	}
	count := 0
	for _, c := range data {
		if c == '\n' {
			count++
		}
	}
	return count, nil
}
