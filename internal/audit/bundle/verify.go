package bundle

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// maxFaults limits how many faults a report lists.
const maxFaults = 100

// Options configure [Bundle.Verify].
type Options struct {
	Keys chain.Keys // keys of the stages
	// Known are the keys that may sign manifests and anchors.
	Known map[string]note.Verifier
	// Anchors are known in addition to those in the bundle.
	Anchors []chain.Anchor

	// content ignores which keys signed.
	content bool
}

// Report is what a verification found.
type Report struct {
	Verified  bool              `json:"verified"`
	Selection string            `json:"selection"`
	Groups    []string          `json:"groups"`
	SignedBy  string            `json:"signed_by,omitempty"` // known key that signed
	Anchors   int               `json:"anchors"`             // anchors that match
	Streams   []StreamReport    `json:"streams"`
	KeyStates map[string]string `json:"keys,omitempty"` // state of each key of a stage: trusted, revoked …
	Faults    []*Fault          `json:"faults"`
	NotProven []string          `json:"not_proven"`
	more      int
	authentic map[events.Stream]bool
}

// StreamReport counts what was read from a stream.
type StreamReport struct {
	Name       events.Stream `json:"name"`
	Batches    int           `json:"batches"`
	Events     int           `json:"events"`
	Partitions []int         `json:"partitions"`
}

