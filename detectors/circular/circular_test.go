package circular

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestCircular(t *testing.T) { detecttest.Run(t, Detector) }

func TestRandomConversations(t *testing.T) {
	detecttest.RunRandom(t, Detector, []string{
		"Should the cache live in Redis or Postgres?", "Redis or Postgres for the cache?", "I'll use Redis for the cache.", "I'll use Postgres instead of Redis for the cache.",
		"Actually, let me reconsider the cache.", "Let me rethink this \u2019\xff", "The cache is done.", "Let me go back to the cache.", "No, that won't work.",
		"We could use Redis. No, that's wrong.", "go test ./cache", "are you sure?", "question: ? ?? `a?` \"b?\"",
	})
}
