"""A scaffoldwatch client in plain Python, written from docs/contract.md alone.

It needs no package for user and password; an nkey seed (the keys that
`scaffoldwatch up` makes) needs `cryptography`. One thread, one connection.
"""

import base64
import hashlib
import json
import os
import socket
import struct
import time
import urllib.parse
import uuid


class Denied(Exception):
    """The broker refused a message, or a stream did not store it."""


class Connection:
    """A NATS connection with headers: publish, request, subscribe."""

    def __init__(self, url, user="", password="", seed="", inbox="_INBOX", timeout=5.0):
        address = urllib.parse.urlsplit(url)
        self.timeout = timeout
        self.inbox = f"{inbox}.{uuid.uuid4().hex}"
        self.socket = socket.create_connection((address.hostname, address.port or 4222), timeout)
        self.stream = self.socket.makefile("rb")
        info = json.loads(self._line()[len("INFO "):])
        login = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True,
                 "lang": "python", "version": "1", "protocol": 1, "name": "scaffoldwatch example"}
        if seed:
            login["nkey"], login["sig"] = sign(seed, info["nonce"])
        elif user:
            login["user"], login["pass"] = user, password
        self._send(f"CONNECT {json.dumps(login)}\r\nPING\r\n".encode())
        self.waiting, self.subscriptions = [], 0
        while (line := self._line()) != "PONG":
            if line.startswith("-ERR"):
                raise Denied(line)
        self.replies = self.subscribe(self.inbox + ".>")

    def _send(self, data):
        self.socket.sendall(data)

    def _line(self):
        line = self.stream.readline()
        if not line:
            raise ConnectionError("the broker closed the connection")
        return line.decode().rstrip("\r\n")

    def subscribe(self, subject):
        """Returns the number of a subscription, for `next`."""
        self.subscriptions += 1
        self._send(f"SUB {subject} {self.subscriptions}\r\n".encode())
        return self.subscriptions

    def publish(self, subject, data=b"", headers=None, reply=""):
        """Publishes a message; headers are a dict of texts."""
        if not headers:
            self._send(f"PUB {subject} {reply} {len(data)}\r\n".encode() + data + b"\r\n")
            return
        block = "NATS/1.0\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items()) + "\r\n"
        block = block.encode()
        self._send(f"HPUB {subject} {reply} {len(block)} {len(block) + len(data)}\r\n".encode() + block + data + b"\r\n")

    def next(self, subscription, timeout=None):
        """Waits for a message (subject, reply, headers, data) of a subscription; None: no more in time."""
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            for i, (number, message) in enumerate(self.waiting):
                if number == subscription:
                    del self.waiting[i]
                    return message
            left = end - time.monotonic()
            if left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                self._read()
            except TimeoutError:
                self.stream = self.socket.makefile("rb")
                return None

    def _read(self):
        words = self._line().split(" ")
        if words[0] == "PING":
            self._send(b"PONG\r\n")
        elif words[0] == "-ERR":
            raise Denied(" ".join(words))
        elif words[0] in ("MSG", "HMSG"):
            total = int(words[-1])
            payload = self.stream.read(total + 2)[:total]
            headers, size = {}, 0
            if words[0] == "HMSG":
                size = int(words[-2])
                first, *lines = payload[:size].decode().split("\r\n")
                headers = {k: v.strip() for k, _, v in (line.partition(":") for line in lines if line)}
                headers[""] = first[len("NATS/1.0"):].strip()  # a status such as 503
            reply = words[3] if len(words) == (5 if words[0] == "MSG" else 6) else ""
            self.waiting.append((int(words[2]), (words[1], reply, headers, payload[size:])))

    def request(self, subject, data=b"", headers=None, timeout=None):
        """Publishes a message and waits for the reply."""
        reply = f"{self.inbox}.{uuid.uuid4().hex}"
        self.publish(subject, data, headers, reply)
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        while (message := self.next(self.replies, end - time.monotonic())) is not None:
            if message[0] == reply:
                if message[2].get("", "").startswith("503"):
                    raise Denied(f"nobody answers {subject}")
                return message
        raise TimeoutError(f"no reply to {subject}")

    def close(self):
        """Ends the connection."""
        self.socket.close()


def sign(seed, nonce):
    """Signs the nonce of the broker with an nkey seed."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    raw = base64.b32decode(seed + "=" * (-len(seed) % 8))
    kind = ((raw[0] & 7) << 5) | (raw[1] >> 3)
    key = Ed25519PrivateKey.from_private_bytes(raw[2:34])
    public = bytes([kind]) + key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    public += struct.pack("<H", crc16(public))
    signature = base64.urlsafe_b64encode(key.sign(nonce.encode())).decode().rstrip("=")
    return base64.b32encode(public).decode().rstrip("="), signature


def crc16(data):
    """The checksum of nkeys (CRC-16/XMODEM)."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


