package executor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"drain/executor/child"
	"drain/internal/kafka"
	"drain/internal/simkafka"
	"drain/plan"
	"drain/runbooks"
)

// rig is a simulated cluster with real clients, in a bubble of virtual time,
// and everything else that a run needs.
type rig struct {
	*testing.T
	sim *simkafka.Cluster
	dir string
	rb  runbooks.Runbook

	runner fakeRunner
	yes    bool
	asked  answers
	disk   opener
	death  func() // of the process that is running now
	sasl   *kafka.SASL

	onEvent func(Event) // nil: nobody listens

	mu     sync.Mutex
	events []Event
}

// incident is the shape that the project began with: single-replica logs beside
// topics with three, on a cluster whose default asks for two in sync.
func incident() simkafka.Spec {
	s := simkafka.Spec{ID: "rig", Defaults: map[string]string{"min.insync.replicas": "2"}}
	for id := int32(1); id <= 5; id++ {
		s.Brokers = append(s.Brokers, simkafka.Broker{ID: id, Rack: string('a' + (id-1)%3), Host: fmt.Sprintf("kafka-%d", id), Port: 9092})
	}
	logs := simkafka.Topic{Name: "log"}
	for i := range int32(6) {
		logs.Partitions = append(logs.Partitions, simkafka.Partition{Number: i, Replicas: []int32{i%3 + 1}, Bytes: 2 << 20})
	}
	pay := simkafka.Topic{Name: "pay"}
	for i := range int32(4) {
		pay.Partitions = append(pay.Partitions, simkafka.Partition{Number: i, Replicas: []int32{i%3 + 1, (i+1)%3 + 1, (i+2)%3 + 1}, Bytes: 1 << 20})
	}
	s.Topics = []simkafka.Topic{logs, pay}
	return s
}

const plainRunbook = `
version: 1
broker: 1
cluster: {bootstrap: ["kafka-2:9092"]}
throttle: 10MB/s
stop: {command: [stop-it, "{broker}"], timeout: 1m}
confirm: 20s
`

// simulate runs f on a simulated cluster, in virtual time.
func simulate(t *testing.T, s simkafka.Spec, runbook string, f func(*rig), options ...simkafka.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sim, err := simkafka.Start(s, append(options, simkafka.On(new(kfake.VirtualNetwork)))...)
		if err != nil {
			t.Fatal(err)
		}
		defer sim.Close()
		r := &rig{T: t, sim: sim, dir: t.TempDir(), yes: true}
		r.runner.rig = r
		r.runner.stop = func(broker int32) { sim.Shutdown(broker) }
		r.rb = parse(t, runbook)
		f(r)
	})
}

func parse(t *testing.T, text string) runbooks.Runbook {
	t.Helper()
	rb, err := runbooks.Parse(strings.NewReader(text), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return rb
}

// run is one process of drain, from its start to its end.
func (r *rig) run() (Done, error) { return r.runWith(r.Context()) }

func (r *rig) runWith(ctx context.Context) (Done, error) {
	r.Helper()
	client := r.dial()
	defer client.Close()
	r.death = client.Close
	return Run(ctx, r.config(client))
}

func (r *rig) config(client *kafka.Client) Config {
	cfg := Config{
		Runbook: r.rb, Path: "/runbooks/broker-1.yaml", Who: "test", StateDir: r.dir, Drain: "/drain", Yes: r.yes,
		Observer: client, Watcher: client, Logs: client, Configs: client, Registry: client,
		NewMover: Driving(client.Ports()), Runner: &r.runner, Confirmer: &r.asked, Sink: r,
		Plan: plan.Compute, disk: r.disk,
	}
	if client != nil { // a shell that only leaves a request has none
		cfg.Mode = client.Mode()
	}
	return cfg
}

// Event keeps what the run tells.
func (r *rig) Event(ev Event) {
	if r.onEvent != nil {
		r.onEvent(ev)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, ev)
}

// wants holds an end against what it should be: the kind of error, and words
// that must be in it.
func (r *rig) wants(err, kind error, words ...string) {
	r.Helper()
	if !errors.Is(err, kind) {
		r.Errorf("got error %v, want %v", err, kind)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			r.Errorf("got error %q, want %q in it", err, w)
		}
	}
}

// drained fails the test unless the brokers are empty and nothing else was left
// behind.
func (r *rig) drained(before simkafka.Spec, brokers ...int32) {
	r.Helper()
	if wrong := r.left(before, brokers...); len(wrong) > 0 {
		r.Errorf("left behind:\n%s", strings.Join(wrong, "\n"))
	}
}

// untouched fails the test unless the cluster is as it was.
func (r *rig) untouched(before simkafka.Spec) {
	r.Helper()
	if got, want := fmt.Sprintf("%+v", assignment(r.sim.State())), fmt.Sprintf("%+v", assignment(before)); got != want {
		r.Errorf("the cluster is\n%s\nand was\n%s", got, want)
	}
}

