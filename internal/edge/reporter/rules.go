package reporter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// rulesOf returns the rules of this process, for the page.
func rulesOf(p *service.Process) (r console.Rules, err error) {
	id := p.Deployment().Identity()
	r = console.Rules{
		File: p.Rules.File(), Version: id.RulesVersion, Config: id.ConfigHash, Settings: map[string]string{}, Shipped: map[string]string{},
	}
	shipped := rules.Default()
	if r.Changed, err = rules.Differences(shipped, p.Rules); err != nil {
		return r, fmt.Errorf("compare the rules with the shipped ones: %w", err)
	}
	for _, section := range console.ThresholdSections() {
		if r.Settings, err = p.Rules.Values(section); err == nil {
			r.Shipped, err = shipped.Values(section)
		}
		if err != nil {
			return r, fmt.Errorf("read the thresholds in force: %w", err)
		}
	}
	if r.Budget, err = strconv.Atoi(r.Settings["dispatch.budget"]); err != nil {
		return r, fmt.Errorf("read dispatch.budget: %w", err)
	}
	titles, err := decisions.DetectorTitles(p.Rules)
	if err != nil {
		return r, err
	}
	for _, id := range slices.Sorted(maps.Keys(titles)) {
		r.Detectors = append(r.Detectors, console.Watcher{ID: id, Title: titles[id], Mode: string(p.Rules.Mode(id))})
	}
	return r, nil
}

// debtOf says which classes of findings the rules count as debt, and which detectors see an agent go
// in circles (DP-16, DP-31).
func debtOf(set *rules.Set) (d readmodel.Debt, err error) {
	report, err := sessionreport.LoadSettings(set)
	if err != nil {
		return d, err
	}
	dispatch, err := set.Values("dispatch")
	if err != nil {
		return d, fmt.Errorf("read which detectors see spirals: %w", err)
	}
	for _, class := range report.DebtClasses {
		d.Classes = append(d.Classes, string(class))
	}
	d.Spirals = strings.FieldsFunc(dispatch["dispatch.queue.spirals"], func(r rune) bool { return strings.ContainsRune("[], ", r) })
	return d, nil
}

// quoted is a path as a word for a POSIX shell.
func quoted(path string) string {
	if !strings.ContainsAny(path, " '\"$`\\&;|<>()*?[]~#!{}\t\n") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// maxBacktest limits what is read of a comparison.
const maxBacktest = 64 << 20

// comparedNextTo returns the file in which the page looks for a comparison of rules, next to the read model;
// "" if there is none.
func comparedNextTo(database string) string {
	if database == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(database), "backtest.json")
}

// backtest reads the latest comparison, nil if there is none that can be read.
func (v *views) backtest() *backtestreport.Model {
	if v.compared == "" {
		return nil
	}
	file, err := os.Open(v.compared)
	if err != nil {
		return nil
	}
	defer file.Close()
	m := &backtestreport.Model{}
	if json.NewDecoder(io.LimitReader(file, maxBacktest)).Decode(m) != nil {
		return nil
	}
	return m
}

// sendRules writes the view of the rules in force (CO-14).
func (v *views) sendRules(text *bytes.Buffer, ask asking) error {
	m := console.RulesModel{Place: ask.place, Rules: v.rules}
	period, err := fleetreport.ParsePeriod(fleetDays, "", m.Now)
	if err != nil {
		return err
	}
	if m.Report, err = ask.model.Fleet(ask.Context(), period, v.titles); err != nil {
		return err
	}
	if len(v.rules.Changed) > 0 {
		m.Backtest = v.backtest()
		m.Command = "scaffoldwatch backtest --rules " + quoted(v.rules.File) + " --since " + fleetDays
		if v.compared != "" {
			m.Command += " --output json > " + quoted(v.compared)
		}
	}
	return console.RenderRules(text, m)
}
