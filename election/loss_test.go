package election

import (
	"reflect"
	"slices"
	"testing"
)

// lossCase is a loss in short: lists as "1,2,3", brokers 1 to 9 are alive unless away.
type lossCase struct {
	name                               string
	rules                              Rules
	leader                             int32
	replicas, isr, elr, adding         string
	removing, offline                  string
	away, dead                         string
	min                                int
	unclean                            Unclean
	wantLeader                         int32
	wantISR, wantELR                   string
	want                               Outcome
	atMin, wasUnclean, unknown, onStop bool
}

var (
	kraft   = Rules{Release: Release{4, 4}}
	elrOn   = Rules{Release: Release{4, 4}, ELR: true}
	zk39    = Rules{Mode: ZooKeeper, Release: Release{3, 9}}
	kraft37 = Rules{Release: Release{3, 7}}
)

var losses = []lossCase{
	{name: "a follower goes and enough stay", rules: kraft, leader: 2, replicas: "1,2,3", isr: "1,2,3", dead: "1", wantLeader: 2, wantISR: "2,3", want: Unaffected},
	{name: "a follower goes and exactly enough stay", rules: kraft, leader: 2, replicas: "1,2,3", isr: "1,2,3", dead: "1", min: 2, wantLeader: 2, wantISR: "2,3", want: Unaffected, atMin: true},
	{name: "a follower goes and too few stay", rules: kraft, leader: 2, replicas: "1,2,3", isr: "1,2", dead: "1", min: 2, wantLeader: 2, wantISR: "2", want: UnderMinISR},
	{name: "a replica out of sync goes where too few are in sync", rules: kraft, leader: 2, replicas: "1,2,3", isr: "2", dead: "1", min: 2, wantLeader: 2, wantISR: "2", want: Unaffected},
	{name: "the leader goes", rules: kraft, leader: 1, replicas: "1,2,3", isr: "3,2,1", dead: "1", wantLeader: 2, wantISR: "3,2", want: Elected},
	{name: "the leader goes and its follower is alone under the minimum", rules: kraft, leader: 1, replicas: "1,2,3", isr: "3,1", dead: "1", min: 2, wantLeader: 3, wantISR: "3", want: UnderMinISR},
	{name: "the minimum is no more than the replicas from 3.7 on", rules: kraft37, leader: 1, replicas: "1,2", isr: "1,2", dead: "1", min: 3, wantLeader: 2, wantISR: "2", want: UnderMinISR},
	{name: "one replica", rules: kraft, leader: 3, replicas: "3", isr: "3", dead: "3", wantLeader: -1, wantISR: "3", want: Leaderless},
	{name: "one replica elsewhere", rules: kraft, leader: 3, replicas: "3", isr: "3", dead: "1", wantLeader: 3, wantISR: "3", want: Unaffected},
	{name: "alone in sync", rules: kraft, leader: 3, replicas: "3,1,2", isr: "3", dead: "3", wantLeader: -1, wantISR: "3", want: Leaderless},
	{name: "alone in sync with unclean election on", rules: kraft, leader: 3, replicas: "3,1,2", isr: "3", dead: "3", unclean: On, wantLeader: 1, wantISR: "1", want: UncleanLeader, wasUnclean: true, atMin: true},
	{name: "KRaft 3.7 does not read the unclean flag", rules: kraft37, leader: 3, replicas: "3,1,2", isr: "3", dead: "3", unclean: On, wantLeader: -1, wantISR: "3", want: Leaderless},
	{name: "a flag that nobody knows is predicted as off", rules: kraft, leader: 3, replicas: "3,1,2", isr: "3", dead: "3", unclean: Unknown, wantLeader: -1, wantISR: "3", want: Leaderless, unknown: true},
	{name: "a flag that nobody knows makes no difference to one replica", rules: kraft, leader: 3, replicas: "3", isr: "3", dead: "3", unclean: Unknown, wantLeader: -1, wantISR: "3", want: Leaderless},
	{name: "a flag that nobody knows makes no difference before 3.9", rules: kraft37, leader: 3, replicas: "3,1,2", isr: "3", dead: "3", unclean: Unknown, wantLeader: -1, wantISR: "3", want: Leaderless},
	{name: "an ISR member that died before is passed over", rules: kraft, leader: 3, replicas: "3,4,2,1", isr: "1,2,3,4", away: "4", dead: "3", wantLeader: 2, wantISR: "1,2,4", want: Elected},
	{name: "the rest of the ISR died before", rules: kraft, leader: 3, replicas: "3,4", isr: "3,4", away: "4", dead: "3", wantLeader: -1, wantISR: "4", want: Leaderless},
	{name: "the preferred leader is not taken while another leads", rules: kraft, leader: 1, replicas: "2,1,3", isr: "3,1,2", dead: "3", wantLeader: 1, wantISR: "1,2", want: Unaffected},
	{name: "a live broker with its log dir offline", rules: kraft, leader: 3, replicas: "3,2", isr: "3,2", offline: "2", dead: "3", wantLeader: -1, wantISR: "2", want: Leaderless},
	{name: "broker 0, being away, does not lead", rules: kraft, leader: 1, replicas: "0,1", isr: "0,1", away: "0", dead: "1", wantLeader: -1, wantISR: "0", want: Leaderless},
	{name: "leaderless already", rules: kraft, leader: -1, replicas: "3,2", isr: "2", away: "2", dead: "3", wantLeader: -1, wantISR: "2", want: Unaffected},
	{name: "two brokers together", rules: kraft, leader: 2, replicas: "2,3", isr: "2,3", dead: "2,3", wantLeader: -1, wantISR: "3", want: Leaderless},
	{name: "the second of two was never in sync, and is what remains", rules: kraft, leader: 3, replicas: "2,12,3,14", isr: "3", away: "12,14", dead: "2,3", unclean: On, wantLeader: -1, wantISR: "2", want: Leaderless, wasUnclean: true},
	{name: "the order decides whether a reassignment completes", rules: kraft, leader: 2, replicas: "15,11,14,2,10", isr: "15,11,14,2,10", adding: "11,15", removing: "2,10", dead: "11,14", wantLeader: 15, wantISR: "15", want: Elected, atMin: true},
	{name: "ELR: an eligible replica leads", rules: elrOn, leader: 1, replicas: "1,2,3", isr: "1", elr: "2,3", dead: "1", min: 2, wantLeader: 2, wantISR: "2", wantELR: "1,3", want: UnderMinISR},
	{name: "ELR: nobody is left, and the last becomes eligible", rules: elrOn, leader: 1, replicas: "1,2,3", isr: "1", dead: "1", wantLeader: -1, wantELR: "1", want: Leaderless},
	{name: "ELR: an eligible replica that goes changes nothing", rules: elrOn, leader: 1, replicas: "1,2,3", isr: "1", elr: "2", dead: "2", min: 2, wantLeader: 1, wantISR: "1", wantELR: "2", want: Unaffected},
	{name: "ELR: a member on an offline log dir keeps the eligible out", rules: elrOn, leader: 1, replicas: "1,6,3", isr: "1,6", elr: "3", offline: "1", dead: "6", min: 2, unclean: On, wantLeader: 3, wantISR: "3", want: UncleanLeader, wasUnclean: true},
	{name: "ZooKeeper: the leader goes, and members offline leave with it", rules: zk39, leader: 1, replicas: "1,2,3", isr: "1,2,3", away: "3", dead: "1", wantLeader: 2, wantISR: "2", want: Elected, atMin: true},
	{name: "ZooKeeper: broker 0, being away, does not lead", rules: zk39, leader: 1, replicas: "0,1", isr: "0,1", away: "0", dead: "1", wantLeader: -1, wantISR: "0", want: Leaderless},
	{name: "ZooKeeper: a replica out of sync goes, and at the minimum is not what that left", rules: zk39, leader: 1, replicas: "1,2", isr: "1", dead: "2", wantLeader: 1, wantISR: "1", want: Unaffected},
	{name: "ZooKeeper: the last member stays", rules: zk39, leader: 1, replicas: "1,2", isr: "1", dead: "1", wantLeader: -1, wantISR: "1", want: Leaderless},
	{name: "ZooKeeper: another broker's loss gives a leader that shuts down an unclean successor", rules: zk39, leader: 1, replicas: "1,2", isr: "1", away: "1", dead: "3", unclean: On, wantLeader: 2, wantISR: "2", want: UncleanLeader, wasUnclean: true, atMin: true},
	{name: "ZooKeeper: a member that is no replica keeps unclean election away", rules: zk39, leader: 1, replicas: "1,2", isr: "1,5", dead: "1", unclean: On, wantLeader: -1, wantISR: "5", want: Leaderless},
	{name: "ZooKeeper: a controlled shutdown leaves members offline in the ISR", rules: zk39, leader: 1, replicas: "1,2,3", isr: "1,2,3", away: "3", dead: "1", onStop: true, wantLeader: 2, wantISR: "2,3", want: Elected},
	{name: "ZooKeeper: a controlled shutdown of the only one in sync", rules: zk39, leader: 1, replicas: "1,2", isr: "1", dead: "1", onStop: true, wantLeader: -1, wantISR: "1", want: Leaderless},
	{name: "KRaft: a controlled shutdown writes what a crash does", rules: kraft, leader: 1, replicas: "1,2,3", isr: "1,2,3", dead: "1", onStop: true, wantLeader: 2, wantISR: "2,3", want: Elected},
}

