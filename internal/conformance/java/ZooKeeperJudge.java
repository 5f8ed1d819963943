package kafka.controller;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import kafka.server.KafkaConfig;
import kafka.zk.KafkaZkClient;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * Asks a real KafkaController what it makes of partitions when brokers come and
 * go. It runs on an in-process ZooKeeper, whose znodes are all that there is of
 * the brokers: what the controller sends to them goes nowhere.
 *
 * <p>It reads lines from standard input: {@code cluster}, {@code broker ID} for
 * each that is alive, {@code partition ...}, then {@code start}, upon which the
 * controller takes over and the states that it then finds or makes are printed,
 * a line each. {@code event WHAT IDS} makes something happen and prints them
 * again. Lists are joined by commas, "-" is empty.
 *
 * <p>What differs between the versions of Kafka is reached by reflection.
 */
public final class ZooKeeperJudge {
    private static final int CONTROLLER = 100; // its own broker id, with no replica
    private static final int MULTI = 500; // znodes written in one request
    private static final long PATIENCE_SECONDS = 60;

    private final ZooKeeperServer server;
    private final String root, connect;
    private final ZooKeeper raw;
    private final List<Partition> partitions = new ArrayList<>();
    private final TreeSet<Integer> alive = new TreeSet<>();

    private KafkaZkClient client;
    private KafkaController controller;
    private Object features;

    private static final class Partition {
        TopicPartition name;
        List<Integer> replicas, isr, offline;
        int leader;
        boolean recovering;
    }

