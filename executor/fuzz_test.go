package executor

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"testing"
)

// sealed ends a line with the checksum that it needs.
func sealed(tb testing.TB, body string) string {
	tb.Helper()
	return fmt.Sprintf(`%s%s%08x"}`+"\n", body, sumField, crc32.Checksum([]byte(body), castagnoli))
}

// FuzzRead reads anything, and anything whose lines got a fitting checksum: it
// must not panic, and what it takes must read back to the same.
func FuzzRead(f *testing.F) {
	header := `{"n":1,"time":"2026-01-01T00:00:00Z","kind":"header","broker":-1,"header":{"version":1,"run":"r","cluster":"c","brokers":[1],"plan":"p","runbook":"/r","who":"w","pid":1}`
	f.Add([]byte(sealed(f, header)), false)
	f.Add([]byte(header+"\n"+`{"n":2,"time":"2026-01-01T00:00:00Z","kind":"submit","step":3,"name":"move","broker":-1,"partitions":["a-1","b-c-2"]`), true)
	f.Add([]byte(header+"\n"+`{"n":2,"time":"2026-01-01T00:00:00Z","kind":"act","step":5,"name":"stop","broker":1,"act":{"argv":["x"],"timeout":5,"proven":[{"partition":"a-1"}]}`), true)
	f.Add([]byte(header+"\n"+`{"n":2,"time":"2026-01-01T00:00:00Z","kind":"plan","broker":-1,"plan":{"round":1,"moves":[{"partition":"a-1","topicId":"0123456789abcdef0123456789abcdef","before":[1],"after":[2],"from":[1],"to":[2],"bytes":1,"leader":1,"leadsDuring":1,"leadsFirst":2}]}`), true)
	f.Add([]byte("\x00\x00\n"), false)
	f.Fuzz(func(t *testing.T, text []byte, seal bool) {
		if seal {
			var out []byte
			for _, l := range bytes.Split(text, []byte("\n")) {
				out = append(out, sealed(t, string(l))...)
			}
			text = out
		}
		records, size, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		if size < 0 || size > int64(len(text)) {
			t.Fatalf("read %d of %d bytes", size, len(text))
		}
		fold(records)
		once := encode(t, records)
		again, _, err := Read(bytes.NewReader(once))
		if err != nil {
			t.Fatalf("what was read and written does not read: %v\n%s", err, once)
		}
		if twice := encode(t, again); !bytes.Equal(once, twice) {
			t.Fatalf("written twice it differs:\n%s\n%s", once, twice)
		}
	})
}
