package weakcrypto

import (
	"path"
	"slices"
	"strings"
)

// scope is a place whose name shows what a weakness protects, nearest first.
type scope string

const (
	scopeStatement scope = "statement"
	scopeFunction  scope = "function"
	scopePath      scope = "path"
	scopeImport    scope = "import"
)

// scene is a weak line with its context.
type scene struct {
	kind string
	call string // the last name of the weak call: sample, str_shuffle
	// statement is the line with the lines that feed it or use its result.
	statement string
	function  string // name of the enclosing function, "" if unknown
	path      string
	imports   []string
	comments  string // next to the statement
}

// setting is what the names around a weakness show about it.
type setting struct {
	auth  scope  // "" outside the auth context
	name  string // the identifier that shows it
	about string // its family
	// purpose is the identifier that shows a use without security relevance; acknowledged
	// is the text of a comment that accepts the weakness.
	purpose, acknowledged string
}

// judgeScene reads the auth context: password, credential, token, session,
// signature, cookie or key in the statement, its function, path or imports (B3).
func (d *instance) judgeScene(s *scene) setting {
	out := setting{acknowledged: d.Acknowledgements.FindString(s.comments)}
	if out.acknowledged == "" {
		out.acknowledged = d.GrantingCode.FindString(s.statement)
	}
	policy := d.Kinds[s.kind]
	if policy.Purposes {
		out.purpose = d.purposeOf(s)
	}
	if out.purpose != "" && !d.passwordHashed(s) && !d.outranked(s, &policy) {
		return out
	}
	out.purpose = ""
	scopes := policy.Scopes
	if len(policy.Shaped) > 0 && d.Shape.MatchString(s.statement) {
		scopes = append(slices.Clone(scopes), policy.Shaped...)
	}
	for _, at := range scopes {
		if out.acknowledged != "" && scope(at) != scopeStatement && scope(at) != scopeFunction {
			continue // a comment that accepts it knows better than the file's name
		}
		for _, text := range s.texts(scope(at)) {
			if name, f := d.auth.find(text, func(f *family) bool { return f.counts(s.kind, at) && policy.takes(f) && s.has(f.With) }); f != nil {
				out.auth, out.name, out.about = scope(at), name, f.ID
				return out
			}
		}
	}
	return out
}

// texts returns the names in one scope.
func (s *scene) texts(at scope) []string {
	switch at {
	case scopeStatement:
		return []string{s.statement}
	case scopeFunction:
		return []string{s.function}
	case scopePath:
		return []string{lastFolders(s.path)}
	default:
		return s.imports
	}
}

// pathParts is the number of path elements that show what a file is about: its name and
// the folders directly above it, not where the project is.
const pathParts = 3

func lastFolders(file string) string {
	parts := strings.Split(strings.TrimSuffix(file, path.Ext(file)), "/")
	return strings.Join(parts[max(0, len(parts)-pathParts):], "/")
}

// purposeOf returns a name that shows a checksum, fingerprint, cache key or etag.
func (d *instance) purposeOf(s *scene) string {
	texts := []string{s.usage(), s.function, s.comments}
	if !d.functionProtects(s) {
		texts = append(texts, path.Base(s.path))
	}
	for _, text := range texts {
		if name, f := d.purposes.find(text, func(f *family) bool { return f.counts(s.kind, "") }); f != nil {
			return name
		}
	}
	return ""
}

// functionProtects reports whether the function's name makes an auth context, since it
// says more about the statement than the file's name.
func (d *instance) functionProtects(s *scene) bool {
	_, f := d.auth.find(s.function, func(f *family) bool { return f.counts(s.kind, string(scopeFunction)) && s.has(f.With) })
	return f != nil
}

// usage returns the statement without the name of the call itself: chars.sample draws a
// sample, which does not show its purpose.
func (s *scene) usage() string {
	if s.kind != kindRandom || s.call == "" {
		return s.statement
	}
	return strings.NewReplacer("."+s.call, ".", s.call+"(", "(").Replace(s.statement)
}

// passwordHashed reports whether the statement hashes a password or the like, so that the
// name of the result does not excuse it.
func (d *instance) passwordHashed(s *scene) bool {
	_, f := d.auth.find(s.statement, func(f *family) bool {
		return slices.Contains(d.Outranks, f.ID) && f.counts(s.kind, string(scopeStatement))
	})
	if f == nil {
		return false
	}
	_, protocol := d.purposes.find(s.statement+" "+s.function+" "+s.comments, func(f *family) bool { return f.ID == protocols })
	return protocol == nil
}

// outranked reports whether the statement names what it protects and nothing in it shows
// another use, so that a purpose in the name of the function or the file does not excuse
// it.
func (d *instance) outranked(s *scene, policy *policy) bool {
	if s.kind == kindRandom {
		return false
	}
	if _, own := d.purposes.find(s.statement, func(f *family) bool { return f.counts(s.kind, "") }); own != nil {
		return false
	}
	if _, protocol := d.purposes.find(s.function+" "+s.comments, func(f *family) bool { return f.ID == protocols }); protocol != nil {
		return false
	}
	_, f := d.auth.find(s.statement, func(f *family) bool {
		return slices.Contains(d.OutranksPlace, f.ID) && f.counts(s.kind, string(scopeStatement)) && policy.takes(f) && s.has(f.With)
	})
	return f != nil
}

// protocols is the family of purposes that the other end of a connection prescribes.
const protocols = "protocol"

// counts reports whether the family applies to a kind of weakness and a scope.
func (f *family) counts(kind, at string) bool {
	return (len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind)) &&
		(len(f.Scopes) == 0 || at == "" || slices.Contains(f.Scopes, at))
}

// has reports whether the statement or the function's name contains one of the words; it is true
// without words.
func (s *scene) has(words []string) bool {
	return len(words) == 0 || anyIn(wordsOf(s.statement+" "+s.function), words)
}

// takes reports whether a family counts for this kind of weakness.
func (p *policy) takes(f *family) bool {
	return len(p.Families) == 0 || slices.Contains(p.Families, f.ID)
}
