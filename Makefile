# Assay: the targets that people and CI run. `make help` lists them.

GO  ?= go
OUT ?= out
FUZZ ?= internal reports scenarios simhost tools
FUZZTIME ?= 10s

# Without paths in them, compiled packages are shared by all checkouts and by the copies that some tests make.
export GOFLAGS := $(GOFLAGS) -trimpath

# The folders of Go code.
FORMATTED := docs gen internal reports scenarios simhost spec tools

# Where things run at the same time, and where the race detector therefore looks. These packages are tested with it, and not
# again without it. Whole certifications take many times as long under it, so a few of tools/prove stand for all.
# What takes longest comes first, so that the rest fills the other cores meanwhile.
RACED := ./simhost/openwop/engine/... ./simhost/eventlog ./simhost/openwop/pages ./simhost/openwop/surface ./simhost/agenticloop/agent \
	./simhost/agenticloop/gateway/... ./simhost/openwop/goal ./simhost/openwop/memory ./simhost/openwop/workspace ./simhost/clock \
	./simhost/openwop/mockai ./simhost/console ./simhost/openintent ./simhost/openintent/engine ./simhost/openintent/pages \
	./simhost/serving/onward ./tools/playback \
	./scenarios ./scenarios/wire ./scenarios/ginkgosuite ./internal/process ./reports/live ./tools/assay/internal/...

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the command into bin/assay
	$(GO) build -o bin/assay ./tools/assay

.PHONY: certify
certify: build ## Certify the simulated host; the reports go into OUT (default out/)
	bin/assay certify simhost --out $(OUT)

.PHONY: test
test: build ## Run every check: generated code, format, vet, all tests once, the race detector, every fault, some hostile hosts
	bin/assay generate --check
	@unformatted=$$(gofmt -l $(FORMATTED)); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w on:" >&2; echo "$$unformatted" >&2; exit 1; fi
	$(GO) vet ./...
	$(GO) test -timeout 60m ./tools/assay $$($(GO) list $(RACED) ./tools/prove >bin/apart && $(GO) list ./... | grep -vxFf bin/apart)
	$(GO) test -timeout 60m ./tools/prove
	$(GO) test -timeout 60m -race $(RACED)
	$(GO) test -timeout 60m -race -run '^TestRaces$$' ./tools/prove
	$(MAKE) fuzz FUZZTIME=500ms FUZZ="scenarios internal"

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (default 10s); FUZZ=DIRS only those below these folders
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' $(FUZZ) | sed -E 's|/[^/]*_test.go:func | |' | sort | \
	while read -r dir target; do \
		echo "fuzz $$dir $$target"; \
		said=$$($(GO) test "./$$dir" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) 2>&1) || { \
			$(call ENDED,"$$said") || { echo "$$said" >&2; exit 1; }; }; \
	done

# The go command calls it a failure when the time is over while a worker is still busy; then it names no input.
ENDED = { echo $(1) | grep -q '^ *context deadline exceeded' && ! echo $(1) | grep -qE 'panic|input|_test\.go:'; }

.PHONY: hostile
hostile: ## Certify all hosts that mean harm, and write docs/hostile-hosts.md of what is measured
	$(GO) test ./tools/prove/hostile -count=1 -run '^TestHostileHosts$$' -page

.PHONY: soak
soak: ## Repeat what a single run may miss: tests that wait, 20 times, the command at length, honest hosts at standard and hosts with manners, from SEED on
	ASSAY_LONG=1 $(GO) test -timeout 90m -count=1 ./tools/assay
	ASSAY_LONG=1 $(GO) test -timeout 90m -count=1 -run '^TestFlips$$' ./simhost/eventlog
	ASSAY_LONG=1 $(GO) test -timeout 240m -count=1 -run '^TestHonestHostsAtStandard$$' ./tools/prove -honest $(or $(SEED),1)
	ASSAY_LONG=1 $(GO) test -timeout 240m -count=1 -run '^TestDrawnMannersAccuseNobody$$' ./tools/prove -manners $(or $(SEED),1)
	$(GO) test -timeout 180m -count=20 -shuffle=on $$($(GO) list $(RACED) ./scenarios/... | grep -v /ginkgosuite)

