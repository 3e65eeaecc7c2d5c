package strangers

import (
	"bufio"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// letterbox is an SMTP server that keeps the letters it gets, as a person reads them.
type letterbox struct {
	address string
	mu      sync.Mutex
	texts   []string
}

func newLetterbox(t testing.TB) *letterbox {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := &letterbox{address: listener.Addr().String()}
	var open sync.WaitGroup
	t.Cleanup(func() { listener.Close(); open.Wait() })
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { defer conn.Close(); b.serve(textproto.NewConn(conn)) })
		}
	})
	return b
}

func (b *letterbox) serve(conn *textproto.Conn) {
	_ = conn.PrintfLine("220 ready")
	for {
		line, err := conn.ReadLine()
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); verb {
		case "DATA":
			_ = conn.PrintfLine("354 go on")
			b.keep(conn.DotReader())
			_ = conn.PrintfLine("250 kept")
		case "QUIT":
			_ = conn.PrintfLine("221 bye")
			return
		default:
			_ = conn.PrintfLine("250 fine")
		}
	}
}

// keep decodes a letter.
func (b *letterbox) keep(in io.Reader) {
	letter, err := mail.ReadMessage(bufio.NewReader(in))
	if err != nil {
		b.add("unreadable: " + err.Error())
		_, _ = io.Copy(io.Discard, in)
		return
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(letter.Header.Get("Subject"))
	if err != nil {
		subject = letter.Header.Get("Subject")
	}
	body := letter.Body
	if strings.EqualFold(letter.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	text, _ := io.ReadAll(body)
	b.add(subject)
	b.add(string(text))
}

func (b *letterbox) add(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts = append(b.texts, text)
}

// all returns the subjects and bodies of all letters.
func (b *letterbox) all() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.texts...)
}
