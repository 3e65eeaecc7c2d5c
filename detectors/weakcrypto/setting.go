package weakcrypto

import (
	"path"
	"slices"
	"strings"
)

// scope is the place whose name says what a weakness protects, nearest first.
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
	// statement is the line with the lines that feed it or use its result
	statement string
	function  string // name of the enclosing function, "" unknown
	path      string
	imports   []string
	comments  string // beside the statement
}

// setting is what the names around a weakness say of it.
type setting struct {
	auth  scope  // "" outside of the auth context
	name  string // the identifier that says so
	about string // its family
	// purpose is the identifier that shows a use without security; acknowledged
	// the words of a comment that grants the weakness.
	purpose, acknowledged string
}

// judgeScene reads the auth context: password, credential, token, session,
// signature, cookie or key in the statement, its function, path or imports (B3).
func (d *instance) judgeScene(s *scene) setting {
	out := setting{acknowledged: d.acknowledged.FindString(s.comments)}
	if out.acknowledged == "" {
		out.acknowledged = d.granting.FindString(s.statement)
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
	if len(policy.Shaped) > 0 && d.shape.MatchString(s.statement) {
		scopes = append(slices.Clone(scopes), policy.Shaped...)
	}
	for _, at := range scopes {
		if out.acknowledged != "" && scope(at) != scopeStatement && scope(at) != scopeFunction {
			continue // who grants it knows better than the file's name
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

// texts are the names of one scope.
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

// pathParts is how much of a path says what a file is about: its name and the
// folders just above it, not where the project lies.
const pathParts = 3

func lastFolders(file string) string {
	parts := strings.Split(strings.TrimSuffix(file, path.Ext(file)), "/")
	return strings.Join(parts[max(0, len(parts)-pathParts):], "/")
}

// purposeOf is a name that shows a checksum, fingerprint, cache key or etag.
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

// functionProtects reports whether the function's name makes an auth context: it says more of the
// statement than the file's name.
func (d *instance) functionProtects(s *scene) bool {
	_, f := d.auth.find(s.function, func(f *family) bool { return f.counts(s.kind, string(scopeFunction)) && s.has(f.With) })
	return f != nil
}

// usage is the statement without the name of the call itself: chars.sample draws a sample, which
// says nothing about what it is for.
func (s *scene) usage() string {
	if s.kind != kindRandom || s.call == "" {
		return s.statement
	}
	return strings.NewReplacer("."+s.call, ".", s.call+"(", "(").Replace(s.statement)
}

// passwordHashed reports whether the statement hashes a password or its like:
// then what the result is called excuses nothing.
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

// outranked reports whether the statement names what it protects and nothing in it shows another use:
// then a purpose in the name of the function or the file excuses nothing.
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

// protocols is the family of purposes that the other end of a line prescribes.
const protocols = "protocol"

// counts reports whether the family holds for a kind of weakness and a scope.
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
