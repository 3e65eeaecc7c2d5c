package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/strict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/codeindex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// FileName is the file's name at the top of a workspace.
const FileName = strict.FileName

// maxBytes limits the size of the file.
const maxBytes = 1 << 20

// File is the content of .scaffoldwatch.yaml.
type File struct {
	// Constraints are sentences such as "No new dependencies." that apply to every session here.
	Constraints []string     `yaml:"constraints"`
	Conventions []Convention `yaml:"conventions"`
	// Rules are overrides as in a rules file, or the path of such a file.
	Rules overrides `yaml:"rules"`
	// Guard sets modes of the guard's packs, which apply where they are stricter than the operator's
	// (GD-9).
	Guard guard.Packs `yaml:"guard"`
	// Index is the path of an index made by `scaffoldwatch index`.
	Index string `yaml:"index"`

	folder string
	data   []byte
}

// overrides is a mapping of sections, or the path of a file.
type overrides struct {
	path   string
	inline bool
}

// UnmarshalYAML reads a path, or records that the sections are given here.
func (o *overrides) UnmarshalYAML(node *yaml.Node) error {
	if o.inline = node.Kind == yaml.MappingNode; o.inline {
		return nil // rules.LoadPermitted reads them, with their lines
	}
	return node.Decode(&o.path)
}

// Read reads the file of a folder; it returns nil if the folder or the file does not exist. Errors name
// file, line and cure.
func Read(folder string) (*File, error) {
	if !filepath.IsAbs(folder) {
		return nil, nil
	}
	data, err := open(folder, FileName, maxBytes)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotHere) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(folder, FileName), err)
	}
	return Parse(folder, data)
}

// Parse parses the content of the file in folder.
func Parse(folder string, data []byte) (*File, error) {
	f := &File{folder: folder, data: data}
	return f, rules.DecodeFile(f.name(), data, f)
}

func (f *File) name() string { return filepath.Join(f.folder, FileName) }

// Validate checks what the types cannot express.
func (f *File) Validate() error {
	for i := range f.Conventions {
		if bad := f.Conventions[i].check(); bad != nil {
			bad.Path = append([]string{"conventions", f.Conventions[i].step(i)}, bad.Path...)
			return bad
		}
	}
	if pack, err := f.Guard.Check(); err != nil {
		return &rules.Invalid{Path: []string{"guard", pack}, Why: err.Error()}
	}
	for key, name := range map[string]string{"index": f.Index, "rules": f.Rules.path} {
		if name != "" && !filepath.IsLocal(filepath.FromSlash(name)) {
			return &rules.Invalid{Path: []string{key}, Why: fmt.Sprintf("%q is outside of the workspace; name a file inside it", name)}
		}
	}
	return nil
}

// RuleSet returns the rules in force here; nil if the file changes none. Applied are its changes, refused
// those that only the operator may make.
func (f *File) RuleSet() (set *rules.Set, applied, refused []rules.Change, err error) {
	if set, applied, refused, err = f.overrides(); err != nil || len(f.Guard) == 0 {
		return set, applied, refused, err
	}
	if set == nil {
		set = rules.Default()
	}
	var config guard.Config
	if err := set.Decode("guard", &config); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: guard: %w", f.name(), err)
	}
	stricter := f.Guard.Stricter(&config)
	for _, pack := range slices.Sorted(maps.Keys(f.Guard)) {
		change := rules.Change{Path: "guard." + pack, Value: string(f.Guard[pack])}
		if _, is := stricter[pack]; !is {
			if f.Guard[pack] != config.Mode(pack) {
				refused = append(refused, change)
			}
			continue
		}
		if set, err = set.WithText("guard.packs."+pack, string(stricter[pack])); err != nil {
			return nil, nil, nil, fmt.Errorf("%s: guard: %w", f.name(), err)
		}
		applied = append(applied, change)
	}
	if len(applied) == 0 {
		set = nil
	}
	return set, applied, refused, nil
}

// overrides returns the rules in force without the packs of the guard.
func (f *File) overrides() (set *rules.Set, applied, refused []rules.Change, err error) {
	if f.Rules.inline {
		return rules.LoadPermitted(f.name(), f.data, "rules")
	}
	if f.Rules.path == "" {
		return nil, nil, nil, nil
	}
	data, err := open(f.folder, f.Rules.path, maxBytes)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: rules: %w", f.name(), err)
	}
	return rules.LoadPermitted(filepath.Join(f.folder, f.Rules.path), data, "")
}

// ReadIndex returns the index that the file names, with its digest; nil if it names none.
func (f *File) ReadIndex() (*codeindex.Index, string, error) {
	if f.Index == "" {
		return nil, "", nil
	}
	data, err := open(f.folder, f.Index, maxIndexBytes)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; create it with: scaffoldwatch index %s", err, f.folder)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: index: %w", f.name(), err)
	}
	return codeindex.Read(filepath.Join(f.folder, f.Index), strings.NewReader(string(data)))
}

// maxIndexBytes limits the size of an index.
const maxIndexBytes = 8 << 20

// errNotHere is returned if the folder is on another machine.
var errNotHere = errors.New("the folder is not on this machine")

// open reads a file in a folder; it does not follow links out of the folder.
func open(folder, name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, errNotHere
	}
	defer func() { _ = root.Close() }()
	name = path.Clean(filepath.ToSlash(name))
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has over %d bytes", name, limit)
	}
	return data, err
}

// Digest identifies the file's content.
func (f *File) Digest() string {
	sum := sha256.Sum256(f.data)
	return hex.EncodeToString(sum[:6])
}
