#!/bin/sh
# Makes what an installation needs and nobody else may know, once: certificates, a password for each user of
# the broker, a signing key for each service, the token of the interface and a login for the page. The
# compose file beside it and the Helm chart read the result.
#
#   ./prepare.sh watch.example      into ./secrets; the name is what people and agents call
#
# It takes openssl, and scaffoldwatch in PATH (SCAFFOLDWATCH names another).
set -eu
host=${1:?name the host that people and agents call, such as watch.example}
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/secrets}
[ ! -e "$out" ] || { echo "$out is there already: remove it to make everything anew" >&2; exit 1; }
# The folder is its owner's. Its files can be read by others, so that a container's user can read the few
# that it is given.
(umask 077 && mkdir -p "$out")
umask 022
cd "$out"
printf '*\n' >.gitignore
# It begins with a letter: a broker reads what begins with a digit as a number.
random() { echo "s$(openssl rand -hex 20)"; }

authority() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=scaffoldwatch $1" \
		-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign -keyout "$1-ca.key" -out "$1-ca.pem" 2>/dev/null
	chmod 600 "$1-ca.key"
}

# certificate NAME AUTHORITY ALTERNATIVE-NAMES
certificate() {
	printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\nkeyUsage=critical,digitalSignature\n' "$3" >extensions
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1.key" 2>/dev/null |
		openssl x509 -req -CA "$2-ca.pem" -CAkey "$2-ca.key" -CAcreateserial -days 825 -extfile extensions -out "$1.pem" 2>/dev/null
	chmod 644 "$1.key"
	rm -f extensions "$2-ca.srl"
}

# Whoever has a certificate of the first authority may join as a server of the broker: it signs nothing else.
authority nats
certificate nats nats "DNS:nats-1,DNS:nats-2,DNS:nats-3,DNS:*.scaffoldwatch-nats,DNS:scaffoldwatch-nats${NATS_NAMES:+,$NATS_NAMES}"
authority http
case $host in *[!0-9.]*) name=DNS:$host ;; *) name=IP:$host ;; esac
certificate http http "$name,DNS:ingest,DNS:evaluator,DNS:dispatcher,DNS:reporter,DNS:scaffoldwatch-ingest,DNS:scaffoldwatch-evaluator,DNS:scaffoldwatch-dispatcher,DNS:scaffoldwatch-reporter${HTTP_NAMES:+,$HTTP_NAMES}"

for user in ADMIN INGEST EVALUATOR DISPATCHER REPORTER ADVISOR OPERATOR AUDITOR PUBLISHER ORCHESTRATOR SUBSCRIBER INFRA; do
	echo "${user}_PASSWORD=$(random)"
done >passwords.env
trusted=
for service in ingest evaluator dispatcher reporter; do
	password=$(sed -n "s/^$(echo $service | tr a-z A-Z)_PASSWORD=//p" passwords.env)
	printf 'SCAFFOLDWATCH_NATS_USER=%s\nSCAFFOLDWATCH_NATS_PASSWORD=%s\n' "$service" "$password" >"$service.env"
	key=$("${SCAFFOLDWATCH:-scaffoldwatch}" keys new "$service.seed")
	chmod 644 "$service.seed"
	trusted=$trusted${trusted:+,}$service=$key
done
printf 'SCAFFOLDWATCH_NATS_USER=admin\nSCAFFOLDWATCH_NATS_PASSWORD=%s\n' "$(sed -n 's/^ADMIN_PASSWORD=//p' passwords.env)" >admin.env
token=$(random)
printf 'SCAFFOLDWATCH_HTTP_TOKEN=%s\nSCAFFOLDWATCH_SECURITY_TRUSTED_KEYS=%s\n' "$token" "$trusted" >common.env
# What the proxy adds for people who have logged in, and agents do not get.
printf 'proxy_set_header Authorization "Bearer %s";\n' "$token" >proxy-token.conf
password=$(random)
echo "people:$(openssl passwd -apr1 "$password")" >people
for agent in claude-code codex copilot gemini cursor; do random >"$agent.token"; done
echo "Made $out. The page: https://$host:8443, user people, password $password (kept nowhere else)."
echo "Agents get their own token and http-ca.pem, nothing else."
