package kafkatest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// pom asks Maven for one artifact of Kafka and all it needs. Kafka's own binding
// of slf4j is left out for slf4j-simple, which logs to standard error without a
// configuration file.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>drain.kafkatest</groupId><artifactId>jars</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>%s</artifactId><version>%s</version>
      <exclusions>
        <exclusion><groupId>org.slf4j</groupId><artifactId>slf4j-log4j12</artifactId></exclusion>
        <exclusion><groupId>org.slf4j</groupId><artifactId>slf4j-reload4j</artifactId></exclusion>
      </exclusions>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`

const (
	serverArtifact = "kafka_2.13"  // the broker, and ZooKeeper for versions that have it
	toolsArtifact  = "kafka-tools" // the operator's commands, VerifiableProducer and VerifiableConsumer
)

// jars returns a folder with the jars of one artifact of Kafka and all it
// depends on.
func (c cache) jars(artifact, version string) (string, error) {
	return c.once(filepath.Join("jars", artifact+"-"+version), func(dir string) error {
		file := filepath.Join(dir, "pom.xml")
		if err := os.WriteFile(file, fmt.Appendf(nil, pom, artifact, version), 0o644); err != nil {
			return err
		}
		mvn := exec.Command("mvn", "-q", "-B", "-f", file, "dependency:copy-dependencies",
			"-DoutputDirectory="+dir, "-DincludeScope=runtime")
		mvn.Dir = dir
		if out, err := mvn.CombinedOutput(); err != nil {
			return fmt.Errorf("mvn copies %s:%s: %w\n%s", artifact, version, err, out)
		}
		return nil
	})
}

// Jars returns the folder of Kafka's server jars of one version, for tests that
// compile or run Java of their own against them.
func Jars(t TB, version string) string { return jarsFor(t, serverArtifact, version) }

// ToolJars returns the folder of Kafka's command-line tools of one version.
func ToolJars(t TB, version string) string { return jarsFor(t, toolsArtifact, version) }

func jarsFor(t TB, artifact, version string) string {
	t.Helper()
	c, err := openCache()
	if err != nil {
		t.Fatalf("test cache: %v", err)
	}
	dir, err := c.jars(artifact, version)
	if err != nil {
		t.Fatalf("jars: %v", err)
	}
	return dir
}
