package executor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// A line ends with a checksum of what comes before it, as its last field, so
// that a flipped bit in a number is noticed too.
const (
	sumField  = `,"sum":"`
	sumLength = len(sumField) + 8 + len(`"}`)
	// maxLine bounds what a reader holds at once. Lists are split far below it.
	maxLine = 8 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// line is the record with its checksum and the newline.
func line(rec Record) ([]byte, error) {
	body, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	body = body[:len(body)-1]
	sum := crc32.Checksum(body, castagnoli)
	out := fmt.Appendf(body, `%s%08x"}`+"\n", sumField, sum)
	if len(out) > maxLine {
		return nil, fmt.Errorf("a record of %d bytes: at most %d are read back", len(out), maxLine)
	}
	return out, nil
}

// parseLine is the record of a line without its newline.
func parseLine(text []byte) (Record, error) {
	if len(text) < sumLength || !bytes.HasPrefix(text[len(text)-sumLength:], []byte(sumField)) {
		return Record{}, errors.New("it does not end with a checksum")
	}
	body, tail := text[:len(text)-sumLength], text[len(text)-sumLength+len(sumField):]
	if want := fmt.Sprintf(`%08x"}`, crc32.Checksum(body, castagnoli)); string(tail) != want {
		return Record{}, errors.New("its checksum does not fit: it was changed after it was written")
	}
	dec := json.NewDecoder(bytes.NewReader(append(body[:len(body):len(body)], '}')))
	dec.DisallowUnknownFields()
	var rec Record
	if err := dec.Decode(&rec); err != nil {
		return Record{}, err
	}
	if _, err := dec.Token(); err == nil {
		return Record{}, errors.New("something follows the record")
	}
	return rec, nil
}
