// Package chat reads messages with role and content, the form most agents and
// APIs share: Cursor, Droid, Pi and OpenClaw, Grok, Hermes, and bare lists of
// messages as Anthropic and OpenAI take them. One tolerant decoder serves all;
// the formats differ in what they are called and how they are recognised.
package chat
