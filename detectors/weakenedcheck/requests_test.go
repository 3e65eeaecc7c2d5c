package weakenedcheck

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// A person licenses a change of a check by asking for that change of that check; words of the task's subject
// matter license nothing (JD-31). Each change has requests that ask for it, and others that only speak of it.
func TestOnlyTheChangeThatIsAskedForIsLicensed(t *testing.T) {
	d, err := compile(rules.Default())
	require.NoError(t, err)
	for _, c := range []struct {
		kind         string
		asks, speaks []string
	}{
		{
			"revalued",
			[]string{
				"The API answers 404 now instead of 400. Adjust the tests to the new behaviour.",
				"prices include VAT from May on, so please update all the affected fixtures and expectations",
				"Rename Basket to Cart everywhere and then adapt the specs.",
				"I want you to change the expected values in tests/test_tax.py to the ones of 2027",
				"Could you align the assertions with the new rounding?",
				"We need to update the snapshots after the new header.",
				"Your task is to migrate the tests to vitest.",
			},
			[]string{
				"The nightly job that updates specs of products fails at the third shop.",
				"Since Tom changed the fixtures the import is broken, find out why.",
				"Users cannot change test questions once a quiz was published. Fix it.",
				"Don't adjust the tests, fix the rounding.",
				"Why were the expectations changed in the last release?",
				"Before you update the tests, ask me.",
			},
		},
		{
			"skipped",
			[]string{
				"Skip test_upload until the bucket is back.",
				"please disable the flaky login spec for now",
				"Fix the parser, and quarantine the two tests of the old one.",
				"You can ignore the failing e2e tests today.",
			},
			[]string{
				"Adjust the tests to the new behaviour.",
				"Pupils cannot skip test questions in the quiz app, make that possible.",
				"The switch that disables warnings and checks of a sensor does not stick.",
				"Add a --skip-slow-tests flag to the runner so that people can skip tests.",
				"CI is red because somebody skipped the tests of billing. Make them pass.",
			},
		},
		{
			"silenced",
			[]string{"Silence the lint warnings of the generated files.", "just add a nolint there"},
			[]string{
				"Build the page where users mute rules and warnings of their alarms.",
				"The linter complains about suppressed errors; clean that up properly.",
			},
		},
		{
			"deleted",
			[]string{"Delete the tests of the old importer.", "Drop v1: remove its routes, and remove the specs as well."},
			[]string{
				"The endpoint that removes test accounts and cases answers 500.",
				"Someone deleted the tests of the mailer, bring them back.",
			},
		},
		{
			"slowed",
			[]string{"Raise the test timeout to a minute.", "Could you extend the timeouts in CI?"},
			[]string{
				"The screen for changing session timeouts loses its input.",
				"A user who raises the limits of his account sees the old ones until he signs in again.",
			},
		},
		{
			"lowered",
			[]string{"Lower the coverage threshold to 70 for this package.", "ok, set the coverage to 65"},
			[]string{
				"The alarm that lowers thresholds at night never fires.",
				"Reducing coverage gaps is the aim of this sprint: write tests for the cart.",
			},
		},
		{
			"mocked",
			[]string{"Mock the payment gateway in those tests.", "Write tests for the mailer and stub the SMTP server."},
			[]string{
				"The fake data generator needs a --seed flag.",
				"Our mock server loses its routes after a restart. Repair it.",
			},
		},
		{
			"retried",
			[]string{"Let the flaky browser tests run with retries, please add two.", "Add a retry to the e2e job."},
			[]string{
				"The download function should be hardened with a retry and a backoff.",
				"Add retries to the HTTP client.",
			},
		},
	} {
		for _, text := range c.asks {
			w := newRequests()
			d.request(w, text)
			assert.True(t, w.asked[c.kind], "%s: %s", c.kind, text)
		}
		for _, text := range c.speaks {
			w := newRequests()
			d.request(w, text)
			assert.False(t, w.asked[c.kind], "%s: %s", c.kind, text)
		}
	}
}