class Client:
    """Publishes what an agent does and reads what is decided about it."""

    def __init__(self, connection, source="/examples/python"):
        self.connection, self.source = connection, source

    def publish(self, kind, subject, data, group="", channel="", event_id=""):
        """Publishes an event and returns its sequence once INPUT has stored it.

        The channel is the type, or run.raw for facts about runs. The same id
        again changes nothing.
        """
        event_id = event_id or uuid.uuid4().hex
        headers = {
            "ce-specversion": "1.0", "ce-id": event_id, "ce-source": self.source, "ce-type": kind,
            "ce-subject": subject, "ce-partitionkey": group or subject,
            "ce-datacontenttype": "application/json",
            "ce-time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        subject = f"{channel or kind}.{group or subject}.{subject}"
        ack = json.loads(self.connection.request(subject, json.dumps(data).encode(), headers)[3])
        if "error" in ack:
            raise Denied(ack["error"]["description"])
        return ack["seq"]

    def follow(self, filters, name=""):
        """Makes an ephemeral consumer of DECISIONS and returns a function that fetches the next message."""
        inbox = self.connection.inbox.rsplit(".", 1)[0] + "." + uuid.uuid4().hex
        subscription = self.connection.subscribe(inbox)
        name = name or "python-" + uuid.uuid4().hex[:12]
        request = {"stream_name": "DECISIONS", "config": {
            "name": name, "filter_subjects": filters, "deliver_policy": "all", "ack_policy": "none",
            "mem_storage": True, "num_replicas": 1, "inactive_threshold": 60_000_000_000}, "action": "create"}
        reply = json.loads(self._api("CONSUMER.CREATE.DECISIONS." + name, request)[3])
        if "error" in reply:
            raise Denied(reply["error"]["description"])

        def fetch(timeout=5.0):
            pull = {"batch": 1, "expires": int(timeout * 1e9)}
            self.connection.publish(f"$JS.API.CONSUMER.MSG.NEXT.DECISIONS.{name}", json.dumps(pull).encode(), reply=inbox)
            message = self.connection.next(subscription, timeout + 1)
            if message is None or message[2].get("", "")[:3] in ("404", "408", "409"):
                return None
            return message
        return fetch

    def gate(self, run, request):
        """Asks a gate; without an answer it is a deny."""
        try:
            _, _, headers, data = self.connection.request(f"gate.request.{run}", json.dumps(request).encode(), timeout=3.0)
        except (TimeoutError, Denied) as error:
            return {"decision": "deny", "why": str(error)}
        if "Nats-Service-Error" in headers:
            return {"decision": "deny", "why": headers["Nats-Service-Error"]}
        return json.loads(data)

    def control(self, kind, name):
        """The state of a run or session, "unknown" if there is none."""
        _, _, headers, data = self._api(f"DIRECT.GET.KV_CONTROL.$KV.CONTROL.{kind}.{name}", None)
        if headers.get("", "").startswith("404") or "KV-Operation" in headers or not data:
            return {"state": "unknown"}
        return json.loads(data)

    def accepted(self, message, trusted=()):
        """Whether a message of DECISIONS is part of a batch that the dispatcher committed.

        Without trusted keys this finds stray messages, but no forged batch.
        """
        subject, reply, headers, data = message
        sequence, partition = int(reply.split(".")[-4]), subject.split(".")[-3]
        look = {"seq": sequence, "next_by_subj": f"ckpt.dispatcher.{partition}"}
        _, _, found, checkpoint = self._api("DIRECT.GET.DECISIONS", look)
        if "Nats-Sequence" not in found:
            return False  # its batch is not complete yet
        return covers(json.loads(checkpoint), int(found["Nats-Sequence"]), sequence, mark(subject, headers, data)) and (
            not trusted or json.loads(checkpoint).get("key") in trusted)

    def _api(self, call, request):
        return self.connection.request("$JS.API." + call, b"" if request is None else json.dumps(request).encode())


def mark(subject, headers, data):
    """What a checkpoint keeps of a message: 16 bytes of a hash (docs/events.md)."""
    parts = [subject.encode()]
    for name in sorted(n for n in headers if n and not n.startswith("Nats-")):
        parts += [name.encode(), headers[name].encode()]
    parts += [b"", data]
    return hashlib.sha256(b"".join(struct.pack(">Q", len(p)) + p for p in parts)).digest()[:16]


def covers(checkpoint, own, sequence, expected):
    """Whether a checkpoint stored at a sequence covers a message with this mark."""
    place = sequence - (own - checkpoint["count"])
    marks = base64.b64decode(checkpoint.get("marks", ""))
    return 0 <= place < checkpoint["count"] and marks[16 * place:16 * place + 16] == expected


def connect():
    """Connects as the environment says: NATS_URL, and NATS_USER and NATS_PASSWORD or NATS_SEED."""
    env = os.environ.get
    return Connection(env("NATS_URL", "nats://127.0.0.1:4222"), env("NATS_USER", ""), env("NATS_PASSWORD", ""),
                      env("NATS_SEED", ""), env("NATS_INBOX", "_INBOX"))
