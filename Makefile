# The verbs of this repository; CONTRIBUTING.md says when to use which.
SHELL      := /bin/bash
MODULE     := github.com/scaffoldwatch/scaffoldwatch
TAGS       := gore2regex
GO         := go
# The limit is for a package that hangs; go test's own ten minutes end one that only
# waits for a busy machine.
GOTEST     := $(GO) test -tags $(TAGS) -timeout 30m
TOOLS      := $(CURDIR)/bin/tools
FUZZTIME   ?= 10s
CHAOS_KILLS ?= 20
CLUSTER_UPHEAVALS ?= 160
BENCHTIME  ?= 1s
export GOFLAGS ?= -buildvcs=false
# A program with the race detector sleeps for a second when it exits; hooks exit often.
export GORACE  := atexit_sleep_ms=10

# Packages, with others after = whose tests count for them too, as in
# make mutate MUTATE=./internal/run/policy=./test/conformance LEAST=0
# make mutate MUTATE=./internal/run/settle=./internal/run/policy,./test/conformance LEAST=0
MUTATE  ?= ./internal/control ./internal/session/budget
MUTANTS ?= 60
LEAST   ?= 85

.PHONY: build scan release deployments demo test proofs fleet mutate check ci format lint vet policy golden fuzz bench bench-micro chaos chaos-negative chaos-cluster chaos-cluster-short chaos-cluster-negative conformance quality worth ratchet e2e e2e-agents readme race race-sharing format-fix clean help

help: ## list the verbs
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

build: ## build every binary into bin/, without debug information, as releases are
	@mkdir -p bin
	$(GO) build -tags $(TAGS) -ldflags="-s -w -X $(MODULE)/internal/buildinfo.Revision=$(shell git rev-parse HEAD 2>/dev/null)" -o bin/ ./cmd/...
	@# It starts at each call of a tool: without a C library to load that takes 1 ms less.
	CGO_ENABLED=0 $(GO) build -tags $(TAGS) -ldflags="-s -w -X $(MODULE)/internal/buildinfo.Revision=$(shell git rev-parse HEAD 2>/dev/null)" -o bin/ ./cmd/scaffoldwatch-hook

scan: ## build the command line alone and show your agents' latest sessions
	@mkdir -p bin
	$(GO) build -tags $(TAGS) -o bin/ ./cmd/scaffoldwatch
	@./bin/scaffoldwatch scan

release: ## make archives, deb, npm packages, SBOMs and checksums: VERSION=1.2.3, PLATFORMS="linux/amd64 …" for some
	./deploy/release/build.sh

deployments: ## render and check the compose file and the Helm chart by the libraries of their tools
	cd tools/release && $(GO) vet ./... && $(GO) test ./...

demo: build ## watch a sample fleet through real JetStream; ends with the reports
	./bin/scaffoldwatch up --demo

# Tests with brokers and processes wait more than they compute: more packages at once than cores, and the
# slowest first, so that none is left over at the end.
SLOW := ./test/e2e ./internal/audit/backup ./internal/audit/chain ./test/deploy ./cmd/scaffoldwatch ./internal/engine/nats

test: ## run the tests, the long proofs in their short form
	$(GOTEST) -p 4 $(SLOW) ./...

# Every package with a proof that has a short form.
PROOFS = $(sort $(dir $(shell git grep -l --untracked '$(MODULE)/test/proofs"' -- '*_test.go')))

proofs: ## run in full what make test runs in short: e2e, fleet, properties, secrets, Git
	TEST_PROOFS=full $(GOTEST) $(addprefix ./,$(PROOFS))

fleet: ## play every dysfunction in every style of orchestrator, 20 fleets
	TEST_PROOFS=full $(GOTEST) -v ./test/fleet

mutate: ## change the core's deciders, MUTANTS places of each package (0: all), and list what no test notices
	$(GO) run ./test/mutate -n $(MUTANTS) -tags $(TAGS) -least $(LEAST) $(MUTATE)

race: ## run the tests with the race detector, the long ones shortened
	$(GOTEST) -race -short ./...

# The packages that start goroutines or share what they pool; the rest is a pure
# fold without any, which the policy tests hold it to.
SHARING := ./internal/engine/... ./internal/edge/... ./internal/notify/... ./internal/obs/... \
	./internal/analysis/syntax/... ./internal/analysis/prose/... ./internal/analysis/similarity/... \
	./internal/agent/drive/... ./internal/agent/claudecode/... ./internal/agent/codex/... ./internal/agent/opencode/... ./internal/agent/openhands/... ./pkg/... ./test/deploy/...

race-sharing: ## run the tests of what shares memory with the race detector
	$(GOTEST) -race -short -p 4 ./test/deploy ./internal/engine/nats $(SHARING)
	$(GOTEST) -race -short -run Workers ./internal/audit/backtest # what internal/machines does on several cores

check: format vet lint race ## what must be green before a push

ci: ## everything the build server runs
	./.ci/steps

format: $(TOOLS)/gofumpt ## fail where a file is not formatted
	@out=$$(git ls-files -co --exclude-standard '*.go' | xargs $(TOOLS)/gofumpt -l); \
	if [ -n "$$out" ]; then echo "not formatted (run: make format-fix):"; echo "$$out"; exit 1; fi

