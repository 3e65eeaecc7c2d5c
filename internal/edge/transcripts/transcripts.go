// Package transcripts finds, reads and follows the files given to `scan` and `publish`.
package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript is one input of `scan` or `publish`.
type Transcript struct {
	Name string
	path string // "" for standard input
	open func() (io.ReadCloser, error)
	// named means that the user named the file; one that was found in a folder may turn out not to be a
	// transcript.
	named bool
}

// Inputs are the inputs of one call, in the order in which they are read.
type Inputs struct {
	List    []Transcript
	Bytes   int64 // of all files; standard input counts 0
	skipped []string
	silent  int             // files found in folders that are transcripts without turns
	used    map[string]bool // absolute names of files that were read as part of another
}

// Find returns the files of paths: files as named, folders walked in lexical order, "-" for standard input.
func Find(paths []string, stdin io.Reader) (*Inputs, error) {
	t := &Inputs{used: map[string]bool{}}
	for _, path := range paths {
		if path == "-" {
			t.List = append(t.List, Transcript{Name: "standard input", named: true, open: func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }})
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("find transcripts: %w", err)
		}
		if !info.IsDir() {
			t.add(path, info.Size(), true)
			continue
		}
		if err := t.walk(path); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *Inputs) walk(folder string) error {
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != folder: // it was removed in the meantime
			return nil
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.Type().IsRegular():
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find transcripts below %s: %w", folder, err)
	}
	sort.Strings(found)
	for _, path := range found {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("find transcripts: %w", err)
		}
		t.add(path, info.Size(), false)
	}
	return nil
}

func (t *Inputs) add(path string, size int64, named bool) {
	t.Bytes += size
	t.List = append(t.List, Transcript{Name: path, path: path, named: named, open: func() (io.ReadCloser, error) { return os.Open(path) }})
}

// Summary describes the content of one transcript.
type Summary struct {
	Name     string
	Format   string
	Document bool // edited in place: read again when it changes
	Stats    transcript.Stats
	Problems []transcript.Problem
	Total    int // number of problems, including those not listed
}

// Describe prints the problems for people, nothing if there were none.
func (s Summary) Describe(out io.Writer) {
	if len(s.Stats.Noted) > 0 {
		fmt.Fprintf(out, "%s: noted: %s\n", s.Name, tally(s.Stats.Noted))
	}
	if len(s.Stats.Unsupported) > 0 {
		fmt.Fprintf(out, "%s: not understood, so not watched: %s\n", s.Name, tally(s.Stats.Unsupported))
	}
	if s.Total == 0 {
		return
	}
	places := "places"
	if s.Total == 1 {
		places = "place"
	}
	fmt.Fprintf(out, "%s: %d %s could not be read\n", s.Name, s.Total, places)
	for i, p := range s.Problems {
		if i == 5 {
			fmt.Fprintf(out, "  … and %d more\n", s.Total-i)
			break
		}
		fmt.Fprintf(out, "  %s\n", p)
	}
}

// tally lists counts by name.
func tally(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(parts, ", ")
}

