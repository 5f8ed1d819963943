package plan

import (
	"io"
	"strings"
	"testing"
)

func TestLengthIsWhatIsLeftOfAFile(t *testing.T) {
	t.Parallel()
	half := strings.NewReader("0123456789")
	if _, err := io.CopyN(io.Discard, half, 4); err != nil {
		t.Fatal(err)
	}
	if got := lengthOf(half); got != 6 {
		t.Errorf("got a length of %d, want 6", got)
	}
	if rest, err := io.ReadAll(half); err != nil || string(rest) != "456789" {
		t.Errorf("afterwards %q is left (%v), want what was", rest, err)
	}
	if got := lengthOf(io.MultiReader(half)); got != 0 {
		t.Errorf("got a length of %d of what has none", got)
	}
}

// liar claims to be a file of a petabyte.
type liar struct{ *strings.Reader }

func (l liar) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		return 1 << 50, nil
	}
	return l.Reader.Seek(offset, whence)
}

// A length that is not true, as of a file with holes, costs some address space.
func TestAFileOfAnyClaimedLengthIsRead(t *testing.T) {
	t.Parallel()
	c, err := ReadSnapshot(liar{strings.NewReader(`{"version": 1, "brokers": [{"id": 3}],
		"topics": [{"name": "t", "partitions": [{"partition": 0, "leader": 3, "replicas": [3], "isr": [3]}]}]}`)})
	if err != nil || c.NumPartitions() != 1 || cap(c.partitions.number) > 1<<23 {
		t.Errorf("got %d partitions, room for %d, %v", c.NumPartitions(), cap(c.partitions.number), err)
	}
}