format-fix: $(TOOLS)/gofumpt ## format every file
	@git ls-files -co --exclude-standard '*.go' | xargs $(TOOLS)/gofumpt -w

vet: ## go vet, with cgo, and without it what reads syntax
	$(GO) vet -tags $(TAGS) ./...
	CGO_ENABLED=0 $(GO) vet -tags $(TAGS) ./internal/analysis/... ./detectors/...

lint: $(TOOLS)/golangci-lint ## run the linters of .golangci.yml
	$(TOOLS)/golangci-lint run --allow-parallel-runners --build-tags $(TAGS) --concurrency 2 ./...

policy: ## the repository's own rules: dependencies, documentation, generated files
	$(GOTEST) ./test/policy/...

golden: ## rewrite golden and generated files
	cd tools && $(GO) test ./models && $(GO) run ./models
	./test/golden.sh

fuzz: ## fuzz every target for FUZZTIME
	./test/fuzz.sh $(FUZZTIME)

bench: ## measure, each figure beside its baseline from the same run
	$(GO) run -tags $(TAGS) ./test/bench

bench-micro: $(TOOLS)/benchstat ## package benchmarks, compared by benchstat with the run before
	@mkdir -p bin; if [ -f bin/bench.txt ]; then mv bin/bench.txt bin/bench-before.txt; fi
	$(GOTEST) -run '^$$' -bench . -benchtime $(BENCHTIME) -count 4 ./internal/... ./detectors/... ./pkg/... | tee bin/bench.txt
	@if [ -f bin/bench-before.txt ]; then $(TOOLS)/benchstat bin/bench-before.txt bin/bench.txt; fi

conformance: ## play every scenario and measure that each executes the rules it claims; docs/conformance.md lists them
	SCAFFOLDWATCH_MEASURE_RULES=1 $(GOTEST) ./spec ./test/conformance ./detectors/... ./internal/session/budget ./internal/session/preflight ./internal/view/runreport ./internal/notify/notice

quality: ## precision and recall over real sessions and labelled samples (needs shared/data)
	@mkdir -p bin
	$(GO) run -tags $(TAGS) ./test/quality -page docs/quality.md -interrupts bin/interrupts.md -signals bin/signals.md
	$(GOTEST) -count 1 -v -run 'Loops|Quality' ./detectors/stuckloop ./internal/analysis/secrets | grep -E '^ *(--- |quality_test.go:[0-9]+: (detect-secrets:|gosec|generated|transcripts))'

worth: ## switch each kind of finding off in turn and print what changes on labelled sets and real sessions (needs shared/data)
	$(GO) run -tags $(TAGS) ./test/quality -worth -page docs/quality.md

ratchet: ## fail where recall or precision on real sessions fell below the recorded figures (needs shared/data)
	$(GOTEST) -count 1 -v -run Ratchet ./test/quality

e2e: ## the whole system on a real broker, in full: secrets, equality with scan, reporter
	TEST_PROOFS=full $(GOTEST) -v ./test/e2e/...

e2e-agents: build ## real Claude Code, Codex, Gemini and OpenCode against mock models; needs npm and its registry, no part of ci
	SCAFFOLDWATCH_TEST_AGENTS=$(CURDIR)/bin $(GOTEST) -v -count 1 -timeout 30m ./test/agents/...

chaos: ## kill -9 everything at random, an advisor that lies and floods among it; the result must equal the pure model
	$(GO) run -tags $(TAGS) ./test/chaos -kills $(CHAOS_KILLS) -advisor

chaos-cluster: ## three servers, two instances of everything, streams of more than a full block: single kills, all servers at once, pauses, lost quorums, a full disk, another build; compared with the model
	@mkdir -p bin
	$(GO) build -tags $(TAGS) -ldflags="-X $(MODULE)/internal/buildinfo.Revision=chaos" -o bin/chaos-other ./test/chaos
	$(GO) run -tags $(TAGS) ./test/chaos -cluster -kills $(CLUSTER_UPHEAVALS) -every 1500ms -sessions 16 -turns 40 -limit 40m -other bin/chaos-other

chaos-cluster-short: ## the same for about a minute and a half, each kind of upheaval once, for ci
	$(GO) run -tags $(TAGS) ./test/chaos -cluster -kills 11 -every 1s -sessions 6 -turns 12 -runs 20 -fill 9437184 -limit 8m

chaos-cluster-negative: ## the same with compressed streams; it must fail
	$(GO) run -tags $(TAGS) ./test/chaos -cluster -kills 11 -every 1s -sessions 6 -turns 12 -runs 20 -fill 25165824 -compress -expect-differences -limit 15m

chaos-negative: ## the same without the fence; it must fail
	$(GO) run -tags $(TAGS) ./test/chaos -kills $(CHAOS_KILLS) -no-fence -expect-differences

readme: build ## run the commands the README shows
	$(GOTEST) ./test/readme/...

clean: ## remove what was built
	rm -rf bin

$(TOOLS)/%: tools/go.mod
	@mkdir -p $(TOOLS)
	cd tools && GOBIN=$(TOOLS) $(GO) install $$(grep -h '_ "' tools.go | sed -E 's/.*"(.*)"/\1/' | grep '/$*$$')
