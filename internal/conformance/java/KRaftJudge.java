package org.apache.kafka.controller;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metadata.UnregisterBrokerRecord;
import org.apache.kafka.common.metadata.FenceBrokerRecord;
import org.apache.kafka.common.metadata.UnfenceBrokerRecord;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.VersionRange;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * Asks the real ReplicationControlManager what it makes of partitions when
 * brokers come and go. It is fed with metadata records, as a controller that
 * replays its log is, and then with events.
 *
 * <p>It reads lines from standard input: {@code cluster LEVEL ELR} begins anew,
 * {@code broker ID STATE} and {@code partition ...} fill the cluster, and
 * {@code event WHAT ID} makes something happen, upon which the state of each
 * partition is printed on a line. Lists are joined by commas, "-" is empty.
 *
 * <p>What differs between the versions of Kafka is reached by reflection.
 */
public final class KRaftJudge {
    /** A log dir of a broker, by broker and number. Number 2 is never registered: offline. */
    private static Uuid dir(int broker, int number) {
        return new Uuid(1000 + broker, 1000 + number);
    }

    private static final int HEALTHY = 0, SPARE = 1, FAILED = 2;

    private final SnapshotRegistry registry = Unchecked.snapshots();
    private final FeatureControlManager features;
    private final ClusterControlManager cluster;
    private final ConfigurationControlManager configs;
    private final ReplicationControlManager replication;
    private final List<Uuid> topics = new ArrayList<>();
    private final List<Integer> numbers = new ArrayList<>();
    private final TreeSet<Integer> failed = new TreeSet<>(); // brokers whose healthy dir failed
    private final boolean directories;
    private long epoch = 100;

