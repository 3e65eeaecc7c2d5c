package run

// KnownKind returns the kind of a run, or "" for an unknown kind: such a run is watched
// like one without a kind (EV-3a).
func KnownKind(kind string) string {
	switch kind {
	case "build", "pipeline", "saw":
		return kind
	}
	return ""
}
