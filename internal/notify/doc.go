// Package notify sends what the core of notices decides (internal/notify/notice,
// PL-50, PL-51) to people: chat, pagers, mail, signed webhooks, and an outbox on
// the console. It reads the file of settings, keeps the outbox in a file that
// survives a crash, and gives each try a time limit. Addresses and secrets come
// from the environment and appear in no log, event, error or file.
package notify