    private KRaftJudge(short level, boolean elr) throws Exception {
        Map<String, VersionRange> supported = new HashMap<>();
        supported.put("metadata.version", VersionRange.of(1, 99));
        supported.put("eligible.leader.replicas.version", VersionRange.of(0, 1));
        features = new FeatureControlManager.Builder()
            .setSnapshotRegistry(registry)
            .setQuorumFeatures(new QuorumFeatures(0, supported, Collections.emptyList()))
            .build();
        features.replay(new FeatureLevelRecord().setName("metadata.version").setFeatureLevel(level));
        if (elr) {
            features.replay(new FeatureLevelRecord().setName("eligible.leader.replicas.version").setFeatureLevel((short) 1));
        }
        directories = level >= 17;
        ClusterControlManager.Builder clusters = new ClusterControlManager.Builder()
            .setSnapshotRegistry(registry)
            .setClusterId("judge")
            .setFeatureControlManager(features);
        Unchecked.setNoOp(clusters, "setBrokerUncleanShutdownHandler");
        Unchecked.setNoOp(clusters, "setBrokerShutdownHandler");
        cluster = clusters.build();
        cluster.activate();
        ConfigurationControlManager.Builder settings = new ConfigurationControlManager.Builder()
            .setSnapshotRegistry(registry)
            .setKafkaConfigSchema(Unchecked.configSchema());
        Unchecked.set(settings, "setFeatureControl", features);
        configs = settings.build();
        replication = new ReplicationControlManager.Builder()
            .setSnapshotRegistry(registry)
            .setConfigurationControl(configs)
            .setClusterControl(cluster)
            .setFeatureControl(features)
            .build();
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out));
        KRaftJudge judge = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "cluster":
                    judge = new KRaftJudge(Short.parseShort(words[1]), words[2].equals("true"));
                    break;
                case "broker":
                    judge.register(Integer.parseInt(words[1]), words[2].equals("fenced"), words[2].equals("shuttingDown"));
                    break;
                case "partition":
                    judge.partition(words);
                    break;
                case "event":
                    judge.replay(judge.event(words[1], Integer.parseInt(words[2])));
                    judge.print(out);
                    out.flush();
                    break;
                default:
                    throw new IllegalArgumentException(line);
            }
        }
        out.flush();
    }

    private void register(int id, boolean fenced, boolean shuttingDown) {
        RegisterBrokerRecord record = new RegisterBrokerRecord()
            .setBrokerId(id).setBrokerEpoch(epoch++).setIncarnationId(new Uuid(7, id))
            .setFenced(fenced).setInControlledShutdown(shuttingDown);
        if (directories) {
            record.setLogDirs(failed.contains(id) ? Arrays.asList(dir(id, SPARE)) : Arrays.asList(dir(id, HEALTHY), dir(id, SPARE)));
        }
        cluster.replay(record, epoch);
    }

    /** partition REPLICAS ISR ELR KNOWN ADDING REMOVING OFFLINE LEADER RECOVERING MIN UNCLEAN FIRST. */
    private void partition(String[] words) {
        Uuid topic = new Uuid(42, 1 + topics.size());
        String name = "t" + topics.size();
        replication.replay(new TopicRecord().setName(name).setTopicId(topic));
        int first = Integer.parseInt(words[12]);
        if (first > 0) {
            List<Integer> elsewhere = new ArrayList<>();
            for (int i = 0; i < first; i++) {
                elsewhere.add(1000 + i);
            }
            replication.replay(record(topic, 0, elsewhere, Collections.emptyList()).setIsr(elsewhere).setLeader(1000));
        }
        int number = first > 0 ? 1 : 0;
        PartitionRecord record = record(topic, number, ids(words[1]), ids(words[7]))
            .setIsr(ids(words[2])).setAddingReplicas(ids(words[5])).setRemovingReplicas(ids(words[6]))
            .setLeader(Integer.parseInt(words[8]))
            .setLeaderRecoveryState(words[9].equals("true") ? LeaderRecoveryState.RECOVERING.value() : LeaderRecoveryState.RECOVERED.value());
        if (!words[3].equals("-")) {
            record.setEligibleLeaderReplicas(ids(words[3]));
        }
        if (!words[4].equals("-")) {
            Unchecked.call(record, "setLastKnown", ids(words[4]));
        }
        replication.replay(record);
        configure(name, "min.insync.replicas", words[10]);
        configure(name, "unclean.leader.election.enable", words[11]);
        topics.add(topic);
        numbers.add(number);
    }

    private PartitionRecord record(Uuid topic, int number, List<Integer> replicas, List<Integer> offline) {
        PartitionRecord record = new PartitionRecord().setTopicId(topic).setPartitionId(number).setReplicas(replicas)
            .setLeaderEpoch(3).setPartitionEpoch(5);
        if (directories) {
            List<Uuid> dirs = new ArrayList<>();
            for (int id : replicas) {
                dirs.add(dir(id, offline.contains(id) ? FAILED : HEALTHY));
            }
            record.setDirectories(dirs);
        }
        return record;
    }

    private void configure(String topic, String key, String value) {
        configs.replay(new ConfigRecord().setResourceType(ConfigResource.Type.TOPIC.id()).setResourceName(topic).setName(key).setValue(value));
    }

    private List<ApiMessageAndVersion> event(String what, int id) throws Exception {
        List<ApiMessageAndVersion> records = new ArrayList<>();
        long brokerEpoch = cluster.brokerRegistrations().containsKey(id) ? cluster.brokerRegistrations().get(id).epoch() : -1;
        switch (what) {
            case "fence":
                replication.handleBrokerFenced(id, records);
                break;
            case "shutdown":
                replication.handleBrokerInControlledShutdown(id, brokerEpoch, records);
                break;
            case "unfence":
                replication.handleBrokerUnfenced(id, brokerEpoch, records);
                break;
            case "unregister":
                replication.handleBrokerUnregistered(id, brokerEpoch, records);
                break;
            case "restartClean":
            case "restartUnclean":
                Unchecked.call(replication, "handleBrokerShutdown", id, what.equals("restartClean"), records);
                replay(records);
                register(id, true, false);
                return Collections.emptyList();
            case "dirFails":
                failed.add(id);
                replication.handleDirectoriesOffline(id, brokerEpoch, Collections.singletonList(dir(id, HEALTHY)), records);
                break;
            case "electUnclean":
                ElectLeadersRequestData request = new ElectLeadersRequestData().setElectionType((byte) 1).setTopicPartitions(null);
                return replication.electLeaders(request).records();
            default:
                throw new IllegalArgumentException(what);
        }
        return records;
    }

    private void replay(List<ApiMessageAndVersion> records) {
        for (ApiMessageAndVersion each : records) {
            ApiMessage record = each.message();
            if (record instanceof PartitionChangeRecord) {
                replication.replay((PartitionChangeRecord) record);
            } else if (record instanceof BrokerRegistrationChangeRecord) {
                cluster.replay((BrokerRegistrationChangeRecord) record);
            } else if (record instanceof UnregisterBrokerRecord) {
                cluster.replay((UnregisterBrokerRecord) record);
            } else if (record instanceof FenceBrokerRecord) {
                cluster.replay((FenceBrokerRecord) record);
            } else if (record instanceof UnfenceBrokerRecord) {
                cluster.replay((UnfenceBrokerRecord) record);
            } else {
                throw new IllegalStateException("no idea how to replay " + record);
            }
        }
    }

    /** LEADER REPLICAS ISR ELR KNOWN ADDING REMOVING RECOVERING, the unordered lists ascending. */
    private void print(BufferedWriter out) throws Exception {
        for (int i = 0; i < topics.size(); i++) {
            PartitionRegistration p = replication.getPartition(topics.get(i), numbers.get(i));
            out.write(p.leader + " " + listed(p.replicas) + " " + sorted(p.isr) + " " + sorted(p.elr) + " " + listed(p.lastKnownElr)
                + " " + sorted(p.addingReplicas) + " " + sorted(p.removingReplicas)
                + " " + (p.leaderRecoveryState == LeaderRecoveryState.RECOVERING));
            out.newLine();
        }
    }

    private static List<Integer> ids(String list) {
        List<Integer> ids = new ArrayList<>();
        if (!list.equals("-")) {
            for (String id : list.split(",")) {
                ids.add(Integer.parseInt(id));
            }
        }
        return ids;
    }

    private static String listed(int[] ids) {
        return joined(Arrays.stream(ids).boxed().toArray());
    }

    private static String sorted(int[] ids) {
        return joined(new TreeSet<>(Arrays.asList(Arrays.stream(ids).boxed().toArray(Integer[]::new))).toArray());
    }

    private static String joined(Object[] ids) {
        if (ids.length == 0) {
            return "-";
        }
        StringBuilder list = new StringBuilder();
        for (Object id : ids) {
            list.append(list.length() == 0 ? "" : ",").append(id);
        }
        return list.toString();
    }

    /** What has other names, or is not there, in one version or another. */
    private static final class Unchecked {
        static SnapshotRegistry snapshots() {
            try {
                for (var constructor : SnapshotRegistry.class.getConstructors()) {
                    if (constructor.getParameterCount() == 1) {
                        Object log = constructor.getParameterTypes()[0].getConstructor().newInstance();
                        return (SnapshotRegistry) constructor.newInstance(log);
                    }
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
            throw new IllegalStateException("no constructor of SnapshotRegistry takes a log context");
        }

        static org.apache.kafka.metadata.KafkaConfigSchema configSchema() throws ReflectiveOperationException {
            return (org.apache.kafka.metadata.KafkaConfigSchema) Class.forName("kafka.server.KafkaRaftServer").getMethod("configSchema").invoke(null);
        }

        /** Calls the setter if there is one, with an object that does nothing. */
        static void setNoOp(Object builder, String setter) {
            for (Method method : builder.getClass().getDeclaredMethods()) {
                if (method.getName().equals(setter)) {
                    Class<?> handler = method.getParameterTypes()[0];
                    set(builder, setter, Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, (proxy, called, args) -> null));
                }
            }
        }

        static void set(Object builder, String setter, Object value) {
            call(builder, setter, value);
        }

        /** Calls the method whose name begins so, whatever the case of the rest; nothing where there is none. */
        static void call(Object target, String prefix, Object... args) {
            for (Method method : target.getClass().getDeclaredMethods()) {
                if (method.getName().startsWith(prefix) && method.getParameterCount() == args.length) {
                    try {
                        method.setAccessible(true);
                        method.invoke(target, args);
                        return;
                    } catch (InvocationTargetException e) {
                        throw new IllegalStateException(prefix, e.getCause());
                    } catch (IllegalAccessException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }
    }
}
