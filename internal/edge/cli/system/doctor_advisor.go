package system

import (
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// advisor reports whether a model is asked, which, and within which bounds (AD-5). It asks nothing itself.
func (c *Doctor) advisor(check *checkup) {
	settings, err := c.Settings(check.Call)
	if err != nil {
		return // the check of the connection reports it
	}
	a := settings.Advisor
	if !a.Configured() {
		check.line(true, "advisor", "no model is configured: nothing is sent anywhere")
		return
	}
	if _, err := model.Light(a); err != nil {
		check.line(false, "advisor", "%v", err)
		return
	}
	where := a.BaseURL
	if where == "" {
		where = "the provider's own address"
	}
	if strings.HasPrefix(a.Provider, config.AdvisorExec) || a.Provider == config.AdvisorMock {
		where = "this machine"
	}
	_, priced := a.PriceOf(a.Model)
	price := ""
	if a.CostPerDay > 0 && !priced && a.Provider != config.AdvisorMock {
		price = "; advisor.prices does not have the model, so advisor.cost_per_day limits nothing"
	}
	check.line(price == "", "advisor", "%s %s at %s: at most %d questions a session, %d an hour, %d and %d tokens a day%s",
		strings.Fields(a.Provider)[0], a.Model, where, a.PerSession, a.PerHour, a.PerDay, a.TokensPerDay, price)
}

// opinions reports what was asked in the last day, if the record has any.
func opinions(check *checkup, broker *nats.Broker) {
	found, _, err := read.About(check, broker, "dispatcher", []string{"decisions." + sessionevents.TypeOpinionRecorded + ".>"})
	if err != nil || len(found) == 0 {
		return
	}
	asked, void, cost := 0, 0, sessionevents.Money(0)
	for _, a := range found {
		o, is := a.Input.Event.Data.(*sessionevents.OpinionRecorded)
		if !is || time.Since(a.Stored) > 24*time.Hour {
			continue
		}
		asked++
		cost += o.Cost
		if o.Void != "" {
			void++
		}
	}
	text := fmt.Sprintf("%d questions were answered in the last day for $%s", asked, cost)
	if void > 0 {
		text += fmt.Sprintf(", %d of them void", void)
	}
	check.line(asked < 10 || void*2 < asked, "opinions", "%s", text)
}
