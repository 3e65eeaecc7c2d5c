package audit

import (
	"context"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
)

// otherBuilds returns the builds that wrote a stage's record, nil if every part that names a build names
// this one (AU-12).
func otherBuilds(ctx context.Context, broker *nats.Broker, stage string) ([]buildinfo.Build, error) {
	all, err := commit.Builds(ctx, broker, stage)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(b buildinfo.Build) bool { return b != buildinfo.Current() }) {
		return nil, nil
	}
	return all, nil
}

// buildNames lists builds for a person.
func buildNames(all []buildinfo.Build) string {
	names := make([]string, len(all))
	for i, b := range all {
		names[i] = b.String()
	}
	return strings.Join(names, ", ")
}