func TestLosses(t *testing.T) {
	t.Parallel()
	for _, c := range losses {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := Partition{
				Leader: c.leader, Replicas: ids(t, c.replicas), ISR: ids(t, c.isr), ELR: ids(t, c.elr), Adding: ids(t, c.adding),
				Removing: ids(t, c.removing), Offline: ids(t, c.offline), MinISR: c.min, Unclean: c.unclean,
			}
			away := ids(t, c.away)
			live := func(id int32) bool { return !slices.Contains(away, id) }
			lose := Crash
			if c.onStop {
				lose = Shutdown
			}
			got := lose(c.rules, live, p, ids(t, c.dead))
			if got.Outcome != c.want || got.Leader != c.wantLeader {
				t.Errorf("got %v led by %d, want %v led by %d: %s", got.Outcome, got.Leader, c.want, c.wantLeader, got.Reason())
			}
			if want := ids(t, c.wantISR); !slices.Equal(got.ISR, want) {
				t.Errorf("got ISR %v, want %v", got.ISR, want)
			}
			if want := ids(t, c.wantELR); !slices.Equal(got.ELR, want) {
				t.Errorf("got ELR %v, want %v", got.ELR, want)
			}
			if got.AtMinISR != c.atMin || got.WasUnclean != c.wasUnclean || got.UncleanUnknown != c.unknown {
				t.Errorf("got at min ISR %v, was unclean %v, unclean unknown %v; want %v, %v, %v",
					got.AtMinISR, got.WasUnclean, got.UncleanUnknown, c.atMin, c.wasUnclean, c.unknown)
			}
		})
	}
}

func TestALossElsewhereTellsThePartitionAsItIs(t *testing.T) {
	t.Parallel()
	p := Partition{
		Leader: 1, Replicas: []int32{1, 2, 3}, ISR: []int32{1}, ELR: []int32{2}, LastKnown: []int32{3},
		Adding: []int32{2}, Removing: []int32{3}, MinISR: 5, Recovering: true,
	}
	want := Result{
		Leader: 1, Replicas: p.Replicas, ISR: p.ISR, ELR: p.ELR, LastKnown: p.LastKnown,
		Adding: p.Adding, Removing: p.Removing, MinISR: 3, Recovering: true,
	}
	if got := Crash(elrOn, func(int32) bool { return true }, p, []int32{9}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