.PHONY: lockstep
lockstep: ## Take all steps of all small worlds on the plain simulated hosts, and some, drawn with SEED, on every honest host
	$(GO) test ./tools/prove -timeout 120m -count=1 -v -run '^TestLockstep$$' -lockstep 0 -lockstep-seed $(or $(SEED),1)

.PHONY: blind
blind: ## Make 60 judges pass always, drawn with SEED, and see that the committed kill matrix notices
	$(GO) test ./tools/prove -timeout 60m -count=1 -v -run '^TestABlindJudgeIsNoticed$$' -judges 60 -judge-seed $(or $(SEED),1)

.PHONY: transcripts
transcripts: ## Put what every drive sees of all honest hosts and of every fault through the models, which must not disagree with the scenarios
	$(GO) test ./tools/prove -timeout 240m -count=1 -v -run '^TestModels(ExplainTheTranscripts|AndScenariosAgree)' -transcript-hosts 0

.PHONY: generate
generate: build ## Make gen/ of spec/ again, and docs/coverage.md, docs/suites and docs/models of the ledger, the suites and the models
	bin/assay generate
	$(GO) build -o bin/assay ./tools/assay
	bin/assay list requirements --markdown >docs/coverage.md.new
	mv docs/coverage.md.new docs/coverage.md
	bin/assay list readings --markdown >docs/readings.md.new
	mv docs/readings.md.new docs/readings.md
	bin/assay list suites --markdown --out docs/suites
	bin/assay list models --markdown --out docs/models

.PHONY: checks
checks: ## Add to tools/prove/testdata/checks what new scenarios check of honest hosts (WIDEN=1 widens the other rows, too)
	$(GO) test ./tools/prove -count=1 -run '^TestWhatIsCheckedOfHonestHosts$$' -merge-checks $(if $(WIDEN),-widen-checks)

.PHONY: traces
traces: ## Record anew what each scenario asks and looks at, which assay explain and assay diff show, and what drives send (tools/trace)
	ASSAY_UPDATE=1 $(GO) test ./tools/assay -count=1 -run '^(TestTracesAreOfToday|TestCostsAreOfToday)$$'
	ASSAY_UPDATE=1 $(GO) test ./tools/trace -count=1 -run '^TestKillsAreThoseOfTheMatrix$$'

.PHONY: prove
prove: build ## Prove all suites on all hosts; docs/kill-matrix.* are made again, with DEPTH=standard docs/kill-matrix-standard.*. PROVE=--resume goes on
	bin/assay prove --out docs $(if $(DEPTH),--depth $(DEPTH)) $(PROVE)
	$(if $(filter-out quick,$(DEPTH)),,ASSAY_UPDATE=1 $(GO) test ./tools/trace -count=1 -run '^TestKillsAreThoseOfTheMatrix$$')

.PHONY: lint
lint: ## Run gofmt, go vet and golangci-lint
	@unformatted=$$(gofmt -l $(FORMATTED)); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w on:" >&2; echo "$$unformatted" >&2; exit 1; fi
	$(GO) vet ./...
	@if command -v golangci-lint >/dev/null; then golangci-lint run ./...; \
	else echo "golangci-lint is not installed, so only gofmt and go vet ran; see https://golangci-lint.run/welcome/install (version 2)"; fi

.PHONY: release
release: ## Make the archives of a release in dist/, with checksums; VERSION=v0.3.0 names it (default what git describe says)
	$(GO) run ./tools/release $(if $(VERSION),-version $(VERSION))

.PHONY: bench
bench: build ## Measure the budgets; FULL=1 adds 100 faults and 500,000 finished runs, SCHEMAS=DIR a folder of schemas to generate from
	$(GO) run ./tools/bench -assay bin/assay $(if $(FULL),-full) $(if $(SCHEMAS),-schemas $(SCHEMAS))
