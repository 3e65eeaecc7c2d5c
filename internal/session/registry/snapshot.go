package registry

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// SnapshotVersion is the schema version of the encoded form; the evaluator's snapshot
// version is based on it (EV-11).
const SnapshotVersion = 2

// snapshot is the encoded form: entries are rows of numbers, and each text is stored once
// in a table.
type snapshot struct {
	Version     int                        `json:"v"`
	Baseline    Baseline                   `json:"baseline"`
	Counters    Counters                   `json:"counters"`
	Conventions []sessionevents.Convention `json:"conventions,omitempty"`
	Workspace   string                     `json:"workspace,omitempty"`
	AnyWrite    FileWritten                `json:"any_write,omitzero"`
	LostWrite   FileWritten                `json:"lost_write,omitzero"`
	Texts       []string                   `json:"texts"`
	Rows        map[string]rows            `json:"rows"`
	Codebase    *packedCodebase            `json:"codebase,omitempty"`
}

// rows are the entries of one collection, oldest first.
type rows struct {
	Evicted int     `json:"e,omitempty"`
	Rows    [][]int `json:"r,omitempty"`
}

// MarshalJSON returns the registry's snapshot form (EV-11). The same state gives the same
// bytes.
func (r *Registry) MarshalJSON() ([]byte, error) {
	c := &coder{table: table{ids: map[string]int{}}, rows: map[string]rows{}}
	r.visit(c)
	s := snapshot{
		Version: SnapshotVersion, Baseline: r.Baseline, Counters: r.Counters, Conventions: r.Conventions,
		Workspace: r.workspace, Texts: c.table.list, Rows: c.rows, AnyWrite: r.anyWrite, LostWrite: r.lostWrite,
		Codebase: r.codebase.pack(),
	}
	return json.Marshal(s)
}

// UnmarshalJSON restores a registry created by New, with its indexes. Entries beyond the
// current limits are evicted and counted. After an error the registry must not be used.
func (r *Registry) UnmarshalJSON(data []byte) error {
	if r.config.Flags == nil {
		return errors.New("restore registry: it was not created by registry.New")
	}
	var s snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("restore registry: %w", err)
	}
	if s.Version != SnapshotVersion {
		return fmt.Errorf("restore registry: snapshot version %d, this program reads %d", s.Version, SnapshotVersion)
	}
	fresh := New(r.config)
	fresh.Baseline, fresh.Counters, fresh.Conventions, fresh.workspace = s.Baseline, s.Counters, s.Conventions, s.Workspace
	fresh.anyWrite, fresh.lostWrite = s.AnyWrite, s.LostWrite
	c := &coder{reading: true, table: table{list: s.Texts}, rows: s.Rows}
	fresh.visit(c)
	if err := errors.Join(c.err, fresh.codebase.unpack(s.Codebase)); err != nil {
		return fmt.Errorf("restore registry: %w", err)
	}
	*r = *fresh
	return nil
}

// Decode restores a registry from its snapshot form.
func Decode(config Config, data []byte) (*Registry, error) {
	r := New(config)
	if err := r.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return r, nil
}

// visit passes every collection to a coder, which writes or reads it.
func (r *Registry) visit(c *coder) {
	code(c, "files_read", &r.reads, (*coder).fileRead)
	code(c, "files_written", &r.writes, (*coder).fileWritten)
	code(c, "functions_built", &r.built, (*coder).builtSymbol)
	code(c, "symbols_learnt", &r.learnt, (*coder).builtSymbol)
	code(c, "data_fetched", &r.fetched, (*coder).fetch)
	code(c, "decisions_made", &r.decisions, (*coder).decision)
	code(c, "diffs", &r.diffs, (*coder).diff)
	code(c, "plan_shingles", &r.plans, (*coder).plan)
	code(c, "red_flags_seen", &r.flags, (*coder).flagHit)
}

// packedCodebase is the snapshot form of a codebase index. An index may hold 100,000
// symbols, so its entries are packed numbers into its own table of texts.
type packedCodebase struct {
	Texts          []string `json:"texts,omitempty"`
	Symbols        []byte   `json:"symbols,omitempty"`
	Files          []byte   `json:"files,omitempty"`
	DroppedSymbols int      `json:"dropped_symbols,omitempty"`
	DroppedFiles   int      `json:"dropped_files,omitempty"`
}

// fieldsPerEntry is the number of values per symbol.
const fieldsPerEntry = 7

func (e *entry) fields() [fieldsPerEntry]*uint32 {
	return [...]*uint32{&e.name, &e.kind, &e.path, &e.language, &e.signature, &e.container, &e.line}
}

// pack returns the snapshot form, nil for an empty index.
func (c *codebase) pack() *packedCodebase {
	if len(c.symbols) == 0 && len(c.files) == 0 && c.droppedSymbols == 0 && c.droppedFiles == 0 {
		return nil
	}
	p := &packedCodebase{Texts: c.strings, DroppedSymbols: c.droppedSymbols, DroppedFiles: c.droppedFiles}
	for i := range c.symbols {
		for _, field := range c.symbols[i].fields() {
			p.Symbols = binary.AppendUvarint(p.Symbols, uint64(*field))
		}
	}
	for _, f := range c.files {
		p.Files = binary.AppendUvarint(p.Files, uint64(f))
	}
	return p
}

var errPacked = errors.New("damaged snapshot: the codebase index")

// unpack restores the index; its postings are built on first use.
func (c *codebase) unpack(p *packedCodebase) error {
	if p == nil {
		return nil
	}
	*c = codebase{strings: p.Texts, droppedSymbols: p.DroppedSymbols, droppedFiles: p.DroppedFiles}
	for rest := p.Symbols; len(rest) > 0; {
		var e entry
		for i, field := range e.fields() {
			value, n := binary.Uvarint(rest)
			isText := i < fieldsPerEntry-1
			if n <= 0 || value > 1<<31 || isText && value >= uint64(len(c.strings)) {
				return errPacked
			}
			*field, rest = uint32(value), rest[n:]
		}
		c.symbols = append(c.symbols, e)
	}
	for rest := p.Files; len(rest) > 0; {
		value, n := binary.Uvarint(rest)
		if n <= 0 || value >= uint64(len(c.strings)) {
			return errPacked
		}
		c.files, rest = append(c.files, uint32(value)), rest[n:]
	}
	return nil
}
