package codepattern

// role is what a node of a grammar does, whatever the grammar calls it.
type role uint8

const (
	roleNone role = iota
	roleCall
	roleArguments
	roleMember
	roleIndex
	roleName
	roleString
	roleHole    // a value within a string
	roleNumber  // a constant that can harm nothing
	roleBinary  // operators, comparisons
	roleChoice  // a ? b : c
	roleWrap    // its children's value: parentheses, await, casts
	roleList    // list, tuple, dictionary, struct literal
	rolePair    // key and value in such a list
	roleKeyword // name=value in a call
	roleComprehension
	roleClause // for x in y of a comprehension
	roleAssign
	roleFunction
	roleParameters
	roleBranch // if, switch, while: the body may not run
	roleLoop   // for x in y
	roleBlock
	roleReturn
	roleDecorated
	roleDecorator
	roleComment
	roleClosure // a block that a call is given: rows.each { |row| … }
	roleCommand // a shell command as a literal: `ls`
	roleHere    // where a text on the lines below begins: <<~SQL
)

var roleNames = map[string]role{
	"call": roleCall, "arguments": roleArguments, "member": roleMember, "index": roleIndex, "name": roleName,
	"string": roleString, "hole": roleHole, "number": roleNumber, "binary": roleBinary, "choice": roleChoice,
	"wrap": roleWrap, "list": roleList, "pair": rolePair, "keyword": roleKeyword,
	"comprehension": roleComprehension, "clause": roleClause, "assign": roleAssign, "function": roleFunction,
	"parameters": roleParameters, "branch": roleBranch, "loop": roleLoop, "block": roleBlock, "return": roleReturn,
	"decorated": roleDecorated, "decorator": roleDecorator, "comment": roleComment,
	"closure": roleClosure, "command": roleCommand, "here": roleHere,
}

// Origin says where a value comes from, from the harmless to the hostile.
type Origin uint8

// Origins.
const (
	None      Origin = iota // constants, numbers, what was checked
	Internal                // configuration, the environment
	Unknown                 // the hunk does not show it
	Parameter               // of the function
	CLI                     // an argument of a command-line tool
	Input                   // a person at the terminal, a message
	Request                 // a request of a network client
)

var originNames = map[string]Origin{
	"internal": Internal, "unknown": Unknown, "parameter": Parameter, "cli": CLI, "input": Input, "request": Request,
}

// String is the origin's name in rule data; "constant" for None.
func (o Origin) String() string {
	for name, origin := range originNames {
		if origin == o {
			return name
		}
	}
	return "constant"
}
