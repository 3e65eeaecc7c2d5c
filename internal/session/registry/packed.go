package registry

import (
	"encoding/binary"
	"errors"
)

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
