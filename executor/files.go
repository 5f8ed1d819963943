package executor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Files are the files of a runbook under the state folder. Their name comes
// from the runbook's absolute path: a word to recognise it by, and a hash that
// tells runbooks of the same name apart.
type Files struct {
	Dir  string
	Name string
}

// FilesOf names the files of the runbook with that absolute path.
func FilesOf(stateDir, runbook string) Files {
	sum := sha256.Sum256([]byte(runbook))
	word := strings.TrimSuffix(filepath.Base(runbook), filepath.Ext(runbook))
	return Files{Dir: stateDir, Name: plainName(word) + "-" + hex.EncodeToString(sum[:5])}
}

// Journal is the path of the journal.
func (f Files) Journal() string { return f.path(".jsonl") }

// Lock is the path of the file that is locked while a run is alive. It is
// never removed: a lock on a removed file would exclude nobody.
func (f Files) Lock() string { return f.path(".lock") }

// Requests is the path of the file through which other shells reach the run.
func (f Files) Requests() string { return f.path(".requests") }

// Reserve is the path of the file that keeps room for the end of a run.
func (f Files) Reserve() string { return f.path(".reserve") }

// Dated is where a closed journal goes, named after the time of its run.
func (f Files) Dated(began time.Time, run string) string {
	return f.path("." + began.UTC().Format("20060102T150405Z") + "-" + plainName(run) + ".jsonl")
}

// Output is the file for what a command of a run prints.
func (f Files) Output(run, command string, began time.Time) string {
	return f.path(fmt.Sprintf(".%s-%s-%s.out", began.UTC().Format("20060102T150405.000Z"), plainName(run), plainName(command)))
}

// closed are the dated journals of runs that have ended, the newest first.
func (f Files) closed() ([]string, error) {
	paths, err := pathsIn(f.Dir, func(name string) bool {
		date, ours := strings.CutPrefix(name, f.Name+".")
		return ours && strings.HasSuffix(date, ".jsonl")
	})
	slices.Reverse(paths) // the time of the run is in the name
	return paths, err
}

// others are the journals of other runbooks, but for those that are closed and
// dated.
func (f Files) others() ([]string, error) {
	return pathsIn(f.Dir, func(name string) bool {
		of, journal := strings.CutSuffix(name, ".jsonl")
		return journal && of != f.Name && !strings.Contains(of, ".")
	})
}

// pathsIn are the paths of files in a folder whose names fit, sorted. A folder
// that is not there has none.
func pathsIn(dir string, fits func(name string) bool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if fits(e.Name()) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

func (f Files) path(suffix string) string { return filepath.Join(f.Dir, f.Name+suffix) }

// plainName keeps of s what is safe and short in a file name.
func plainName(s string) string {
	s = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, s)
	return s[:min(len(s), 64)]
}

// makeState makes the state folder, for its owner alone.
func makeState(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return stateError(dir, err)
	}
	return nil
}

func stateError(dir string, err error) error {
	return fmt.Errorf("state folder %s: %w; make it writable, or choose another with --state-dir or DRAIN_STATE_DIR", dir, err)
}

// syncDir makes the names in a folder durable, such as that of a new file.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