// assignment is what a drain may change: lists, settings and who runs.
func assignment(s simkafka.Spec) []string {
	var all []string
	for _, b := range s.Brokers {
		all = append(all, fmt.Sprintf("broker %d %v %v", b.ID, b.State, b.Configs))
	}
	for _, t := range s.Topics {
		for _, p := range t.Partitions {
			all = append(all, fmt.Sprintf("%s-%d %v %v %v", t.Name, p.Number, p.Replicas, p.Adding, t.Configs))
		}
	}
	return all
}

// texts are the events of a kind, in words.
func (r *rig) texts(kind EventKind) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, ev := range r.events {
		if ev.Kind == kind {
			all = append(all, ev.Text)
		}
	}
	return all
}

func (r *rig) said(kind EventKind, part string) bool {
	return slices.ContainsFunc(r.texts(kind), func(s string) bool { return strings.Contains(s, part) })
}

func (r *rig) files() Files { return FilesOf(r.dir, "/runbooks/broker-1.yaml") }

func (r *rig) records() []Record {
	r.Helper()
	records, err := Peek(r.files())
	if err != nil {
		r.Fatal(err)
	}
	return records
}

// fakeRunner stands for the machine on which commands run: what they do happens
// to the cluster, whatever becomes of the drain that started them.
type fakeRunner struct {
	rig    *rig
	stop   func(broker int32)       // what the stop command does
	delay  time.Duration            // until it does it, whatever becomes of the command meanwhile
	exit   child.Exit               // how it ends
	takes  time.Duration            // how long it runs, unless it is killed before
	others func(argv []string)      // what any other command does
	fails  func(argv []string) bool // whether it exits with 1
	missed map[string]bool          // programs that are not there

	mu    sync.Mutex
	ran   []string               // every command that was started: the marker outside of drain
	alive map[child.Process]bool // those that run on after their drain has died
	kills int
}

func (f *fakeRunner) Find(argv []string) error {
	if f.missed[argv[0]] {
		return fmt.Errorf("%s: %w", argv[0], os.ErrNotExist)
	}
	return nil
}

func (f *fakeRunner) Run(ctx context.Context, c child.Command, started func(child.Process)) (child.Exit, error) {
	f.mu.Lock()
	f.ran = append(f.ran, strings.Join(c.Argv, " "))
	p := child.Process{PID: 1000 + len(f.ran), Started: 1, Boot: "rig"}
	f.mu.Unlock()
	started(p)
	if c.Argv[0] != "stop-it" {
		if f.others != nil {
			f.others(c.Argv)
		}
		if f.fails != nil && f.fails(c.Argv) {
			return child.Exit{Code: 1}, nil
		}
		return child.Exit{}, nil
	}
	var broker int32
	if _, err := fmt.Sscan(c.Argv[1], &broker); err != nil {
		return child.Exit{}, err
	}
	if f.delay > 0 {
		time.AfterFunc(f.delay, func() { f.stop(broker) })
	} else {
		f.stop(broker)
	}
	select {
	case <-time.After(min(f.takes, c.Timeout)):
	case <-ctx.Done():
		if cause := context.Cause(ctx); errors.Is(cause, child.ErrLeave) {
			return child.Exit{}, cause
		}
		return child.Exit{Code: -1, Signal: "terminated", Killed: context.Cause(ctx).Error()}, nil
	}
	if f.takes > c.Timeout {
		return child.Exit{Code: -1, Signal: "terminated", TimedOut: true}, nil
	}
	return f.exit, nil
}

func (f *fakeRunner) Alive(p child.Process) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.alive[p]
}

func (f *fakeRunner) Kill(p child.Process) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.alive, p)
	f.kills++
	return nil
}

// stops is how often the stop command was started.
func (f *fakeRunner) stops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, argv := range f.ran {
		if strings.HasPrefix(argv, "stop-it") {
			n++
		}
	}
	return n
}

// answers are what a person says, in turn; nobody is there when they run out.
type answers struct {
	mu    sync.Mutex
	yes   []bool
	asked []string
}

func (a *answers) Ask(_ context.Context, question string) (Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, question)
	if len(a.yes) == 0 {
		return Answer{}, ErrNobody
	}
	said := a.yes[0]
	a.yes = a.yes[1:]
	if !said {
		return Answer{}, ErrDeclined
	}
	return Answer{Who: "person", How: "terminal"}, nil
}

