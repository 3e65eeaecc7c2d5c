// Package hookapi answers agents' hooks over HTTP: POST /v1/hooks/{agent}. A
// call is recorded as hook.received and answered, in the agent's own JSON, with
// what the mailbox holds: a halt, a refusal of the tool that is about to run, or
// an interrupt. Whatever goes wrong, the agent gets an empty answer and goes on.
package hookapi
