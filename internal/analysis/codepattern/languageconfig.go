package codepattern

// languageConfig is one section codepattern_<language>; see
// rules/codepattern_python.yaml for the keys.
type languageConfig struct {
	Languages         []string            `yaml:"languages"`
	Indented          bool                `yaml:"indented"`
	BlockScoped       bool                `yaml:"block_scoped"`
	Roles             map[string][]string `yaml:"roles"`
	Self              []string            `yaml:"self"`
	Sources           []sourceConfig      `yaml:"sources"`
	Handlers          []string            `yaml:"handlers"`
	RequestParameters []string            `yaml:"request_parameters"`
	OtherParameters   []string            `yaml:"other_parameters"`
	SafeTypes         []string            `yaml:"safe_types"`
	Conversions       []string            `yaml:"conversions"`
	ConvertedBy       []string            `yaml:"converted_by"`
	Sanitizers        map[string][]string `yaml:"sanitizers"`
	Guards            []string            `yaml:"guards"`
	Matchers          []string            `yaml:"matchers"`
	Formats           []formatConfig      `yaml:"formats"`
	Passes            []string            `yaml:"passes"`
	ImplicitReturn    bool                `yaml:"implicit_return"`
	Maps              []string            `yaml:"maps"`
	ListTypes         []string            `yaml:"list_types"`
	Joins             []string            `yaml:"joins"`
	Lists             []string            `yaml:"lists"`
	Accessors         []string            `yaml:"accessors"`
	Takes             []string            `yaml:"takes"`
	Lookups           []string            `yaml:"lookups"`
	Comparisons       []string            `yaml:"comparisons"`
	CollectOperators  []string            `yaml:"collect_operators"`
	Markup            []markupConfig      `yaml:"markup"`
	DividesPaths      bool                `yaml:"divides_paths"`
	Failures          []string            `yaml:"failures"`
	Collects          []string            `yaml:"collects"`
	Fills             []fillConfig        `yaml:"fills"`
	Decodes           []string            `yaml:"decodes"`
	Constants         []string            `yaml:"constants"`
	Internals         []string            `yaml:"internals"`
	Imports           []string            `yaml:"imports"`
	// Typed are expressions with groups name and type: a declaration of a variable.
	Typed []string `yaml:"typed"`
	// Entering are the models of section entering_<language>: what gives a request's data.
	Entering []Model `yaml:"-"`
}

// sourceConfig is a way in which data enters.
type sourceConfig struct {
	ID      string   `yaml:"id"`
	Origin  string   `yaml:"origin" allow:"request|input|cli|internal"`
	Pattern []string `yaml:"patterns"`
	// Unbound: not where the name is a variable or parameter of the hunk.
	Unbound bool `yaml:"unbound"`
}

// markupConfig is how code begins and ends in a page of markup. What is not code
// is left out; Prints says that the code between is written into the page.
type markupConfig struct {
	ID     string `yaml:"id"`
	Open   string `yaml:"open"`
	Close  string `yaml:"close"`
	Prints bool   `yaml:"prints"`
}

// formatConfig is a call that fills a template.
type formatConfig struct {
	ID       string   `yaml:"id"`
	Callee   []string `yaml:"callee"`
	Template int      `yaml:"template" range:"-1..5"` // argument; -1 the receiver
	Style    string   `yaml:"style" allow:"printf|braces"`
}

// fillConfig is a call that writes what enters into its arguments.
type fillConfig struct {
	ID     string   `yaml:"id"`
	Callee []string `yaml:"callee"`
	Origin string   `yaml:"origin" allow:"request|input|cli|internal"`
}
