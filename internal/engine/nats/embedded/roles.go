package embedded

import "strings"

// What the users of a system in one process may do: as the users of the same
// names in deploy/nats/nats.conf, whose tests compare the two.

// PublisherRights are those of agents, loops and orchestrators: what happens goes
// in, decisions and control states come out.
func PublisherRights() *Rights {
	return &Rights{
		Publish: append([]string{
			"turn.raw.*.*", "hook.received.*.*", "session.opened.*.*", "session.closed.*.*", "run.raw.*.*", "interrupt.delivery.*.*",
			"gate.request", "gate.request.*",
		}, reading("DECISIONS", "DEADLETTER", "KV_CONTROL")...),
		Subscribe: inboxes("publisher"),
	}
}

// InfraRights are those of the hooks of a repository: facts about its runs.
func InfraRights() *Rights {
	return &Rights{Publish: []string{"run.fact.*.*"}, Subscribe: inboxes("infra")}
}

// OperatorRights are those of a person: what an agent sees, raw input that failed,
// the acts of an operator, and failed input once more.
func OperatorRights() *Rights {
	return &Rights{
		Publish: append([]string{
			"operator.act.*.*", "check.observed.*.*",
			"turn.raw.*.*", "hook.received.*.*", "session.opened.*.*", "session.closed.*.*", "run.raw.*.*", "run.fact.*.*", "interrupt.delivery.*.*",
		}, reading("DECISIONS", "DEADLETTER", "KV_CONTROL", "INPUT")...),
		Subscribe: inboxes("operator"),
	}
}

// reading are the requests by which streams are read. None of them changes one.
func reading(streams ...string) []string {
	list := []string{"$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.NAMES"}
	for _, s := range streams {
		for _, request := range []string{
			"CONSUMER.CREATE.%", "CONSUMER.CREATE.%.>", "CONSUMER.INFO.%.>", "CONSUMER.MSG.NEXT.%.>", "CONSUMER.DELETE.%.>",
			"DIRECT.GET.%", "DIRECT.GET.%.>", "STREAM.MSG.GET.%",
		} {
			list = append(list, "$JS.API."+strings.Replace(request, "%", s, 1))
		}
		list = append(list, "$JS.FC."+s+".>")
	}
	return list
}

// inboxes are where the answers to a user's requests come, nobody else's among
// them.
func inboxes(user string) []string {
	list := []string{"_INBOX_" + user + ".>", "_INBOX_cli_" + user + ".>"}
	if user == "publisher" {
		list = append(list, "_INBOX.>", "_INBOX_cli.>") // of clients that choose none
	}
	return list
}
