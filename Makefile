# Everything a developer or CI runs. `make test` needs only Go; the suites on
# real Kafka join in when java and mvn are there (DRAIN_REQUIRE_KAFKA=1 makes
# their absence a failure). Two packages at a time are what two cores carry, then e2e
# by itself, whose tests wait more than they work: three side by side, but for those
# that look at times.

GO      ?= go
STATICCHECK = $(GO) tool -modfile=tools/go.mod staticcheck
# A number of inputs, since the fuzzer may report the end of a time as a failure of its own.
FUZZTIME ?= 4000x
# Packages whose tests start real brokers, beside e2e. The longest comes first.
KAFKA   = ./internal/conformance/... ./internal/kafka/... ./internal/kafkatest/... ./internal/simkafka/conformance/...
GOONLY  = $(shell $(GO) list ./... | grep -v -e /internal/kafkatest -e /internal/kafka$$ -e /conformance -e /e2e)

.PHONY: build test test-go test-kafka check fmt vet staticcheck race fuzz bench bars

build:
	$(GO) build -o bin/drain ./cmd/drain

test: test-go test-kafka

test-go:
	$(GO) test $(GOONLY)

test-kafka:
	$(GO) test -p 2 -parallel 2 -timeout 30m $(KAFKA)
	$(GO) test -parallel 3 -timeout 45m ./e2e/...

check: fmt vet staticcheck race fuzz

fmt:
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt these:"; echo "$$out"; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(STATICCHECK) ./...

race:
	$(GO) test -race $(GOONLY)

fuzz:
	$(GO) test -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) ./runbooks
	$(GO) test -run '^$$' -fuzz '^FuzzRead$$' -fuzztime $(FUZZTIME) ./executor
	$(GO) test -run '^$$' -fuzz '^FuzzReadSnapshot$$' -fuzztime $(FUZZTIME) ./plan

# Quality of plans by shape, the bars of speed and memory, and the scheduler beside
# other policies: ratios, all from this run. It takes some minutes.
bench:
	$(GO) run ./internal/planbench
	$(GO) run ./internal/planbench -bars
	$(GO) test ./reassign -count 1 -run 'TestSchedulerAgainstNaivePolicies|TestOtherWaysAreSlower' -v

# The figures that want a machine which does nothing else: without DRAIN_BARS=1 a
# miss is told and fails nothing, and those that take minutes are skipped.
bars:
	DRAIN_BARS=1 $(GO) test ./e2e -count 1 -v -timeout 60m -run 'TestADrainDisturbsNobody|TestEmbedded|TestMovesTakeTheBound|TestBesideKafkasOwnTool'
