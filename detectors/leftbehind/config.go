package leftbehind

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
)

// config is rules/leftbehind.yaml, which explains each field.
type config struct {
	Remembered int `yaml:"remembered" range:"8..4096"`
	Confidence struct {
		Left     float64 `yaml:"left" range:"0..1"`
		Endless  float64 `yaml:"endless" range:"0..1"`
		Parallel float64 `yaml:"parallel" range:"0..1"`
		Load     float64 `yaml:"load" range:"0..1"`
	} `yaml:"confidence"`
	ParallelRounds   int                      `yaml:"parallel_rounds" range:"2..100000"`
	RequestRounds    int                      `yaml:"request_rounds" range:"2..10000000"`
	Servers          *pattern.Regexp          `yaml:"servers" pattern:"long"`
	Containers       *pattern.Regexp          `yaml:"containers" pattern:"long"`
	RemovedItself    *pattern.Regexp          `yaml:"removed_itself" pattern:"long"`
	Services         *pattern.Regexp          `yaml:"services" pattern:"long"`
	Forwards         *pattern.Regexp          `yaml:"forwards" pattern:"long"`
	Schedules        *pattern.Regexp          `yaml:"schedules" pattern:"long"`
	Stops            map[kind]*pattern.Regexp `yaml:"stops" pattern:"long"`
	StopTools        []string                 `yaml:"stop_tools"`
	BackgroundFields []string                 `yaml:"background_fields"`
	Debug            *pattern.Regexp          `yaml:"debug" pattern:"long"`
	Temporary        *pattern.Regexp          `yaml:"temporary" pattern:"long"`
	Scripts          *pattern.Regexp          `yaml:"scripts" pattern:"long"`
	Loads            []string                 `yaml:"loads"`
	LoadWords        *pattern.Regexp          `yaml:"load_words" pattern:"long"`
	Requesters       []string                 `yaml:"requesters"`
	Endless          *pattern.Regexp          `yaml:"endless" pattern:"long"`
	Ends             *pattern.Regexp          `yaml:"ends" pattern:"long"`
	AsksCleanup      *pattern.Regexp          `yaml:"asks_cleanup" pattern:"long"`
	AsksRunning      *pattern.Regexp          `yaml:"asks_running" pattern:"long"`
	SaysRunning      *pattern.Regexp          `yaml:"says_running" pattern:"long"`
	Submits          []string                 `yaml:"submits"`
}

type instance struct {
	config config
	shell  *shell.Parser

	files *files.Table
}

// aside reports whether a file is a test, a test fixture, or a document.
func (d *instance) aside(path string) bool {
	return d.files.Is(path, files.AnyTest|files.Document)
}
