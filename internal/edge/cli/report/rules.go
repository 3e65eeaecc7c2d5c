package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// rules returns the rules by which the report is read: --rules, else the configuration's, else the embedded
// ones.
func (c *Report) rules(r *cli.Call) (*rules.Set, config.Config, error) {
	settings, err := c.Settings(r)
	if err != nil {
		return nil, settings, err
	}
	set, err := deployment.LoadRules(cmp.Or(c.Rules, settings.Rules))
	if err != nil {
		return nil, settings, cli.Usage(err)
	}
	return set, settings, nil
}

func (c *Report) reading(r *cli.Call) (*decisions.Reading, error) {
	set, settings, err := c.rules(r)
	if err != nil {
		return nil, err
	}
	key, err := deployment.LoadKey(settings.Security.FingerprintKey)
	if err != nil {
		return nil, cli.Usage(err)
	}
	reading, err := decisions.NewReading(set, key)
	if err != nil {
		return nil, cli.Usage(err)
	}
	return reading, nil
}

// sayOtherRules warns on stderr if decisions were made under rules that are not known here; it is silent if
// the call or the configuration names a rules file.
func (c *Report) sayOtherRules(r *cli.Call, reading *decisions.Reading) {
	others := reading.Others()
	if len(others) == 0 || c.Rules != "" {
		return
	}
	if settings, err := c.Settings(r); err != nil || settings.Rules != "" {
		return
	}
	fmt.Fprintf(r.Stderr, "decided under other rules, or with another key of fingerprints, than are known here (%s); this report reads them by the embedded rules: name those of the deployment with --rules FILE or --config\n",
		strings.Join(others[:min(3, len(others))], ", "))
}
