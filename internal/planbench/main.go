// Command planbench prints what the planner does to clusters of many shapes:
// how good its plans are, how long they take, and how that compares with a bare
// pass over the same snapshot and with plain planners under the same budget. It
// is what `make bench` runs.
//
//	planbench [-shapes M,B,L] [-dir FOLDER] [-seeds 5] [-slack 0.25] [-tries 5] [-quick] [-looks 700000000] [-whole] [-bars]
//
// With -dir it reads FOLDER/NAME.json instead of generating a shape. With -whole
// it measures `drain plan` itself, from file to JSON, beside bare scans of the
// file. With -bars it holds speed and memory to their bars.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"drain/plan"
	"drain/plan/plantest"
)

type options struct {
	dir    string
	slacks []float64
	quick  bool
	tries  int // of which the fastest counts
	looks  int // of a plain scan at a broker, at most
	sum    *sums
}

func main() {
	o := options{sum: &sums{}}
	shapes := flag.String("shapes", "", "names of shapes, with commas; all if empty")
	seeds := flag.Int("seeds", 1, "seeds of each shape: from 1 to this")
	slack := flag.Float64("slack", -1, "one slack instead of 0.25 and 0")
	flag.StringVar(&o.dir, "dir", "", "read NAME.json from this folder")
	flag.BoolVar(&o.quick, "quick", false, "leave the plain planners out")
	flag.IntVar(&o.tries, "tries", 5, "how often each time is taken, of which the least counts")
	flag.IntVar(&o.looks, "looks", mostLooks, "leave the plain planner out where it would look at more brokers than this")
	whole := flag.Bool("whole", false, "measure the whole process")
	bars := flag.Bool("bars", false, "print the bars of speed and memory beside what is measured")
	flag.Parse()
	if *bars {
		check(o.bars())
		return
	}
	if *whole {
		for _, name := range names(*shapes, o.dir) {
			check(o.whole(name))
		}
		return
	}
	o.slacks = []float64{0.25, 0}
	if *slack >= 0 {
		o.slacks = []float64{*slack}
	}
	fmt.Println(header)
	for _, name := range names(*shapes, o.dir) {
		for seed := range uint64(*seeds) {
			check(o.shape(name, seed+1))
		}
	}
	o.sum.print()
}

func check(err error) {
	if err != nil {
		exit(err)
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "planbench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func names(list, dir string) []string {
	if list != "" {
		return strings.Split(list, ",")
	}
	var all []string
	for _, s := range plantest.Shapes() {
		all = append(all, s.Name)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.json")); dir != "" {
		all = nil
		for _, f := range files {
			all = append(all, strings.TrimSuffix(filepath.Base(f), ".json"))
		}
	}
	return all
}

func (o options) load(name string, seed uint64) (plan.Cluster, error) {
	if o.dir == "" {
		s, ok := plantest.Named(name)
		if !ok {
			return plan.Cluster{}, fmt.Errorf("no shape %q", name)
		}
		return s.Cluster(seed), nil
	}
	f, err := os.Open(filepath.Join(o.dir, name+".json"))
	if err != nil {
		return plan.Cluster{}, err
	}
	defer f.Close()
	return plan.ReadSnapshot(f)
}

func (o options) shape(name string, seed uint64) error {
	c, err := o.load(name, seed)
	if err != nil {
		return err
	}
	pass := best(o.tries, func() { plantest.Pass(c) })
	for _, d := range drains(c) {
		for _, slack := range o.slacks {
			if err := o.row(fmt.Sprintf("%s/%d", name, seed), c, d, slack, pass); err != nil {
				return err
			}
		}
	}
	return nil
}

// drain is a set of brokers to take out.
type drain struct {
	name    string
	brokers []int32
}

// drains are one, five and ten brokers, those of the first rack, and many in large
// clusters.
func drains(c plan.Cluster) []drain {
	var list []drain
	for _, n := range []int{1, 5, 10, 50, 100} {
		if n >= 50 && n*20 > len(c.Brokers) || n < 50 && n > len(c.Brokers)/2 {
			continue
		}
		list = append(list, drain{fmt.Sprint(n), request(c, n).Brokers})
	}
	rack := drain{name: "rack"}
	for _, b := range c.Brokers {
		if b.Rack == c.Brokers[0].Rack && b.Rack != "" {
			rack.brokers = append(rack.brokers, b.ID)
		}
	}
	if len(rack.brokers) > 1 {
		list = append(list, rack)
	}
	return list
}

// best is the least processor time of some tries, garbage collection included:
// on a busy machine it says more than the clock does.
func best(tries int, do func()) time.Duration {
	var least time.Duration
	for i := range tries {
		runtime.GC()
		start := used()
		do()
		if took := used() - start; i == 0 || took < least {
			least = took
		}
	}
	return least
}

func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		exit(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
