package election

import (
	"slices"
	"testing"
)

func TestParseRelease(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Release{
		"": {}, "4.3": {4, 3}, "4.3.1": {4, 3}, "3.9-IV0": {3, 9}, "10.12.4-SNAPSHOT": {10, 12},
	} {
		got, err := ParseRelease(text)
		if err != nil || got != want {
			t.Errorf("ParseRelease(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"4", "4.", ".3", "four.three", "-4.3", "4.x", "4.99999999"} {
		if got, err := ParseRelease(text); err == nil {
			t.Errorf("ParseRelease(%q) = %v, want an error", text, got)
		}
	}
}

func TestAReleaseIsReadAsItIsPrinted(t *testing.T) {
	t.Parallel()
	for _, r := range []Release{{}, {2, 4}, {4, 10}} {
		if got, err := ParseRelease(r.String()); err != nil || got != r {
			t.Errorf("%q is read as %v, %v", r, got, err)
		}
	}
}

func TestReleasesCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release      Release
		major, minor int
		atLeast      bool
	}{
		{Release{3, 9}, 3, 9, true}, {Release{3, 8}, 3, 9, false}, {Release{4, 0}, 3, 9, true},
		{Release{3, 10}, 3, 9, true}, {Release{2, 9}, 3, 0, false}, {Release{}, 99, 0, true},
	} {
		if got := c.release.AtLeast(c.major, c.minor); got != c.atLeast {
			t.Errorf("%v at least %d.%d: %v, want %v", c.release, c.major, c.minor, got, c.atLeast)
		}
		if got := c.release.Before(c.major, c.minor); got == c.atLeast {
			t.Errorf("%v before %d.%d: %v, want %v", c.release, c.major, c.minor, got, !c.atLeast)
		}
	}
}

func TestTheReleaseToAssumeIsThatOfTheMetadataVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[int]Release{
		7: {3, 7}, 19: {3, 7}, 20: {3, 8}, 21: {3, 9}, 22: {4, 0}, 25: {4, 0}, 26: {4, 1}, 27: {4, 1}, 28: {4, 2}, 29: {4, 2}, 30: {4, 3}, 31: {4, 4}, 99: {4, 4}, 0: {},
	} {
		if got := Newest(KRaft, version); got != want {
			t.Errorf("metadata version %d: %v, want %v", version, got, want)
		}
	}
	for _, version := range []int{0, 30} { // which does not exist there
		if got, want := Newest(ZooKeeper, version), (Release{3, 9}); got != want {
			t.Errorf("ZooKeeper, metadata version %d: %v, want %v", version, got, want)
		}
	}
}

func TestAClusterMayRunAnyReleaseFromThatOfItsMetadataVersionOn(t *testing.T) {
	t.Parallel()
	all := []Release{{3, 3}, {3, 7}, {3, 8}, {3, 9}, {4, 0}, {4, 1}, {4, 3}}
	for version, want := range map[int][]Release{
		0: all, 1: all, 7: all, 15: all[1:], 20: all[2:], 21: all[3:], 25: all[4:], 28: all[5:], 30: all[6:], 99: all[6:],
	} {
		if got := Candidates(KRaft, version); !slices.Equal(got, want) {
			t.Errorf("metadata version %d: %v, want %v", version, got, want)
		}
	}
	want := []Release{{2, 4}, {3, 2}, {3, 7}}
	for _, version := range []int{0, 30} {
		if got := Candidates(ZooKeeper, version); !slices.Equal(got, want) {
			t.Errorf("ZooKeeper, metadata version %d: %v, want %v", version, got, want)
		}
	}
}
