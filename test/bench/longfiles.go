package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/hardcodedsecret"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/injection"
	"github.com/scaffoldwatch/scaffoldwatch/detectors/weakcrypto"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/bench/longfile"
)

// Aims of what the detectors of insecure code take together.
const (
	longLines = 3000
	longAim   = 60 * time.Millisecond
	editLines = 30
	editAim   = time.Millisecond
)

// longFiles writes a file of 3,000 lines at once, in each language, and the same code as edits of
// 30 lines, and prints what B1, B2 and B3 take together: processor time. The baseline is what no
// reader of code can avoid: telling comments and strings from code once.
func longFiles(_ context.Context, s scale) error {
	runtime.LockOSThread() // whose clock is read
	defer runtime.UnlockOSThread()
	var instances []detect.Instance
	for _, d := range []*detect.Detector{hardcodedsecret.Detector, injection.Detector, weakcrypto.Detector} {
		instance, err := d.New(rules.Default())
		if err != nil {
			return err
		}
		instances = append(instances, instance)
	}
	for _, language := range longfile.Languages {
		lines := strings.Split(longfile.File(language, longLines), "\n")
		whole := [][]string{lines}
		var edits [][]string
		for at := 0; at < len(lines); at += editLines {
			edits = append(edits, lines[at:min(at+editLines, len(lines))])
		}
		rounds := s.of(10)
		baseline := fastest(rounds, func() { syntax.Read(language, strings.Join(lines, "\n")).Masked() })
		long := fastest(rounds, func() { detected(instances, language, whole) })
		edit := fastest(rounds, func() { detected(instances, language, edits) }) / time.Duration(len(edits))
		fmt.Printf("  %-10s %d lines: %5.1f ms (aim %.0f: %s), %.0f times telling comments from code; an edit of %d lines: %.2f ms (aim %.0f: %s)\n",
			language, len(lines), long.Seconds()*1e3, longAim.Seconds()*1e3, verdict(long <= longAim), long.Seconds()/baseline.Seconds(),
			editLines, edit.Seconds()*1e3, editAim.Seconds()*1e3, verdict(edit <= editAim))
	}
	return nil
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}

// fastest returns the least processor time of several rounds: what the code costs without what the rest of
// a busy machine adds.
func fastest(rounds int, work func()) time.Duration {
	best := time.Duration(0)
	for i := range rounds + 1 { // the first warms up
		began := threadTime()
		work()
		if took := threadTime() - began; i > 0 && (best == 0 || took < best) {
			best = took
		}
	}
	return best
}

// detected passes each text to the detectors as a turn that creates a file with it.
func detected(instances []detect.Instance, language string, texts [][]string) {
	for _, lines := range texts {
		hunk := sessionevents.Hunk{NewStart: 1}
		for _, l := range lines {
			hunk.Lines = append(hunk.Lines, "+"+l)
		}
		segment := sessionevents.Segment{
			Kind: sessionevents.SegmentDiff, Language: language, Path: "src/orders",
			Imports: syntax.Imports(language, strings.Join(lines, "\n")),
			Diff:    &sessionevents.Diff{Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{hunk}},
		}
		turn := &sessionevents.TurnSegmented{Turn: 1, Segments: []sessionevents.Segment{segment}}
		reader := syntax.NewReader()
		for _, d := range instances {
			d.Run(&detect.Pass{Turn: turn, State: d.NewState(), Reader: reader})
		}
	}
}
