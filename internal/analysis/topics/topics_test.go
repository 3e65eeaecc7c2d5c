package topics

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func loaded(t testing.TB) *Catalogue {
	t.Helper()
	c, err := Load(rules.Default())
	require.NoError(t, err)
	return c
}

// A name of several topics is the one whose words the sentence holds (SW-13).
func TestMentions(t *testing.T) {
	c := loaded(t)
	for sentence, want := range map[string][]string{
		"Decision: PostgreSQL for the loans.":                  {"database/PostgreSQL"},
		"We'll use Redis for the cache.":                       {"cache/Redis"},
		"Redis carries the events of the order queue.":         {"broker/Redis"},
		"We'll use Redis.":                                     nil,
		"The services talk gRPC, not REST.":                    {"protocol/gRPC", "protocol/REST"},
		"All times are kept in UTC.":                           {"time-zone/UTC"},
		"Let it rest for a day.":                               nil,
		"The queue of readers waits for the database of books": nil,
	} {
		var got []string
		for _, m := range c.Mentions(sentence) {
			got = append(got, m.Choice.Key())
		}
		require.Equal(t, want, got, sentence)
	}
}

func TestSettles(t *testing.T) {
	c := loaded(t)
	for _, sentence := range []string{
		"Decision: PostgreSQL for the loans.", "Caching: we use memcached.", "All times are stored in UTC.", "We agreed to store dates in UTC.",
		"Let's go with Kafka.", "PostgreSQL is our database.", "For background jobs we'll use Celery.", "Redis everywhere.",
	} {
		require.True(t, c.Settles(sentence), sentence)
	}
	for _, sentence := range []string{
		"Should we use Redis?", "We could use Redis or memcached.", "If the cache is Redis, set a TTL.", "The docs mention MongoDB.",
		"We'll use Redis for now.", "Kafka would be an option.",
	} {
		require.False(t, c.Settles(sentence), sentence)
	}
}

func TestShown(t *testing.T) {
	c := loaded(t)
	local, utc := c.Named("local time")[0], c.Named("UTC")[0]
	for _, line := range []string{
		"const s = d.toLocaleString('de-DE', { timeZone: 'Europe/Berlin' });", `now = datetime.now(ZoneInfo("Asia/Tokyo"))`, "t := time.Now().Local()",
		`loc, _ := time.LoadLocation("America/New_York")`, "TIME_ZONE = 'Europe/Rome'",
	} {
		_, length := local.Shown(line, false)
		require.NotZero(t, length, line)
	}
	for _, line := range []string{"timeZone: 'Etc/UTC'", "t := time.Now().UTC()", "created = datetime.now()"} {
		_, length := local.Shown(line, false)
		require.Zero(t, length, line)
	}
	_, length := local.Shown("created = datetime.now()", true)
	require.NotZero(t, length, "a weak mark counts on request")
	_, length = utc.Shown("t := time.Now().UTC()", false)
	require.NotZero(t, length)
	require.NotEmpty(t, c.Imported("go.mongodb.org/mongo-driver/bson"), "what lies below an entry counts")
	require.Empty(t, c.Imported("left-pad"))
}