// Read passes every event of a transcript to take, in order. It skips and counts a file found in a folder
// that is not a transcript. Progress receives the number of bytes read.
func (t *Inputs) Read(ctx context.Context, in Transcript, options transcript.Options, progress func(int64), take func(events.Event) error) (Summary, error) {
	summary := Summary{Name: in.Name}
	file, err := in.open()
	if errors.Is(err, fs.ErrNotExist) && !in.named { // it was removed while others were read
		t.skipped = append(t.skipped, in.path)
		return summary, nil
	}
	if err != nil {
		return summary, fmt.Errorf("read transcript: %w", err)
	}
	defer file.Close()
	if around := besides(in.path, t.used); around != nil {
		defer around.close()
		options.Beside, options.Here, options.Project = around, around.here, around.project()
	}
	source, err := all.Formats().Open(&counted{Reader: file, progress: progress}, options)
	if err != nil {
		if errors.Is(err, transcript.ErrUnknown) && !in.named {
			t.skipped = append(t.skipped, in.path)
			return summary, nil
		}
		if errors.Is(err, transcript.ErrUnknown) {
			err = fmt.Errorf("%w: %w", ErrNoTranscript, err)
		}
		return summary, fmt.Errorf("%s: %w", in.Name, err)
	}
	summary.Format, summary.Document = source.Format().Name, source.Format().Document
	if summary.Format == "markdown" && !(in.named && options.Follow) {
		if options.Follow { // only its end shows whether anybody speaks there
			t.skipped = append(t.skipped, in.path)
			return Summary{Name: in.Name}, nil
		}
		take = conversation(take)
	}
	if growing, is := file.(*tail); is {
		growing.waits = !source.Format().Document
		growing.rested = func(long bool) error {
			for _, e := range source.Rest(long) {
				if err := take(e); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for ctx.Err() == nil {
		taken := source.Stats()
		ev, err := source.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return summary, fmt.Errorf("%s: %w", in.Name, err)
		}
		if err := take(ev); errors.Is(err, errNoConversation) && in.named {
			return Summary{Name: in.Name}, fmt.Errorf("%s: %w: %w", in.Name, ErrNoTranscript, err)
		} else if errors.Is(err, errNoConversation) {
			t.skipped = append(t.skipped, in.path)
			return Summary{Name: in.Name}, nil
		} else if err != nil { // including Ctrl-C while waiting for more
			summary.Stats = taken
			return summary, err
		}
	}
	summary.Stats = source.Stats()
	summary.Problems, summary.Total = source.Problems()
	if err := ctx.Err(); err != nil {
		return summary, err
	}
	return summary, t.empty(source, &summary, in, options)
}

// empty handles a file of a format of turns that yielded none: its silence means nothing (IN-1). It is an
// error if the user named the file, and is counted if it was found in a folder.
func (t *Inputs) empty(source *transcript.Source, summary *Summary, in Transcript, options transcript.Options) error {
	f := source.Format()
	if f.Log || f.Metadata || options.Follow || summary.Stats.Turns > 0 {
		return nil
	}
	if !in.named {
		t.silent++
		return nil
	}
	return fmt.Errorf("%s: %w: %s without a turn: %s", in.Name, ErrNoTranscript, f.Title, summary.held())
}

// held describes what a transcript without turns holds.
func (s *Summary) held() string {
	said := []string{"records: " + strconv.Itoa(s.Stats.Records)}
	if n := s.Stats.Unclaimed; n > 0 {
		said = append(said, fmt.Sprintf("messages of a person without a response: %d", n))
	}
	if len(s.Stats.Unsupported) > 0 {
		said = append(said, "not understood: "+tally(s.Stats.Unsupported))
	}
	if s.Total > 0 {
		said = append(said, fmt.Sprintf("places that could not be read: %d, the first in %s", s.Total, s.Problems[0]))
	}
	return strings.Join(said, "; ")
}

// ErrNoTranscript is returned if a file that the user named is not a transcript.
var ErrNoTranscript = errors.New("this is not a transcript")

// errNoConversation is returned if a text is not a transcript.
var errNoConversation = errors.New("a text without a conversation with an agent")

// conversation holds a text's events back until its first turn, and fails if no person speaks there: any
// file in a folder could be read as Markdown.
func conversation(take func(events.Event) error) func(events.Event) error {
	var held []events.Event
	open := false
	return func(e events.Event) error {
		if open {
			return take(e)
		}
		held = append(held, e)
		turn, ok := e.Data.(*sessionevents.Turn)
		if !ok && e.Type != sessionevents.TypeSessionClosed {
			return nil
		}
		if !ok || len(turn.Blocks) == 0 || turn.Blocks[0].Type != sessionevents.BlockUser {
			return errNoConversation
		}
		open = true
		for _, e := range held {
			if err := take(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// DescribeSkipped prints how many files in folders were not transcripts.
func (t *Inputs) DescribeSkipped(out io.Writer) {
	if n := t.passedOver(); n > 0 {
		fmt.Fprintf(out, "skipped %d of %d files: not transcripts\n", n, len(t.List))
	}
	if t.silent > 0 {
		fmt.Fprintf(out, "%d of %d files contain no turn\n", t.silent, len(t.List))
	}
}

// passedOver counts the files in folders from which nothing was read.
func (t *Inputs) passedOver() (n int) {
	for _, path := range t.skipped {
		if whole, err := filepath.Abs(path); err != nil || !t.used[whole] {
			n++
		}
	}
	return n
}

// counted reports how much was read.
type counted struct {
	io.Reader
	progress func(int64)
	at, most int64 // bytes read, and bytes reported
}

// Seek goes back, so that a transcript can be examined before it is read.
func (c *counted) Seek(offset int64, whence int) (int64, error) {
	seeker, can := c.Reader.(io.Seeker)
	if !can {
		return 0, errors.ErrUnsupported
	}
	at, err := seeker.Seek(offset, whence)
	if err == nil {
		c.at = at
	}
	return at, err
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.at += int64(n); c.at > c.most {
		c.progress(c.at - c.most)
		c.most = c.at
	}
	return n, err
}

// surroundings gives access to the files around a transcript, for formats that keep part of it in other
// files. It is confined to the parent of the transcript's folder, whatever the content or a link says.
type surroundings struct {
	folder string
	here   string // name of the transcript's own folder in it
	root   *os.Root
	used   map[string]bool // absolute names of files that were opened
}

// besides opens the surroundings of a file; nil if there are none.
func besides(path string, used map[string]bool) *surroundings {
	if path == "" {
		return nil
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	folder := filepath.Dir(filepath.Dir(whole))
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil // unreadable surroundings count as none
	}
	return &surroundings{folder, filepath.Base(filepath.Dir(whole)), root, used}
}

// Open opens a file below the folder.
func (s *surroundings) Open(name string) (fs.File, error) {
	file, err := s.root.FS().Open(name)
	if err == nil {
		s.used[filepath.Join(s.folder, filepath.FromSlash(name))] = true
	}
	return file, err
}

// project returns the name of the folder that contains an orchestrator's own folder.
func (s *surroundings) project() string {
	if filepath.Base(s.folder) != ".archeflow" {
		return ""
	}
	return filepath.Base(filepath.Dir(s.folder))
}

func (s *surroundings) close() {
	if s != nil {
		_ = s.root.Close() // it was only read
	}
}
