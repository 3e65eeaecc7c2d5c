package pipeline

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/schema"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

//go:embed builtin/*.json
var builtinFiles embed.FS

// Contract is a registered contract. Its text is kept, not its compiled form, so
// that a snapshot is plain.
type Contract struct {
	Ref     string `json:"ref"`
	Version int    `json:"version"`
	Schema  string `json:"schema"`
	Hash    string `json:"hash"` // ours, over its canonical JSON
	Claimed string `json:"claimed,omitempty"`
	Event   string `json:"event,omitempty"`
}

// registry holds contracts in order of registration, with their compiled form.
type registry struct {
	contracts []Contract
	schemas   []*schema.Schema
}

// compilation is the compiled form of a run's own contracts.
type compilation struct{ schemas []*schema.Schema }

// refusal says why a contract is not registered.
type refusal struct{ code, why string }

// registerBuiltins registers the built-in contracts like any other (PL-5).
func (c *Config) registerBuiltins() error {
	paths, err := fs.Glob(builtinFiles, "builtin/*.json")
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	for _, path := range paths {
		text, err := fs.ReadFile(builtinFiles, path)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		ref := strings.TrimSuffix(strings.TrimPrefix(path, "builtin/"), ".json")
		one, compiled, no := admit(runevents.ContractRegistered{Ref: ref, Version: 1, Schema: text}, nil)
		if no != nil {
			return fmt.Errorf("%s: %s", path, no.why)
		}
		c.builtin.contracts = append(c.builtin.contracts, *one)
		c.builtin.schemas = append(c.builtin.schemas, compiled)
	}
	return nil
}

// admit checks a contract against the known ones; nil, nil, nil means that it is
// already known.
func admit(d runevents.ContractRegistered, known []Contract) (*Contract, *schema.Schema, *refusal) {
	ref := canonicalRef(d.Ref)
	switch {
	case ref == "" || len(ref) > 128 || strings.ContainsAny(ref, " \t\r\n"):
		return nil, nil, &refusal{"INVALID-CONTRACT", "a contract's ref is a name such as acme.release_handoff"}
	case d.Version < 1:
		return nil, nil, &refusal{"INVALID-CONTRACT", fmt.Sprintf("version %d: versions count from 1", d.Version)}
	}
	hash, err := schema.Hash(d.Schema)
	if err != nil {
		return nil, nil, &refusal{"INVALID-CONTRACT", "its schema cannot be read: " + err.Error()}
	}
	for _, k := range known {
		if k.Ref != ref || k.Version != d.Version {
			continue
		}
		if k.Hash != hash || k.Claimed != "" && d.Hash != "" && k.Claimed != d.Hash {
			return nil, nil, &refusal{"CONTRACT-HASH-CONFLICT", "this ref and version is registered with another hash; a changed contract needs a new version"}
		}
		return nil, nil, nil
	}
	compiled, err := schema.Compile(d.Schema)
	if err != nil {
		return nil, nil, &refusal{"INVALID-CONTRACT", err.Error()}
	}
	return &Contract{Ref: ref, Version: d.Version, Schema: string(d.Schema), Hash: hash, Claimed: d.Hash}, compiled, nil
}

// canonicalRef reads wr.contracts.x as wr.x.
func canonicalRef(ref string) string {
	ref = strings.TrimSpace(ref)
	if space, name, found := strings.Cut(ref, ".contracts."); found && space != "" && !strings.Contains(space, ".") {
		return space + "." + name
	}
	return ref
}

// contractRegistered is PL-5.
var contractRegistered = Rule{ID: "PL-5", On: run.Types(runevents.TypeContractRegistered), Run: run.With(func(c *Context, d *runevents.ContractRegistered) {
	about := fmt.Sprintf("contract %s version %d", short(d.Ref), d.Version)
	one, compiled, no := admit(*d, slices.Concat(c.config.builtin.contracts, c.run.Contracts))
	if no != nil {
		c.violation(c.judgement(no.code, "PL-5", "The %s is rejected: %s.", about, no.why))
		return
	}
	if claim := d.Hash; isSHA256(claim) {
		if hash, _ := schema.Hash(d.Schema); !sameHash(claim, hash) {
			c.warning(c.judgement("CONTRACT-HASH-CLAIMED", "PL-5", "The hash claimed for %s is not that of its schema's canonical JSON (%s); ours counts.", about, hash))
		}
	}
	if one == nil {
		return
	}
	bytes := len(one.Schema)
	for _, k := range c.run.Contracts {
		bytes += len(k.Schema)
	}
	if len(c.run.Contracts) >= c.config.Kept.Contracts || bytes > c.config.Kept.ContractBytes {
		c.violation(c.judgement("CONTRACT-LIMIT", "PL-5", "The %s is rejected: a run keeps at most %d contracts of %d bytes together.", about, c.config.Kept.Contracts, c.config.Kept.ContractBytes))
		return
	}
	one.Event = c.Event.ID
	c.run.compiled()
	c.run.Contracts = append(c.run.Contracts, *one)
	c.run.compilation.schemas = append(c.run.compilation.schemas, compiled)
})}

func isSHA256(claim string) bool {
	hex := strings.TrimPrefix(strings.ToLower(claim), "sha256:")
	return len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

func sameHash(claim, ours string) bool {
	return strings.TrimPrefix(strings.ToLower(claim), "sha256:") == strings.TrimPrefix(ours, "sha256:")
}

// compiled returns the run's contracts as schemas; after a snapshot they are
// compiled again.
func (r *Run) compiled() []*schema.Schema {
	for i := len(r.compilation.schemas); i < len(r.Contracts); i++ {
		compiled, err := schema.Compile([]byte(r.Contracts[i].Schema))
		if err != nil { // it compiled when it was registered
			compiled = nil
		}
		r.compilation.schemas = append(r.compilation.schemas, compiled)
	}
	return r.compilation.schemas
}

// contracts are those that hold in a run: the built-in ones, with what the configuration adds to their schemas,
// and those that the run registered.
type contracts struct {
	*Config
	run *Run
}

// contracts returns those that hold in the run of the event.
func (c *Context) contracts() contracts { return contracts{c.config, c.run} }

// known returns the registered versions of a contract.
func (c contracts) known(ref string) []int {
	var out []int
	for _, one := range slices.Concat(c.builtin.contracts, c.run.Contracts) {
		if one.Ref == ref {
			out = append(out, one.Version)
		}
	}
	slices.Sort(out)
	return out
}

// schema returns the schema of a version of a contract.
func (c contracts) schema(ref string, version int) *schema.Schema {
	same := func(one Contract) bool { return one.Ref == ref && one.Version == version }
	if i := slices.IndexFunc(c.builtin.contracts, same); i >= 0 {
		return c.builtin.schemas[i]
	}
	if i := slices.IndexFunc(c.run.Contracts, same); i >= 0 {
		return c.run.compiled()[i]
	}
	return nil
}
