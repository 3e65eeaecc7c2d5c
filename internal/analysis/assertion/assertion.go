package assertion

// Kind is what an assertion requires of its subject.
type Kind string

// Kinds of assertions.
const (
	Equal    Kind = "equality"
	Close    Kind = "equality within a tolerance"
	Snapshot Kind = "a stored snapshot"
	Length   Kind = "a length"
	Null     Kind = "no value"
	Empty    Kind = "emptiness"
	Contains Kind = "a part"
	Matches  Kind = "a pattern"
	Throws   Kind = "an error"
	Order    Kind = "a bound"
	True     Kind = "truth"
	False    Kind = "falsehood"
	Unequal  Kind = "inequality"
	Type     Kind = "a type"
	NotEmpty Kind = "that it is not empty"
	Present  Kind = "presence"
	NoThrow  Kind = "that nothing is thrown"
	Called   Kind = "a call"
	Trivial  Kind = "nothing"
)

// ranks order the kinds by how much they require of the same subject.
var ranks = map[Kind]int{
	Equal: 6, Snapshot: 6, Close: 5, Length: 5, Null: 5, Empty: 5, Contains: 4, Matches: 4, Throws: 4,
	Order: 3, True: 3, False: 3, Called: 3, Unequal: 2, Type: 2, NotEmpty: 2, Present: 1, NoThrow: 1, Trivial: 0,
}

// Assertion is one thing that a test checks.
type Assertion struct {
	Kind     Kind
	Subject  string // what is checked, with normalized blanks
	Expected string // what it is compared with, "" if nothing
	// Tolerance is what [Close] allows, absolute or relative; -1 is the framework's
	// default.
	Tolerance float64
	// Operator is the operator of an [Order]: "<", "<=", ">" or ">=".
	Operator string
	// Either holds the keys of alternative conditions, one of which is sufficient: "a ==
	// 1 or b".
	Either []string
	Test   string // the test that contains it, "" if the piece does not show it
	Line   int    // from 0 within the piece
	Text   string // as written, on one line

	origin string // the expression that the subject stands for if it is a variable, "" if unknown
}

// key returns what identifies equal assertions.
func (a *Assertion) key() string {
	return string(a.Kind) + "\x00" + a.Subject + "\x00" + a.Operator + "\x00" + a.Expected
}

// Same reports whether two assertions check the same.
func Same(a, b *Assertion) bool { return a.key() == b.key() && a.Tolerance == b.Tolerance }

// Test is a test that a piece declares.
type Test struct {
	Name string
	Line int // of its head, from 0
	// Body reports whether lines of it are in the piece. Asserts is the number of its
	// assertions.
	Body    bool
	Asserts int
	indent  int
}

// Reading holds what a piece of test code checks.
type Reading struct {
	Assertions []Assertion
	Tests      []Test
}
