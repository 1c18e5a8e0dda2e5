# The commands people use; CMake does the work. `make help` lists them.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)
export JOBS ?= $(shell nproc)
.DEFAULT_GOAL := all
.NOTPARALLEL:
SECONDS := 60

demo: all ## embed 100,000 points of the Klein bottle; pictures in demo/
	@tools/demo

all: ## build the library, build/lavdm and the Python package (make)
	@tools/install-dependencies
	@tools/build release

install: all ## install to PREFIX (default /usr/local)
	@cmake --install build $(if $(PREFIX),--prefix $(PREFIX)) >/dev/null

octave: ## the functions for GNU Octave in build/octave: docs/octave.md
	@tools/install-dependencies octave
	@tools/build release all lavdm_octave
	@echo "In Octave: addpath $(CURDIR)/build/octave"

# Tests run side by side: threads that wait for others leave the processor to the next test.
test check test-rest test-clang test-sanitize test-thread coverage: export OMP_WAIT_POLICY := passive
ctest = ctest --output-on-failure --progress --timeout 5400 -j $(JOBS) --test-dir
DEEP := slow|examples|octave|paper|install|page

test: ## build and run the tests that find most faults (minutes)
	@tools/install-dependencies test
	@tools/build release -DLAVDM_TESTS=ON all tests
	@$(ctest) build -LE '$(DEEP)'

check: ## what `make test` leaves out: slow ones, clang, sanitizers, threads, fuzzing
	@tools/install-dependencies check
	@$(MAKE) --no-print-directory test-rest test-clang test-sanitize test-thread test-fuzz

test-rest:
	@tools/build release -DLAVDM_TESTS=ON all checks
	@$(ctest) build -L '$(DEEP)'
	@test ! -x tests/abi/check || tests/abi/check build

test-clang: # clang, warnings as errors; the unit tests
	@tools/build clang all checks extras
	@$(ctest) build-clang -L unit

test-sanitize: # gcc and its sanitizers; the unit, bad-input and Python tests
	@tools/build sanitize tests
	@$(ctest) build-sanitize -L 'unit|cli|python'

test-thread: # clang and its thread sanitizer; unit tests that share work among threads
	@tools/build thread thread_tests
	@$(ctest) build-thread -L thread

ANALYSERS := clang cppcheck
analyse: ## static analysers (ANALYSERS="clang gcc cppcheck") over every source; fails on any finding
	@tools/install-dependencies check
	@cmake --preset analyse >/dev/null
	@tools/analyse build-analyse $(ANALYSERS)

test-fuzz: build-fuzzers
	@tests/fuzz/run --test

fuzz: build-fuzzers ## fuzz every target for SECONDS=60 each, or all for HOURS=8 together; or one: TARGET=npy
	@tests/fuzz/run $(if $(HOURS),--hours $(HOURS),$(SECONDS)) $(TARGET)

mutants: ## change the library N=300 times, SEED=1: what the tests notice (an hour)
	@tools/install-dependencies test
	@nice tests/mutants/run --count $(or $(N),300) --seed $(or $(SEED),1) --jobs $(JOBS)

build-fuzzers:
	@tools/install-dependencies check
	@tools/build fuzz fuzzers

faults: ## fail N=10000 allocations and system calls of whole commands
	@tools/install-dependencies test
	@tools/build release -DLAVDM_TESTS=ON lavdm_command faults calls
	@/usr/bin/python3 -B tests/faults/faults.py --number $(or $(N),10000) build/lavdm build/tests/faults

busy: ## `make test` beside eight processes that only compute
	@tools/install-dependencies busy
	@tools/build release -DLAVDM_TESTS=ON all tests
	@stress-ng --quiet --cpu 8 & trap "kill $$!" EXIT; $(MAKE) --no-print-directory test

coverage: ## lines and branches that the tests go through: build-coverage/coverage.md, missed.txt
	@tools/install-dependencies coverage
	@tools/build coverage tests
	@rm -rf build-coverage/profiles
	@LLVM_PROFILE_FILE=$(CURDIR)/build-coverage/profiles/%2m.profraw $(ctest) build-coverage -L 'unit|cli|truth' -LE slow
	@tools/coverage build-coverage

study: ## make a page of docs/ (NAME=paper, QUICK=1: a small one); alone, list them
	@tools/study $(NAME) $(if $(QUICK),--quick) $(if $(FULL),--full) $(if $(TIMES),--times)

examples: ## run examples/ and draw their pictures; or one: NAME=jigsaw
	@tools/install-dependencies test
	@tools/build release example_programs lavdm_python lavdm_python_modules
	@examples/run $(NAME)

report: ## the page that `lavdm report` fills, from report/src (needs Node): report/page.html
	@tools/install-dependencies page
	@cd report && npm ci --silent && npm run --silent check && npm test --silent && npm run --silent build

format: ## clang-format every source
	@git ls-files '*.c' '*.h' | xargs clang-format -i

docs: all ## write anew what the table of options determines (docs/options.md ...)
	@build/lavdm options --markdown > docs/options.md
	@build/lavdm help --man > docs/lavdm.1
	@PYTHONPATH=build/python /usr/bin/python3 -B tools/stubs.py > build/estimators.pyi
	@mv build/estimators.pyi python/lavdm/estimators.pyi

site: all ## the documentation as a site, with search and the reports of its gallery: build/site
	@tools/install-dependencies site
	@tools/site/build

clean: ## remove what was built, and demo/
	@rm -rf build build-* demo

help:
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12
