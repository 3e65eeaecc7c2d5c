// Package outcome classifies a transcript's text: a person's own words or what a harness wrote into their
// message, a failure or a person's refusal, and the exit code that a result prints (SW-1, SW-3). Its
// phrases are data (rules/adapters.yaml).
package outcome