// Verify checks that the bundle is complete and that each message is what a stage committed at its place:
// its mark is in the checkpoint that ends its batch, and that checkpoint names the previous one, is signed
// by a key that counts, and is the one that the next stage names. It returns an error if the file cannot be
// read.
func (b *Bundle) Verify(o Options) (*Report, error) {
	v := &verification{
		bundle: b, options: o, anchors: slices.Clone(o.Anchors), heads: map[events.Stream]map[headKey]head{},
		found:   contents{recorded: identities{}, decided: map[string]bool{}},
		records: map[events.Stream]map[int]records{}, uses: map[events.Stream]map[int]uses{}, report: &Report{
			Selection: b.Manifest.Selection, Groups: b.Manifest.Groups, Faults: []*Fault{}, NotProven: []string{},
			KeyStates: map[string]string{}, authentic: map[events.Stream]bool{},
		},
	}
	err := b.Manifest.misnamed()
	if err == nil {
		err = v.files()
	}
	var fault *Fault
	if errors.As(err, &fault) {
		v.fault(fault)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	v.report.close()
	return v.report, nil
}

// OpenWhole opens a bundle and checks that it is complete and consistent, so that nothing is read from a
// bundle that was edited, truncated, reordered or mixed (AU-11). It does not check whose keys signed it:
// see [Bundle.Verify]. The error is the first *[Fault].
func OpenWhole(path string) (*Bundle, error) {
	b, err := Open(path)
	if err != nil {
		return nil, err
	}
	report, err := b.Verify(Options{content: true})
	if err == nil && !report.Verified {
		err = report.Faults[0]
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

type headKey struct {
	partition int
	sequence  uint64
}

// verification is the state of one call of Verify.
type verification struct {
	bundle  *Bundle
	options Options
	report  *Report
	heads   map[events.Stream]map[headKey]head
	records map[events.Stream]map[int]records // by partition; nil if an earlier build made the bundle
	uses    map[events.Stream]map[int]uses    // by partition
	anchors []chain.Anchor
	found   contents
}

// within reports whether the system has a partition of this number.
func (v *verification) within(partition int) bool {
	return partition >= 0 && partition < v.bundle.Manifest.Partitions
}

func (v *verification) fault(f *Fault) {
	if len(v.report.Faults) == maxFaults {
		v.report.more++
		return
	}
	v.report.Faults = append(v.report.Faults, f)
}

// files reads all files in order.
func (v *verification) files() error {
	expected := slices.Clone(v.bundle.Manifest.Files)
	first := true
	err := v.bundle.entries(func(name string, in io.Reader) error {
		switch {
		case first:
			first = false
			_, err := io.Copy(io.Discard, in)
			return err
		case name == signatureFile && len(expected) == len(v.bundle.Manifest.Files):
			return v.signature(in)
		}
		at := slices.IndexFunc(expected, func(f File) bool { return f.Name == name })
		switch {
		case at < 0:
			return &Fault{File: name, What: "it is not in the manifest, or a second time in the bundle"}
		case at > 0:
			v.fault(&Fault{File: expected[0].Name, What: fmt.Sprintf("missing, or after %s", name)})
		}
		f := expected[at]
		expected = slices.Delete(expected, at, at+1)
		return v.file(f, in)
	})
	for _, f := range expected {
		if err == nil {
			v.fault(&Fault{File: f.Name, What: "missing: the bundle is truncated"})
		}
	}
	if err != nil {
		return err
	}
	for _, f := range v.found.compare(&v.bundle.Manifest) {
		v.fault(f)
	}
	v.compareAnchors()
	if !v.options.content {
		v.doubts()
	}
	return nil
}

func (v *verification) signature(in io.Reader) error {
	data, err := small(signatureFile, in, maxSmall)
	if err != nil {
		return err
	}
	signers, err := signedBy(v.bundle.manifest, data, v.options.Known)
	if err != nil {
		v.fault(&Fault{File: signatureFile, What: err.Error()})
		return nil
	}
	// It was signed after the last message was stored.
	signer, revoked, err := v.options.Keys.Judge(signers, v.bundle.Manifest.Through)
	switch {
	case err != nil:
		v.fault(&Fault{File: signatureFile, What: err.Error()})
	case revoked.IsZero():
		v.report.SignedBy = signer
	default:
		v.report.NotProven = append(v.report.NotProven, "that the manifest was signed in time: "+chain.Doubt(signer, revoked))
	}
	return nil
}

// file checks one file. A wrong digest is reported in addition to the faults in the lines, which are more
// specific.
func (v *verification) file(f File, in io.Reader) error {
	err := whole(f, in, func(in io.Reader) error {
		switch {
		case f.Stream != "":
			return v.stream(f, in)
		case strings.HasPrefix(f.Name, anchorFolder):
			return v.anchor(f, in)
		case strings.HasPrefix(f.Name, keysFolder):
			return v.succession(f, in)
		}
		return nil
	})
	var fault *Fault
	if errors.As(err, &fault) {
		v.fault(fault)
		if fault.ends {
			return errStop
		}
		return nil
	}
	return err
}

func (v *verification) stream(f File, in io.Reader) error {
	s := &streamCheck{v: v, file: f, partitions: map[int]*partitionCheck{}}
	v.heads[f.Stream] = map[headKey]head{}
	if err := lines(f.Name, in, s.take); err != nil {
		return err
	}
	s.end()
	v.report.Streams = append(v.report.Streams, s.report())
	return nil
}

// verifier returns a verifier for the trusted keys of a stage and those that they named as successors in a
// partition (AU-3). Revocation is checked where the time of a checkpoint is known.
func (v *verification) verifier(stage string, named records) proof.Verifier {
	trusted := v.options.Keys.Trusted[stage]
	if len(trusted) > 0 {
		trusted = slices.Concat(trusted, v.successors(named))
	}
	return proof.Verifier{Stage: stage, Trusted: trusted}
}

// checkpointOf opens a checkpoint and records its key.
func (v *verification) checkpointOf(stream events.Stream, partition int, m *proof.Message, named records) (*proof.Checkpoint, string) {
	verifier := v.verifier(subjects.StageOf(stream), named)
	if m.Subject != subjects.CheckpointSubject(verifier.Stage, partition) {
		return nil, fmt.Sprintf("the %s writes no checkpoint on the subject %.80q", verifier.Stage, m.Subject)
	}
	c, reason := verifier.Open(partition, m.Data)
	if c != nil && c.Key != "" {
		v.report.KeyStates[c.Key] = v.options.Keys.State(stream, c.Key)
		if v.report.KeyStates[c.Key] == "not trusted" {
			v.report.KeyStates[c.Key] = "trusted by its predecessor"
		}
		v.report.authentic[stream] = len(verifier.Trusted) > 0
	}
	return c, reason
}

func (v *verification) anchor(f File, in io.Reader) error {
	data, err := small(f.Name, in, maxSmall)
	if err != nil {
		return err
	}
	if len(v.options.Known) == 0 {
		return nil
	}
	all, err := chain.OpenAnchors(data, v.options.Known, v.options.Keys)
	if err != nil {
		return &Fault{File: f.Name, What: err.Error()}
	}
	for _, a := range all {
		a.File = f.Name
		v.anchors = append(v.anchors, a)
	}
	return nil
}

// compareAnchors looks up the anchored heads in this part of the chain.
func (v *verification) compareAnchors() {
	for _, a := range v.anchors {
		fits := false
		for _, h := range a.Heads {
			found, here := v.heads[h.Stream][headKey{h.Partition, h.Sequence}]
			switch {
			case here && found.digest != h.Digest:
				v.fault(&Fault{File: fileOf(h.Stream), Sequence: h.Sequence, What: "another checkpoint than the one anchored in " + a.File})
			case here:
				fits = true
			}
		}
		switch {
		case fits && a.Revoked.IsZero():
			v.report.Anchors++
		case fits:
			v.report.NotProven = append(v.report.NotProven, "what the anchor in "+a.File+" says: "+chain.Doubt(a.Signer, a.Revoked))
		}
	}
}
