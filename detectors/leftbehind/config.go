package leftbehind

import (
	"fmt"

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
	ParallelRounds   int             `yaml:"parallel_rounds" range:"2..100000"`
	RequestRounds    int             `yaml:"request_rounds" range:"2..10000000"`
	Servers          string          `yaml:"servers"`
	Containers       string          `yaml:"containers"`
	RemovedItself    string          `yaml:"removed_itself"`
	Services         string          `yaml:"services"`
	Forwards         string          `yaml:"forwards"`
	Schedules        string          `yaml:"schedules"`
	Stops            map[kind]string `yaml:"stops"`
	StopTools        []string        `yaml:"stop_tools"`
	BackgroundFields []string        `yaml:"background_fields"`
	Debug            string          `yaml:"debug"`
	Temporary        string          `yaml:"temporary"`
	Scripts          string          `yaml:"scripts"`
	Loads            []string        `yaml:"loads"`
	LoadWords        string          `yaml:"load_words"`
	Requesters       []string        `yaml:"requesters"`
	Endless          string          `yaml:"endless"`
	Ends             string          `yaml:"ends"`
	AsksCleanup      string          `yaml:"asks_cleanup"`
	AsksRunning      string          `yaml:"asks_running"`
	SaysRunning      string          `yaml:"says_running"`
	Submits          []string        `yaml:"submits"`
}

type instance struct {
	config config
	shell  *shell.Parser
	stops  map[kind]*pattern.Regexp

	servers, containers, removedItself, services, forwards, schedules *pattern.Regexp
	debug, temporary, scripts, loadWords, endless, ends               *pattern.Regexp
	files                                                             *files.Table
	asksCleanup, asksRunning, saysRunning                             *pattern.Regexp
}

// aside reports whether a file is a test, a test fixture, or a document.
func (d *instance) aside(path string) bool {
	return d.files.Is(path, files.AnyTest|files.Document)
}

func (d *instance) compile(from pattern.Compiler) (err error) {
	c := &d.config
	d.stops = map[kind]*pattern.Regexp{}
	for k, text := range c.Stops {
		if d.stops[k], err = from.RE2("stops."+string(k), text); err != nil {
			return fmt.Errorf("start left behind: %w", err)
		}
	}
	for _, p := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"servers", c.Servers, &d.servers},
		{"containers", c.Containers, &d.containers},
		{"removed_itself", c.RemovedItself, &d.removedItself},
		{"services", c.Services, &d.services},
		{"forwards", c.Forwards, &d.forwards},
		{"schedules", c.Schedules, &d.schedules},
		{"debug", c.Debug, &d.debug},
		{"temporary", c.Temporary, &d.temporary},
		{"scripts", c.Scripts, &d.scripts},
		{"load_words", c.LoadWords, &d.loadWords},
		{"endless", c.Endless, &d.endless},
		{"ends", c.Ends, &d.ends},
		{"asks_cleanup", c.AsksCleanup, &d.asksCleanup},
		{"asks_running", c.AsksRunning, &d.asksRunning},
		{"says_running", c.SaysRunning, &d.saysRunning},
	} {
		if *p.into, err = from.RE2(p.key, p.text); err != nil {
			return fmt.Errorf("start left behind: %w", err)
		}
	}
	return nil
}