    private ZooKeeperJudge(ZooKeeperServer server, String address, String root) throws Exception {
        this.server = server;
        this.root = root;
        ZooKeeper admin = connected(address);
        admin.create(root, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        admin.close();
        connect = address + root;
        raw = connected(connect);
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("zookeeper.forceSync", "no");
        System.setProperty("zookeeper.snapCount", String.valueOf(100_000_000)); // never
        System.setProperty("jute.maxbuffer", String.valueOf(64 << 20));
        Path folder = Path.of(args[0]);
        ZooKeeperServer zookeeper = new ZooKeeperServer(
            Files.createDirectories(folder.resolve("snap")).toFile(), Files.createDirectories(folder.resolve("log")).toFile(), 2000);
        NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
        factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        factory.startup(zookeeper);
        String address = "127.0.0.1:" + factory.getLocalPort();

        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out));
        ZooKeeperJudge judge = null;
        int clusters = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "cluster":
                    if (judge != null) {
                        judge.close();
                    }
                    judge = new ZooKeeperJudge(zookeeper, address, "/c" + clusters++);
                    break;
                case "broker":
                    judge.alive.add(Integer.parseInt(words[1]));
                    break;
                case "partition":
                    judge.partition(words);
                    break;
                case "start":
                    judge.start();
                    judge.print(out);
                    break;
                case "event":
                    judge.event(words[1], ids(words[2]));
                    judge.print(out);
                    break;
                default:
                    throw new IllegalArgumentException(line);
            }
        }
        out.flush();
        System.exit(0); // the threads of ZooKeeper and of the last controller end with us
    }

    /** partition REPLICAS ISR OFFLINE LEADER RECOVERING UNCLEAN. */
    private void partition(String[] words) {
        Partition p = new Partition();
        p.replicas = ids(words[1]);
        p.isr = ids(words[2]);
        p.offline = ids(words[3]);
        p.leader = Integer.parseInt(words[4]);
        p.recovering = words[5].equals("true");
        String topic = words[6].equals("true") ? "unclean" : "clean";
        int number = (int) partitions.stream().filter(other -> other.name.topic().equals(topic)).count();
        p.name = new TopicPartition(topic, number);
        partitions.add(p);
    }

    private void start() throws Exception {
        write();
        Properties settings = new Properties();
        settings.setProperty("broker.id", String.valueOf(CONTROLLER));
        settings.setProperty("zookeeper.connect", connect);
        settings.setProperty("auto.leader.rebalance.enable", "false");
        KafkaConfig config = KafkaConfig.fromProps(settings, false);
        client = zkClient();
        wireFeatures();
        Object[] known = {config, client, Time.SYSTEM, new Metrics(), features};
        controller = (KafkaController) make(KafkaController.class, known);
        controller.startup();
        await(() -> controller.isActive());
        barrier();
        for (int id = 1; id <= 8; id++) {
            failDirs(id);
        }
    }

    /** The KafkaZkClient's factory takes more arguments from version to version. */
    private KafkaZkClient zkClient() throws ReflectiveOperationException {
        Object module = Class.forName("kafka.zk.KafkaZkClient$").getField("MODULE$").get(null);
        for (Method apply : module.getClass().getMethods()) {
            if (!apply.getName().equals("apply")) {
                continue;
            }
            Object[] args = fill(apply.getParameterTypes(), Time.SYSTEM, new ZKClientConfig());
            boolean first = true;
            for (int i = 0; i < args.length; i++) {
                if (apply.getParameterTypes()[i] == String.class) {
                    args[i] = first ? connect : "judge";
                    first = false;
                } else if (apply.getParameterTypes()[i] == int.class) {
                    args[i] = 30_000; // time-outs in ms, and the most requests in flight
                }
            }
            return (KafkaZkClient) apply.invoke(module, args);
        }
        throw new IllegalStateException("KafkaZkClient has no apply");
    }

    /** From 2.7 on a controller waits until a cache has seen the feature znode. */
    private void wireFeatures() throws ReflectiveOperationException {
        Class<?> listener;
        try {
            listener = Class.forName("kafka.server.FinalizedFeatureChangeListener");
        } catch (ClassNotFoundException e) {
            return; // 2.4 has no features
        }
        Class<?> brokerFeatures = Class.forName("kafka.server.BrokerFeatures");
        Object supported = null;
        for (Method method : brokerFeatures.getMethods()) {
            // The default ones of 3.9 come with ranges that its own znode refuses.
            if (method.getName().equals("createEmpty") || method.getName().equals("createDefault") && supported == null) {
                supported = method.invoke(null, fill(method.getParameterTypes()));
            }
        }
        Constructor<?> wired = listener.getConstructors()[0];
        features = make(wired.getParameterTypes()[0], supported, latestMetadataVersion());
        Object started = wired.newInstance(features, client);
        listener.getMethod("initOrThrow", long.class).invoke(started, 30_000L);
        features = new Object[] {supported, features};
    }

    private static Object latestMetadataVersion() throws ReflectiveOperationException {
        try {
            return Class.forName("org.apache.kafka.server.common.MetadataVersion").getMethod("latestProduction").invoke(null);
        } catch (ClassNotFoundException e) {
            return null; // before 3.3
        }
    }

    /** The znodes of brokers, topics and partitions, as brokers and an earlier controller would have left them. */
    private void write() throws Exception {
        List<Op> ops = new ArrayList<>();
        for (String path : new String[] {"/brokers", "/brokers/ids", "/brokers/topics", "/config", "/config/topics"}) {
            ops.add(create(path, ""));
        }
        for (int id : alive) {
            ops.add(broker(id));
        }
        TreeMap<String, StringBuilder> assignments = new TreeMap<>();
        for (Partition p : partitions) {
            StringBuilder list = assignments.computeIfAbsent(p.name.topic(), topic -> new StringBuilder());
            list.append(list.length() == 0 ? "" : ",").append('"').append(p.name.partition()).append("\":").append(p.replicas);
        }
        assignments.forEach((topic, list) -> {
            ops.add(create("/brokers/topics/" + topic, "{\"version\":2,\"partitions\":{" + list + "},\"adding_replicas\":{},\"removing_replicas\":{}}"));
            ops.add(create("/brokers/topics/" + topic + "/partitions", ""));
            ops.add(create("/config/topics/" + topic, "{\"version\":1,\"config\":{\"unclean.leader.election.enable\":\"" + topic.equals("unclean") + "\"}}"));
        });
        for (Partition p : partitions) {
            ops.add(create(path(p), ""));
            ops.add(create(path(p) + "/state", "{\"controller_epoch\":0,\"leader\":" + p.leader + ",\"version\":1,\"leader_epoch\":3,\"isr\":" + p.isr
                + (p.recovering ? ",\"leader_recovery_state\":1" : "") + "}"));
        }
        for (int i = 0; i < ops.size(); i += MULTI) {
            raw.multi(ops.subList(i, Math.min(i + MULTI, ops.size())));
        }
    }

    private static Op broker(int id) {
        return create("/brokers/ids/" + id, "{\"version\":4,\"host\":\"127.0.0.1\",\"port\":1,\"jmx_port\":-1,\"timestamp\":\"0\","
            + "\"endpoints\":[\"PLAINTEXT://127.0.0.1:1\"],\"listener_security_protocol_map\":{\"PLAINTEXT\":\"PLAINTEXT\"}}");
    }

    private static Op create(String path, String data) {
        return Op.create(path, data.getBytes(StandardCharsets.UTF_8), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    private static String path(Partition p) {
        return "/brokers/topics/" + p.name.topic() + "/partitions/" + p.name.partition();
    }

    /** Tells the controller which replicas of a broker are on a failed log dir, as the broker's own answer would. */
    private void failDirs(int id) {
        List<TopicPartition> failed = new ArrayList<>();
        for (Partition p : partitions) {
            if (p.offline.contains(id)) {
                failed.add(p.name);
            }
        }
        if (!failed.isEmpty() && alive.contains(id)) {
            controller.controllerContext().replicasOnOfflineDirs().put(id, CollectionConverters.asScala(failed).toSet());
        }
    }

    private void event(String what, List<Integer> ids) throws Exception {
        switch (what) {
            case "vanish": // all at once: one event for the controller
                List<Op> gone = new ArrayList<>();
                for (int id : ids) {
                    gone.add(Op.delete("/brokers/ids/" + id, -1));
                }
                raw.multi(gone);
                alive.removeAll(ids);
                await(() -> ids.stream().noneMatch(id -> controller.controllerContext().liveOrShuttingDownBrokerIds().contains(id)));
                break;
            case "back":
                raw.multi(List.of(broker(ids.get(0))));
                alive.addAll(ids);
                await(() -> controller.controllerContext().liveOrShuttingDownBrokerIds().contains(ids.get(0)));
                break;
            case "retire":
                CountDownLatch answered = new CountDownLatch(1);
                controller.controlledShutdown(ids.get(0), -1L, remaining -> {
                    remaining.get(); // throws what the controller threw
                    answered.countDown();
                    return BoxedUnit.UNIT;
                });
                awaitLatch(answered);
                break;
            case "electUnclean":
                elect(CollectionConverters.asScala(names()).toSet(), ElectionType.UNCLEAN);
                break;
            default:
                throw new IllegalArgumentException(what);
        }
        barrier();
    }

    private List<TopicPartition> names() {
        List<TopicPartition> names = new ArrayList<>();
        partitions.forEach(p -> names.add(p.name));
        return names;
    }

    /** Returns once the controller has worked through all that came before: its events are a queue. */
    private void barrier() throws Exception {
        elect(CollectionConverters.asScala(new ArrayList<TopicPartition>()).toSet(), ElectionType.PREFERRED);
    }

    private void elect(scala.collection.immutable.Set<TopicPartition> partitions, ElectionType type) throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        controller.electLeaders(partitions, type, results -> {
            answered.countDown();
            return BoxedUnit.UNIT;
        });
        awaitLatch(answered);
    }

    private static final Pattern LEADER = Pattern.compile("\"leader\":(-?\\d+)");
    private static final Pattern ISR = Pattern.compile("\"isr\":\\[([\\d, ]*)\\]");
    private static final Pattern RECOVERING = Pattern.compile("\"leader_recovery_state\":1");

    /** LEADER REPLICAS ISR - - - - RECOVERING, straight from the memory of ZooKeeper. */
    private void print(BufferedWriter out) throws Exception {
        for (Partition p : partitions) {
            byte[] data = server.getZKDatabase().getData(root + path(p) + "/state", new Stat(), null);
            String state = new String(data, StandardCharsets.UTF_8);
            TreeSet<Integer> isr = new TreeSet<>(ids(found(ISR, state).replace(" ", "")));
            out.write(found(LEADER, state) + " " + joined(p.replicas) + " " + joined(isr) + " - - - - " + RECOVERING.matcher(state).find());
            out.newLine();
        }
        out.flush();
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException(pattern + " is not in " + text);
        }
        return matcher.group(1);
    }

    private void close() throws Exception {
        controller.shutdown();
        client.close();
        raw.close();
    }

    private static ZooKeeper connected(String connect) throws Exception {
        CountDownLatch up = new CountDownLatch(1);
        ZooKeeper zookeeper = new ZooKeeper(connect, 60_000, event -> up.countDown());
        awaitLatch(up);
        return zookeeper;
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("the controller does not get there");
            }
            Thread.sleep(2);
        }
    }

    private static void awaitLatch(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no answer");
        }
    }

    private static Object make(Class<?> type, Object... known) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getConstructors()[0];
        return constructor.newInstance(fill(constructor.getParameterTypes(), known));
    }

    /** Arguments by type: what is known, else nothing of its kind. */
    private static Object[] fill(Class<?>[] types, Object... known) {
        List<Object> candidates = new ArrayList<>();
        for (Object each : known) {
            if (each instanceof Object[]) {
                candidates.addAll(Arrays.asList((Object[]) each));
            } else {
                candidates.add(each);
            }
        }
        Object[] args = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            args[i] = argument(types[i], candidates);
        }
        return args;
    }

    private static Object argument(Class<?> type, List<Object> candidates) {
        if (type == int.class) {
            return CONTROLLER;
        } else if (type == long.class) {
            return 0L;
        } else if (type == boolean.class) {
            return false;
        } else if (type == Option.class) {
            return Option.empty();
        }
        return candidates.stream().filter(type::isInstance).findFirst().orElse(null);
    }

    private static List<Integer> ids(String list) {
        List<Integer> ids = new ArrayList<>();
        if (!list.equals("-") && !list.isEmpty()) {
            for (String id : list.split(",")) {
                ids.add(Integer.parseInt(id));
            }
        }
        return ids;
    }

    private static String joined(Iterable<Integer> ids) {
        StringBuilder list = new StringBuilder();
        for (int id : ids) {
            list.append(list.length() == 0 ? "" : ",").append(id);
        }
        return list.length() == 0 ? "-" : list.toString();
    }
}
