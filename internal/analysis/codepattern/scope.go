package codepattern

// scope holds the variables of a function or block.
type scope struct {
	variables map[string]variable
	parent    *scope
	function  bool
	changes   *changes
}

// variable is a value, how deep in branches it was first set, and the code of the
// member or list that it was set to.
type variable struct {
	value value
	depth int
	code  string
}

func newScope(parent *scope, function bool) *scope {
	s := &scope{variables: map[string]variable{}, parent: parent, function: function}
	if parent != nil {
		s.changes = parent.changes
	} else {
		s.changes = &changes{}
	}
	return s
}

// put gives a variable of this scope another value; all changes go through it.
func (s *scope) put(name string, v variable) {
	if s.changes.noted > 0 {
		old, known := s.variables[name]
		s.changes.list = append(s.changes.list, change{s, name, old, known})
	}
	s.variables[name] = v
}

func (s *scope) lookup(name string) (value, bool) {
	if at := s.holder(name); at != nil {
		return at.variables[name].value, true
	}
	return value{}, false
}

// holder is the innermost scope that has the variable.
func (s *scope) holder(name string) *scope {
	for at := s; at != nil; at = at.parent {
		if _, ok := at.variables[name]; ok {
			return at
		}
	}
	return nil
}

// set gives a variable a value. What is set deeper in branches than the variable
// began may not happen: then both values are possible.
func (s *scope) set(name string, v value, depth int, declare bool) {
	at := s
	if !declare {
		if holder := s.holder(name); holder != nil {
			at = holder
		}
	}
	old, ok := at.variables[name]
	switch {
	case !ok || declare:
		at.put(name, variable{value: v, depth: depth})
	case depth > old.depth:
		at.put(name, variable{value: mix(old.value, v), depth: old.depth})
	default:
		at.put(name, variable{value: v, depth: old.depth})
	}
}

// spell notes the code that a variable was set to.
func (s *scope) spell(name, code string) {
	if at := s.holder(name); at != nil {
		v := at.variables[name]
		v.code = code
		at.put(name, v)
	}
}

// spelled is the code of the member or list that a variable was set to, else "".
func (s *scope) spelled(name string) string {
	if at := s.holder(name); at != nil {
		return at.variables[name].code
	}
	return ""
}
