package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Names of the files in a bundle, in order. Anchors follow.
const (
	manifestFile  = "manifest.json"
	signatureFile = "manifest.note"
	rulesFile     = "rules.yaml"
	anchorFolder  = "anchors/"
)

// Version is the format version of bundles that this build writes.
const Version = 1

// Manifest describes the content of a bundle.
type Manifest struct {
	Version    int       `json:"version"`
	Selection  string    `json:"selection"` // how the groups were selected, in the syntax of the command
	Groups     []string  `json:"groups"`    // sorted
	Partitions int       `json:"partitions"`
	Through    time.Time `json:"through"` // time of the last message
	Build      string    `json:"build"`   // version of the program that wrote it
	// Rules and RulesHash describe the configuration at the time of the export; Recorded lists the rules
	// and configurations that the events name (EV-2).
	Rules       string        `json:"rules_version"`
	RulesHash   string        `json:"rules_hash"`
	IdleTimeout time.Duration `json:"idle_timeout"` // in nanoseconds
	Recorded    []Identity    `json:"recorded"`
	Files       []File        `json:"files"` // all but the manifest and its signature, in order
	// Keys are the public keys that the exporting system trusted for each stage. Readers decide for
	// themselves which keys to trust.
	Keys map[string][]string `json:"keys,omitempty"`
}

// Identity identifies the rules under which events were decided.
type Identity struct {
	Rules  string `json:"rules_version"`
	Config string `json:"config_hash"`
	Events int    `json:"events"`
}

// File describes one file of a bundle.
type File struct {
	Name     string        `json:"name"`
	Size     int64         `json:"size"`   // bytes
	SHA256   string        `json:"sha256"` // hex
	Stream   events.Stream `json:"stream,omitempty"`
	Messages int           `json:"messages,omitempty"` // messages of the stream, including checkpoints
	Events   int           `json:"events,omitempty"`   // those of the groups
}

// Streams lists the streams of a bundle, in order.
var Streams = []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions}

func fileOf(stream events.Stream) string {
	switch stream {
	case events.StreamSegments:
		return "segments.jsonl"
	case events.StreamSignals:
		return "signals.jsonl"
	}
	return "decisions.jsonl"
}

// misnamed returns a fault if the file of a stream is missing or has another name, or if there is an
// unknown file. Commands read streams by file name while verification goes by stream, and an unknown file
// would reach anybody who unpacks the bundle.
func (m *Manifest) misnamed() error {
	keys := 0
	for i, f := range m.Files {
		if strings.HasPrefix(f.Name, keysFolder) {
			keys++
		}
		if !f.permitted() || slices.ContainsFunc(m.Files[:i], func(other File) bool { return other.Name == f.Name }) {
			return &Fault{File: manifestFile, What: fmt.Sprintf("unknown or repeated file %.80q", f.Name)}
		}
		if f.Stream != "" && (!slices.Contains(Streams, f.Stream) || f.Name != fileOf(f.Stream)) {
			return &Fault{File: manifestFile, What: fmt.Sprintf("it says that %s is stream %s", f.Name, f.Stream)}
		}
	}
	if keys != 0 && keys != len(Streams) {
		return &Fault{File: manifestFile, What: fmt.Sprintf("it names %d files in %s, not one for each stream", keys, keysFolder)}
	}
	for _, stream := range Streams {
		if !slices.ContainsFunc(m.Files, func(f File) bool { return f.Stream == stream }) {
			return &Fault{File: manifestFile, What: fmt.Sprintf("it names no file of stream %s (%s)", stream, fileOf(stream))}
		}
	}
	return nil
}

// permitted reports whether a bundle may contain a file.
func (f File) permitted() bool {
	if f.Stream != "" || f.Name == rulesFile {
		return true
	}
	folder, name, _ := strings.Cut(f.Name, "/")
	switch folder + "/" {
	case keysFolder:
		return slices.ContainsFunc(Streams, func(s events.Stream) bool { return name == fileOf(s) })
	case anchorFolder, appliedFolder:
		return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, `/\\`)
	}
	return false
}

func (m *Manifest) encode() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the manifest: %w", err)
	}
	return append(data, '\n'), nil
}

// signedText returns the text that is signed for a manifest: its digest.
func signedText(manifest []byte) string {
	sum := sha256.Sum256(manifest)
	return "scaffoldwatch bundle\n" + hex.EncodeToString(sum[:]) + "\n"
}

// sign returns the signed note of a manifest.
func sign(manifest []byte, signer note.Signer) ([]byte, error) {
	signed, err := note.Sign(&note.Note{Text: signedText(manifest)}, signer)
	if err != nil {
		return nil, fmt.Errorf("sign the manifest: %w", err)
	}
	return signed, nil
}

// errSignature is returned for a signature of something other than the manifest.
var errSignature = errors.New("the signature is not of this manifest: the manifest was edited after it was signed")

// signedBy returns the known keys that signed a manifest.
func signedBy(manifest, signed []byte, known map[string]note.Verifier) ([]string, error) {
	text, signers, err := chain.OpenNote(signed, known)
	if err != nil {
		return nil, fmt.Errorf("read the signature: %w", err)
	}
	if text != signedText(manifest) {
		return nil, errSignature
	}
	return signers, nil
}

// identities counts the rules and configurations that events name.
type identities map[Identity]int

// add counts a message of the groups.
func (i identities) add(m proof.Message) {
	if rules := m.Header.Get("ce-rulesversion"); rules != "" {
		i[Identity{Rules: rules, Config: m.Header.Get("ce-confighash")}]++
	}
}

// list returns the identities in order.
func (i identities) list() (all []Identity) {
	for of, n := range i {
		of.Events = n
		all = append(all, of)
	}
	slices.SortFunc(all, func(a, b Identity) int { return strings.Compare(a.Rules+a.Config, b.Rules+b.Config) })
	return all
}

// contents collects from the lines what the manifest states too.
type contents struct {
	recorded identities
	decided  map[string]bool // groups with a decision
	through  time.Time
}

func (c *contents) add(stream events.Stream, at subjects.Subject, m proof.Message) {
	c.recorded.add(m)
	if stream == events.StreamDecisions {
		c.decided[at.Group] = true
	}
	if m.Time.After(c.through) {
		c.through = m.Time
	}
}

// compare reports where the manifest disagrees with the content: readers of a bundle rely on the manifest
// first.
func (c *contents) compare(m *Manifest) (faults []*Fault) {
	fault := func(what string) { faults = append(faults, &Fault{File: manifestFile, What: what}) }
	for i, group := range m.Groups {
		if !c.decided[group] || slices.Contains(m.Groups[:i], group) {
			fault(fmt.Sprintf("nothing in the bundle is decided about %.80q, or it is named twice", group))
		}
	}
	if !slices.Equal(c.recorded.list(), m.Recorded) {
		fault("the rules and configurations of the events differ from the manifest")
	}
	if !c.through.Equal(m.Through) {
		fault(fmt.Sprintf("the last message is of %s, not of %s", clock(c.through), clock(m.Through)))
	}
	return faults
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
