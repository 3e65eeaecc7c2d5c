package events

// RetryExtension is the CloudEvents extension that marks a turn sent again by a
// person after it failed: ingest evaluates it although its id was seen. Its
// value names the dead letter (EV-11).
const RetryExtension = "retryof"
