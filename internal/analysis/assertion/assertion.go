package assertion

// Kind is what an assertion demands of its subject.
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

// ranks order the kinds by how much they demand of the same subject.
var ranks = map[Kind]int{
	Equal: 6, Snapshot: 6, Close: 5, Length: 5, Null: 5, Empty: 5, Contains: 4, Matches: 4, Throws: 4,
	Order: 3, True: 3, False: 3, Called: 3, Unequal: 2, Type: 2, NotEmpty: 2, Present: 1, NoThrow: 1, Trivial: 0,
}

// Assertion is one thing that a test checks.
type Assertion struct {
	Kind     Kind
	Subject  string // what is checked, blanks normalised
	Expected string // what it is compared with, "" for nothing
	// Tolerance is what [Close] allows, absolute or a share; -1 is the framework's own.
	Tolerance float64
	// Operator is that of an [Order]: "<", "<=", ">" or ">=".
	Operator string
	// Either are the keys of the conditions of which one is enough: "a == 1 or b".
	Either []string
	Test   string // the test that holds it, "" where the piece does not show it
	Line   int    // from 0 within the piece
	Text   string // as it is written, on one line

	origin string // the expression that a variable as the subject stands for, "" if none is known
}

// key is what makes two assertions the same.
func (a *Assertion) key() string {
	return string(a.Kind) + "\x00" + a.Subject + "\x00" + a.Operator + "\x00" + a.Expected
}

// Same reports whether two assertions check the same.
func Same(a, b *Assertion) bool { return a.key() == b.key() && a.Tolerance == b.Tolerance }

// Test is a test that a piece declares.
type Test struct {
	Name string
	Line int // of its head, from 0
	// Body reports that lines of it are in the piece. Asserts is the number of its assertions.
	Body    bool
	Asserts int
	indent  int
}

// Reading is what a piece of test code checks.
type Reading struct {
	Assertions []Assertion
	Tests      []Test
}
