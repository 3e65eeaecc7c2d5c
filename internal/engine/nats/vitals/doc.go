// Package vitals finds out whether the streams of a system can be read and written,
// for /readyz, the metrics and `scaffoldwatch doctor`, which so say the same. ADR 19
// says how writes are tried without a message in a stream that is audited.
package vitals
