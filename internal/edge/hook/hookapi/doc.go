// Package hookapi answers agents' hooks over HTTP: POST /v1/hooks/{agent}. A call is recorded as
// hook.received and answered, in the agent's own JSON, with what is in the mailbox: a halt, a denial of the
// tool that is about to run, or an interrupt. On any failure the agent gets an empty answer and continues.
package hookapi
