package shadow

import (
	"strconv"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reportSystem reports a system shadow once per cycle.
func (c *Context) reportSystem(rule string, cycle int, ids []string, because ...sessionevents.Condition) {
	if c.run.firstReport(rule+"/"+strconv.Itoa(cycle), c.config.Kept.Reported) {
		c.signal(notice{rule: rule, layer: sessionevents.LayerSystem, cycle: cycle, events: ids, because: because})
	}
}

// tunnelVision is RW-10: the findings of all reviewers are about one thing.
var tunnelVision = Rule{ID: "RW-10", On: boundaries, Run: func(c *Context) {
	category, findings, reviewers := "", 0, 0
	var ids []string
	for _, r := range c.run.reviewsOf(c.run.Cycle) {
		if len(r.Findings) == 0 {
			continue
		}
		for i := range r.Findings {
			own := strings.ToLower(r.Findings[i].Category)
			if category == "" {
				category = own
			}
			if own == "" || own != category {
				return // more than one, or unknown
			}
			findings++
		}
		reviewers++
		ids = append(ids, r.Events...)
	}
	limits := &c.config.System
	if findings < limits.CategoryFindings || reviewers < limits.CategoryReviewers {
		return
	}
	c.reportSystem("RW-10", c.run.Cycle, ids, *held("one_category", sessionevents.SourceFields, findings, limits.CategoryFindings,
		"all %d findings of %d reviewers are about %s", findings, reviewers, category))
}}

// echoChamber is RW-11: all reviewers approve, and none took enough time. A review of
// unknown length may have been long.
var echoChamber = Rule{ID: "RW-11", On: boundaries, Run: func(c *Context) {
	limits := &c.config.System
	if !oneOf(limits.ConsensusWorkflows, c.run.Workflow) {
		return
	}
	var longest int64
	var ids []string
	all := c.run.reviewsOf(c.run.Cycle)
	for _, r := range all {
		if !oneOf(c.config.Approving, r.Verdict) || r.DurationMS <= 0 {
			return
		}
		longest = max(longest, r.DurationMS)
		ids = append(ids, r.Events...)
	}
	if len(all) < limits.ConsensusReviewers || longest >= int64(limits.ConsensusSeconds)*1000 {
		return
	}
	consensus := held("fast_consensus", sessionevents.SourceFields, 0, limits.ConsensusSeconds, "%d reviewers approved, the longest review took %s s",
		len(all), strconv.FormatFloat(float64(longest)/1000, 'f', -1, 64))
	consensus.Value = float64(longest) / 1000
	c.reportSystem("RW-11", c.run.Cycle, ids, *consensus)
}}
