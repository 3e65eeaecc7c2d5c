package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// newLayer judges "I'll create a new S service / layer / module" (RF03) where one of that kind
// exists.
func (t *turn) newLayer(flag *sessionevents.RedFlagHit) {
	segment := t.segment(flag.Segment)
	found := t.Layer.FindStringSubmatch(flag.Sentence)
	if segment == nil || found == nil {
		return
	}
	domain := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(found[t.Layer.SubexpIndex("domain")], "`", "")), " "))
	kind := strings.ToLower(found[t.Layer.SubexpIndex("kind")])
	thing := strings.TrimSpace(domain + " " + kind)
	existing := t.existingLayer(domain, kind)
	if existing == nil {
		return
	}
	evidence := detect.At(segment, flag.Offset, flag.Length)
	evidence.ConflictsWith = existing
	t.report(contradiction{
		subclass: "layer", thing: thing, established: existing.What, cost: layerCost, confidence: t.Confidence.Layer,
		known: t.knows(existing.What) || t.readFile(existing.Path), lexical: segment, evidence: evidence,
		message: fmt.Sprintf("The plan creates a new %s, but %s exists already (%s). Extend it instead.", quote.Plain(thing), quote.Name(existing.What), quote.Path(existing.Path)),
		reason:  fmt.Sprintf("A layer of that kind stands already: %s in %s.", quote.Name(existing.What), quote.Path(existing.Path)),
	})
}

func (t *turn) readFile(file string) bool {
	return file != "" && (len(t.Before.Reads(file)) > 0 ||
		slices.ContainsFunc(t.Additions.FilesRead, func(r registry.SegmentItem[registry.FileRead]) bool { return samePath(r.Item.Path, file) }))
}

// existingLayer returns what exists of a layer: "data access layer" → the files and classes of
// repositories; "email service" → EmailService, or a file of that name among the services. It
// returns nil if nothing is known.
func (t *turn) existingLayer(domain, kind string) *sessionevents.EarlierEvent {
	if kind == "layer" || kind == "abstraction" {
		for _, layer := range t.Layers {
			if slices.Contains(layer.Said, domain) {
				return t.placeOf(layer.Words)
			}
		}
	}
	words := similarity.Words(domain)
	if !slices.ContainsFunc(words, func(w string) bool { return !t.LayerSuffixes[w] && !t.PlainDomains[w] }) {
		return nil
	}
	return t.classOf(words, kind)
}

// placeOf is a folder or class that bears a layer's name.
func (t *turn) placeOf(words []string) *sessionevents.EarlierEvent {
	for _, file := range t.knownFiles() {
		for _, part := range strings.Split(strings.ToLower(path.Dir(file)), "/") {
			if slices.Contains(words, part) && !t.exempt(file) {
				return &sessionevents.EarlierEvent{Path: file, What: path.Dir(file)}
			}
		}
	}
	for _, word := range words {
		for _, b := range t.Before.Alike(word) {
			name := similarity.Words(b.Symbol.Name)
			if isClass(&b) && len(name) > 1 && slices.Contains(words, name[len(name)-1]) && !t.exempt(b.Symbol.Path) {
				return &sessionevents.EarlierEvent{Turn: b.Turn, Path: b.Symbol.Path, Line: b.Symbol.Line, What: b.Symbol.Name}
			}
		}
	}
	return nil
}

// classOf is a class of a layer that bears all of the words: EmailService for
// "email service"; a file says as much.
func (t *turn) classOf(words []string, kind string) *sessionevents.EarlierEvent {
	for _, b := range t.Before.Alike(strings.Join(words, " ") + " " + kind) {
		name := similarity.Words(b.Symbol.Name)
		if isClass(&b) && b.Gone == 0 && t.isLayerName(name, words) && !t.exempt(b.Symbol.Path) {
			return &sessionevents.EarlierEvent{Turn: b.Turn, Path: b.Symbol.Path, Line: b.Symbol.Line, What: b.Symbol.Name}
		}
	}
	for _, file := range t.knownFiles() {
		base := strings.TrimSuffix(path.Base(file), path.Ext(file))
		folder := strings.TrimSuffix(strings.ToLower(path.Base(path.Dir(file))), "s")
		name := similarity.Words(base)
		if t.LayerSuffixes[folder] {
			name = append(name, folder)
		}
		if t.isLayerName(name, words) && !t.exempt(file) {
			return &sessionevents.EarlierEvent{Path: file, What: path.Base(file)}
		}
	}
	return nil
}

// isLayerName reports whether a name's words are the domain's and a layer's suffix.
func (d *instance) isLayerName(name, domain []string) bool {
	if len(name) != len(domain)+1 || !d.LayerSuffixes[name[len(name)-1]] {
		return false
	}
	for i, w := range domain {
		if similarity.Normal(w) != similarity.Normal(name[i]) {
			return false
		}
	}
	return true
}

func isClass(b *registry.Built) bool {
	switch b.Symbol.Kind {
	case "class", "interface", "type", "module":
		return b.Gone == 0
	}
	return false
}

// knownFiles are the files of the codebase index, else those read.
func (t *turn) knownFiles() []string {
	if files := t.Before.CodebaseFiles(); len(files) > 0 {
		return files
	}
	var files []string
	for _, read := range t.Before.FilesRead() {
		files = append(files, read.Path)
	}
	return files
}
