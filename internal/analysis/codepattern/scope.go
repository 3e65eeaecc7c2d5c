package codepattern

// scope holds the variables of a function or block.
type scope struct {
	variables map[string]variable
	parent    *scope
	function  bool
}

// variable is a value and how deep in branches it was first set.
type variable struct {
	value value
	depth int
}

func newScope(parent *scope, function bool) *scope {
	return &scope{variables: map[string]variable{}, parent: parent, function: function}
}

// lookup returns the value of a variable of this scope or one around it.
func (s *scope) lookup(name string) (value, bool) {
	if at := s.holder(name); at != nil {
		return at.variables[name].value, true
	}
	return value{}, false
}

// holder returns the innermost scope that has the variable, nil if none has.
func (s *scope) holder(name string) *scope {
	for at := s; at != nil; at = at.parent {
		if _, ok := at.variables[name]; ok {
			return at
		}
	}
	return nil
}

// set gives a variable a value. An assignment deeper in branches than the variable's
// first may not run: then both values are possible.
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
		at.variables[name] = variable{value: v, depth: depth}
	case depth > old.depth:
		at.variables[name] = variable{value: mix(old.value, v), depth: old.depth}
	default:
		at.variables[name] = variable{value: v, depth: old.depth}
	}
}
