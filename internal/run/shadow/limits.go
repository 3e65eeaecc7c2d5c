package shadow

// Explorer holds the bounds of RW-1; each is the last acceptable figure.
type Explorer struct {
	Words            int `yaml:"words" range:"1..1000000"`
	Tangents         int `yaml:"tangents" range:"0..1000"`
	Files            int `yaml:"files" range:"1..100000"`
	SynthesisWords   int `yaml:"synthesis_words" range:"1..1000000"` // from this number on
	SynthesisPercent int `yaml:"synthesis_percent" range:"1..100"`
}

// Creator holds the bounds of RW-2; each is the last acceptable figure.
type Creator struct {
	Abstractions int `yaml:"abstractions" range:"0..1000"`
	ScopePercent int `yaml:"scope_percent" range:"0..10000"` // more than the task
	Packages     int `yaml:"packages" range:"0..1000"`
}

// Maker holds the bounds of RW-3; each is the first figure that counts.
type Maker struct {
	UntestedFiles int `yaml:"untested_files" range:"1..100000"`
	MonolithFiles int `yaml:"monolith_files" range:"1..100000"`
	MonolithLines int `yaml:"monolith_lines" range:"1..1000000"`
}

// Guardian holds the bounds of RW-4.
type Guardian struct {
	Ratio       int `yaml:"ratio" range:"1..1000"`      // CRITICALs per WARNING, the last acceptable ratio
	Criticals   int `yaml:"criticals" range:"1..1000"`  // from this number on
	Genuine     int `yaml:"genuine" range:"1..1000"`    // from this number on the exemption is recorded
	Reviews     int `yaml:"reviews" range:"1..1000"`    // from this number on
	FixPercent  int `yaml:"fix_percent" range:"0..100"` // at least
	FixFindings int `yaml:"fix_findings" range:"1..1000"`
}

// Skeptic holds the bounds of RW-5.
type Skeptic struct {
	Challenges            int `yaml:"challenges" range:"0..1000"`
	AlternativePercent    int `yaml:"alternative_percent" range:"0..100"`
	AlternativeChallenges int `yaml:"alternative_challenges" range:"1..1000"`
	Repeats               int `yaml:"repeats" range:"2..1000"`
	Outside               int `yaml:"outside" range:"0..1000"`
}

// Trickster holds the bounds of RW-6.
type Trickster struct {
	Findings     int `yaml:"findings" range:"0..10000"`
	Files        int `yaml:"files" range:"1..10000"` // fewer than
	WithoutRepro int `yaml:"without_repro" range:"0..1000"`
	EdgeCases    int `yaml:"edge_cases" range:"0..1000"` // that may be exempt (RW-8)
}

// Sage holds the bounds of RW-7.
type Sage struct {
	WordsPerLine int `yaml:"words_per_line" range:"1..1000"`
	Considers    int `yaml:"considers" range:"0..1000"`
}

// System holds the bounds of RW-10 … RW-16.
type System struct {
	CategoryFindings   int      `yaml:"category_findings" range:"1..1000"`
	CategoryReviewers  int      `yaml:"category_reviewers" range:"2..1000"`
	ConsensusReviewers int      `yaml:"consensus_reviewers" range:"2..1000"`
	ConsensusSeconds   int      `yaml:"consensus_seconds" range:"1..86400"` // shorter than
	ConsensusWorkflows []string `yaml:"consensus_workflows"`
	PlanRatio          int      `yaml:"plan_ratio" range:"1..1000"`
	Explorers          int      `yaml:"explorers" range:"2..1000"`
	DeferredWarnings   int      `yaml:"deferred_warnings" range:"1..1000"`
	DeferredRuns       int      `yaml:"deferred_runs" range:"2..100"`
	ScopeRatio         int      `yaml:"scope_ratio" range:"1..1000"`
}

// ContextLimits holds the bounds of RW-22; each is the last acceptable figure.
type ContextLimits struct {
	Lessons       int `yaml:"lessons" range:"0..10000"`
	Findings      int `yaml:"findings" range:"0..10000"`
	PromptPercent int `yaml:"prompt_percent" range:"1..100"`
}

// Likeness configures when two texts mean the same.
type Likeness struct {
	Percent int `yaml:"percent" range:"1..100"`
	Words   int `yaml:"words" range:"1..100"`
}

// Kept bounds the state of a run; the oldest entries are dropped first.
type Kept struct {
	Agents        int `yaml:"agents" range:"1..10000"`
	Sessions      int `yaml:"sessions" range:"1..10000"`
	Reviews       int `yaml:"reviews" range:"1..10000"`
	Findings      int `yaml:"findings" range:"1..100000"`
	Lessons       int `yaml:"lessons" range:"1..10000"`
	Files         int `yaml:"files" range:"1..100000"`
	Reported      int `yaml:"told" range:"1..10000"`
	Runs          int `yaml:"runs" range:"2..1000"`
	TextBytes     int `yaml:"text_bytes" range:"1000..1000000"`
	ExaminedBytes int `yaml:"examined_bytes" range:"1000..4000000"`
	FindingBytes  int `yaml:"finding_bytes" range:"100..10000"`
}

// maxFindings bounds the findings that are read from one review or report.
const maxFindings = 200