// left is what a finished drain must not leave behind: settings, replicas on
// the broker, short ISRs, partitions without a leader.
func (r *rig) left(before simkafka.Spec, drained ...int32) []string {
	var wrong []string
	now := r.sim.State()
	for i, t := range now.Topics {
		if !sameConfigs(t.Configs, before.Topics[i].Configs) {
			wrong = append(wrong, fmt.Sprintf("topic %s has %v, and had %v", t.Name, t.Configs, before.Topics[i].Configs))
		}
		for k, p := range t.Partitions {
			was := before.Topics[i].Partitions[k]
			name := fmt.Sprintf("%s-%d", t.Name, p.Number)
			if len(p.Replicas) != len(was.Replicas) {
				wrong = append(wrong, fmt.Sprintf("%s has %d replicas, and had %d", name, len(p.Replicas), len(was.Replicas)))
			}
			if len(p.ISR) != len(p.Replicas) || *p.Leader < 0 {
				wrong = append(wrong, fmt.Sprintf("%s has leader %d and ISR %v of %v", name, *p.Leader, p.ISR, p.Replicas))
			}
			for _, b := range drained {
				if slices.Contains(p.Replicas, b) {
					wrong = append(wrong, fmt.Sprintf("%s is still on broker %d", name, b))
				}
			}
		}
	}
	for i, b := range now.Brokers {
		configs := b.Configs
		if slices.Contains(drained, b.ID) {
			configs = map[string]string{} // a cordon that is kept, judged elsewhere
		}
		if !sameConfigs(configs, before.Brokers[i].Configs) {
			wrong = append(wrong, fmt.Sprintf("broker %d has %v, and had %v", b.ID, b.Configs, before.Brokers[i].Configs))
		}
	}
	return wrong
}

func sameConfigs(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// dying is a file whose process dies once a number of records is durable.
type dying struct {
	file
	after *int
	die   func()
}

var errDied = errors.New("the process is dead")

func (d dying) Sync() error {
	if err := d.file.Sync(); err != nil {
		return err
	}
	if *d.after--; *d.after == 0 {
		d.die()
		return errDied
	}
	return nil
}

// dieAt makes the next process die right after its first record of a kind.
func (r *rig) dieAt(kind Kind) {
	r.disk = func(name string, flag int, perm os.FileMode) (file, error) {
		f, err := openFile(name, flag, perm)
		if err != nil {
			return f, err
		}
		n := 0
		return &spotting{dying{f, &n, func() { r.death() }}, `"kind":"` + string(kind) + `"`, &n}, nil
	}
}

// spotting dies at the record that holds a text.
type spotting struct {
	dying
	text string
	n    *int
}

func (s *spotting) Write(b []byte) (int, error) {
	if strings.Contains(string(b), s.text) {
		*s.n = 1
	}
	return s.dying.Write(b)
}

// fullAfter is a disk with room for n records.
func fullAfter(n int) opener {
	return func(name string, flag int, perm os.FileMode) (file, error) {
		f, err := openFile(name, flag, perm)
		return &failing{f, n}, err
	}
}

// dial is a client of its own, as each process has.
func (r *rig) dial() *kafka.Client {
	r.Helper()
	client, err := kafka.Dial(r.Context(), kafka.Options{Bootstrap: r.sim.Bootstrap(), Dialer: r.sim.Dial, SASL: r.sasl})
	if err != nil {
		r.Fatal(err)
	}
	return client
}

// cleanup is `drain cleanup`.
func (r *rig) cleanup(cancel bool) (Done, error) {
	r.Helper()
	client := r.dial()
	defer client.Close()
	return Cleanup(r.Context(), r.config(client), cancel)
}

// status is `drain status`.
func (r *rig) status() (Status, error) {
	r.Helper()
	client := r.dial()
	defer client.Close()
	return ReadStatus(r.Context(), r.config(client))
}

func (r *rig) pause(d time.Duration) {
	r.Helper()
	if err := pause(r.Context(), d); err != nil {
		r.Fatal(err)
	}
}

// dieAtRequest makes the next process die when its n-th request that changes
// something has reached the cluster, before or after it is carried out. It
// returns whether it did.
func (r *rig) dieAtRequest(n int, carriedOut bool) (died func() bool) {
	var dead atomic.Bool
	var seen atomic.Int64
	r.sim.OnRequest(func(c simkafka.Call, after bool) {
		if after != carriedOut || !c.Mutating() {
			return
		}
		if seen.Add(1) == int64(n) {
			dead.Store(true)
			go r.death()
		}
	})
	r.disk = func(name string, flag int, perm os.FileMode) (file, error) {
		f, err := openFile(name, flag, perm)
		return &mortal{f, &dead}, err
	}
	return dead.Load
}

// mortal is a file that a dead process does not write to any more.
type mortal struct {
	file
	dead *atomic.Bool
}

func (m *mortal) Write(b []byte) (int, error) {
	if m.dead.Load() {
		return 0, errDied
	}
	return m.file.Write(b)
}

// dieAfter makes the next process die right after its n-th record.
func (r *rig) dieAfter(n int) {
	r.disk = func(name string, flag int, perm os.FileMode) (file, error) {
		f, err := openFile(name, flag, perm)
		if err != nil {
			return f, err
		}
		return dying{f, &n, func() { r.death() }}, nil
	}
}
