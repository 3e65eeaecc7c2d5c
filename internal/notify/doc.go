// Package notify sends notices to people, as package notice decides (PL-50, PL-51): chat, pagers, mail,
// signed webhooks, and an outbox for the console. It reads the settings file, keeps the outbox in a file
// that survives a crash, and limits the time of each attempt. Addresses and secrets come from the
// environment and appear in no log, event, error or file.
package notify
