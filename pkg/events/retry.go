package events

// RetryExtension is the CloudEvents extension that marks a failed turn that a person sent
// again: ingest evaluates it although its id was seen before. Its value names the dead
// letter (EV-11).
const RetryExtension = "retryof"
