package executor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// JournalVersion is the version of the format that this package writes and
// reads.
const JournalVersion = 1

// Read reads a journal. A last line without a newline was torn when the writer
// died, before Append returned: it is dropped, and size is what comes before
// it. Any other damage is an error that names the line.
func Read(r io.Reader) (records []Record, size int64, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		text, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return records, size, nil
		}
		if err == nil {
			records, err = appendRead(records, text)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", len(records)+1, err)
		}
		size += int64(len(text)) + 1
	}
}

// readLine is the next line without its newline, or io.EOF if none is whole.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		if len(text) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		if err == nil {
			return text[:len(text)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

func appendRead(records []Record, text []byte) ([]Record, error) {
	rec, err := parseLine(text)
	if err != nil {
		return records, err
	}
	if want := len(records) + 1; rec.N != want {
		return records, fmt.Errorf("record %d stands where %d should: lines are missing or out of order", rec.N, want)
	}
	if err := complete(rec); err != nil {
		return records, err
	}
	if first := rec.N == 1; first != (rec.Kind == KindHeader) {
		return records, fmt.Errorf("a %q record: a journal has one header, on its first line", rec.Kind)
	}
	if rec.Kind == KindHeader && rec.Header.Version != JournalVersion {
		return records, fmt.Errorf("version %d: this drain reads version %d", rec.Header.Version, JournalVersion)
	}
	return append(records, rec), nil
}

// complete is an error if a record lacks what its kind needs, so that nobody
// who reads a journal has to look for nil.
func complete(rec Record) error {
	var has bool
	switch rec.Kind {
	case KindHeader, KindResume:
		has = rec.Header != nil
	case KindBaseline:
		has = rec.Baseline != nil
	case KindPlan:
		has = rec.Plan != nil
	case KindOwe, KindPaid:
		has = rec.Debt != nil
	case KindAct:
		has = rec.Act != nil
	case KindChild:
		has = rec.Process != nil
	case KindExit:
		has = rec.Exit != nil
	case KindConsent, KindApproved, KindCancel:
		has = rec.Answer != nil
	case KindThrottle:
		has = rec.Throttle != nil && rec.Answer != nil
	case KindBegin, KindEnd, KindFail, KindSubmit, KindMoved, KindArrived, KindWindow, KindGone, KindCleaned, KindClosed:
		has = true
	default:
		return fmt.Errorf("%q is no kind of record that this drain knows", rec.Kind)
	}
	if !has {
		return fmt.Errorf("a %q record without what it is about", rec.Kind)
	}
	return nil
}
