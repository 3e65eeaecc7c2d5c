package syntax

// Source is a piece of code that is read for several purposes.
type Source struct {
	language *language // nil if unknown, or nothing to read
	code     string
	masked   []byte
	declared []Declaration // nil if not read yet
}

// Read prepares code, a piece of a file in the named language.
func Read(name, code string) *Source {
	if code == "" {
		return &Source{}
	}
	return &Source{language: load().Languages[name], code: code}
}

// mask returns the code without comments and strings, computed once.
func (s *Source) mask() []byte {
	if s.masked == nil {
		s.masked = s.language.mask(s.code)
	}
	return s.masked
}

// Code returns the source with comments and the inside of strings blanked, of the same
// length; the source itself if the language is unknown.
func (s *Source) Code() string {
	if s.language == nil {
		return s.code
	}
	return string(s.mask())
}

// CodeStart returns where code begins in a piece that seems to begin inside a long
// string, such as a docstring that was cut; otherwise 0.
func (s *Source) CodeStart() int {
	if s.language == nil {
		return 0
	}
	return s.language.startsInsideLongString(s.code)
}
