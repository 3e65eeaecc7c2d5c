package registry

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// FileRead is one read of a file or range (SW-10).
type FileRead struct {
	Path string `json:"p"`
	From int    `json:"f,omitempty"` // lines from 1; 0, 0 is the whole file
	To   int    `json:"t,omitempty"` // 0: to the end
	Turn int    `json:"n"`
	Hash string `json:"h,omitempty"` // of the normalised result, see events.ResultDigest
	// InputHash distinguishes identical calls from overlapping ones.
	InputHash string `json:"i,omitempty"`
	// Segment orders it within its turn, see WrittenAfter.
	Segment int `json:"s,omitempty"`
}

// FileWritten is one write of a file, by an edit tool, a shell command, a
// formatter or a git operation (SW-10).
type FileWritten struct {
	Path string `json:"p"` // "" means: any file may have changed (formatter, git checkout …)
	Turn int    `json:"n"`
	// Segment orders it within its turn.
	Segment int `json:"s"`
	// Gone reports whether the write removed the file or moved it away.
	Gone bool `json:"g,omitempty"`
	// Elsewhere reports whether another session, the parent or a subagent, wrote it in
	// the same workspace (SW-1). Turn is then the last one before the write.
	Elsewhere bool `json:"e,omitempty"`
}

// Built is a symbol that this session created or learned of (SW-10).
type Built struct {
	Symbol sessionevents.Symbol `json:"s"`
	Turn   int                  `json:"n"` // 0: known before the session (codebase index)
	// Last is the turn in which it was last written or seen, Times how often this session
	// recreated it (an edit of its body does not count); Times is 0 for learned ones.
	Last  int `json:"l,omitempty"`
	Times int `json:"x,omitempty"`
	// Gone is the turn in which it, or its file, was removed; 0 while it exists.
	Gone int `json:"g,omitempty"`
}

// Fetched is one search, listing or fetch with its canonical query (SW-10).
type Fetched struct {
	Kind      sessionevents.AccessKind `json:"k"`
	Target    string                   `json:"t"`
	Query     string                   `json:"q,omitempty"`
	Turn      int                      `json:"n"`
	Hash      string                   `json:"h,omitempty"`
	InputHash string                   `json:"i,omitempty"`
}

// Decision is a sentence that commits to a choice (SW-13).
type Decision struct {
	Topic    string `json:"t,omitempty"`
	Choice   string `json:"c"`
	Rejected string `json:"r,omitempty"`
	Sentence string `json:"s"`
	Turn     int    `json:"n"`
	Segment  int    `json:"g"`
}

// DiffRecord is the stored form of an edit: a sketch of its added lines (SW-10).
type DiffRecord struct {
	Path     string   `json:"p"`
	Turn     int      `json:"n"`
	Added    int      `json:"a"` // added lines
	Removed  int      `json:"r"`
	Shingles []uint32 `json:"s,omitempty"` // bottom-k sketch, ascending
	// AddedHash and RemovedHash find exact reversals.
	AddedHash   string `json:"ah,omitempty"`
	RemovedHash string `json:"rh,omitempty"`
}

// PlanRecord is the stored form of a PLAN sentence: a sketch of its word stems, with
// which later plans are compared (SW-10 plan_shingles, C3).
type PlanRecord struct {
	Turn     int      `json:"n"`
	Words    int      `json:"w"` // content words in the sentence
	Shingles []uint32 `json:"s"`
}

// Baseline is what the user asked for (SW-14). Known is false until there is a request.
type Baseline struct {
	Known       bool     `json:"known"`
	Task        string   `json:"task,omitempty"`
	Constraints []string `json:"constraints,omitempty"`
	// Requests are the user's messages in order, each shortened, the task first.
	Requests []Request `json:"requests,omitempty"`
	// Terms, Paths and Identifiers are extracted once per message and stored.
	Terms       map[string]int `json:"terms,omitempty"` // stemmed word → turn in which it was first used
	Paths       []string       `json:"paths,omitempty"`
	Identifiers []string       `json:"identifiers,omitempty"`
	// Evicted counts what was dropped because of the limits.
	Evicted int `json:"evicted,omitempty"`
}

// Request is one user message that extends the scope.
type Request struct {
	Turn int    `json:"n"`
	Text string `json:"t"`
}

// Counters counts the activities of the session so far.
type Counters struct {
	Turns         int `json:"turns"`
	Diffs         int `json:"diffs"`
	Errors        int `json:"errors"`
	ResearchTurns int `json:"research_turns"` // consecutive turns without DIFF, test or effect
	LastCompacted int `json:"last_compacted"` // turn before which the context was compacted, 0 never
	LastUserTurn  int `json:"last_user_turn"`
}

// Turn holds what one turn adds to the registry. Detectors see it separately from the
// registry before the turn (SW-11); Commit folds it in.
type Turn struct {
	Number       int
	FilesRead    []SegmentItem[FileRead]
	FilesWritten []SegmentItem[FileWritten]
	Built        []SegmentItem[Built] // symbols in added lines
	Learnt       []SegmentItem[Built] // symbols in results
	Fetched      []SegmentItem[Fetched]
	Decisions    []Decision
	Diffs        []SegmentItem[DiffRecord]
	RedFlags     []sessionevents.RedFlagHit
	// Edited are symbols whose declaration is in both removed and added lines: changed, not built.
	// Removed are symbols whose declaration was only removed; one with an empty name means its entire
	// file.
	Edited  []SegmentItem[Built]
	Removed []SegmentItem[Built]
	// Sentences are those of PLAN segments in order, with their segments.
	Sentences []Sentence
	Compacted bool
	// Requests are the user messages before this turn.
	Requests []Request
	// Baseline is the scope in effect in this turn: the previous one, extended by
	// Requests (SW-14: a new request is new scope). It is shared and must not be changed.
	Baseline Baseline
	// Research and Effect report what the turn did for D3: reads, searches, fetches or
	// RF15/RF16; and a DIFF, a test run or a command with an effect.
	Research bool
	Effect   bool
	Errors   int // ERROR segments

	plans   []PlanRecord
	planned []int // for each of plans, the index of its sentence in Sentences
}

// SegmentItem is an item with the index of the segment it comes from.
type SegmentItem[T any] struct {
	Segment int
	Item    T
}

// Sentence is one sentence of a PLAN or USER segment.
type Sentence struct {
	Segment  int
	Offset   int // bytes into the segment's text
	Text     string
	Thinking bool
}
