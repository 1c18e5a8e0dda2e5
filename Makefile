# The commands people use; CMake does the work. `make help` lists them.
.PHONY: all demo test test-sanitize test-clang test-fuzz fuzz install bench bench-full study examples octave format docs clean help build-fuzzers
JOBS := $(shell nproc)
SECONDS := 60

all: build/Makefile ## build the library and the command (build/lavdm)
	@cmake --build build -j $(JOBS)

build/Makefile: CMakeLists.txt tests/CMakeLists.txt octave/CMakeLists.txt
	@tools/install-dependencies
	@cmake --preset release

demo: all ## embed 100,000 points of the Klein bottle; pictures in demo/
	@tools/demo

# Tests run side by side: threads that wait for others leave the processor to the next test.
test test-clang test-sanitize: export OMP_WAIT_POLICY := passive

test: all ## every test, with gcc, with clang, under the sanitizers, and a minute of fuzzing
	@ctest --test-dir build --output-on-failure -j $(JOBS)
	@$(MAKE) --no-print-directory test-clang test-sanitize test-fuzz

test-clang: ## builds with clang, warnings as errors, and runs the unit tests
	@cmake --preset clang >/dev/null
	@cmake --build build-clang -j $(JOBS)
	@ctest --test-dir build-clang --output-on-failure -j $(JOBS) -L unit

test-sanitize: ## the unit, bad-input and Python tests with gcc under the sanitizers
	@cmake --preset sanitize >/dev/null
	@cmake --build build-sanitize -j $(JOBS)
	@ctest --test-dir build-sanitize --output-on-failure -j $(JOBS) -L 'unit|cli|python'

test-fuzz: build-fuzzers ## a minute of fuzzing every reader, and every input that once failed
	@tests/fuzz/run --test

fuzz: build-fuzzers ## fuzz every reader for SECONDS=60 each, or one: TARGET=npy
	@tests/fuzz/run $(SECONDS) $(TARGET)

build-fuzzers:
	@tools/install-dependencies
	@cmake --preset fuzz >/dev/null
	@cmake --build build-fuzz -j $(JOBS) --target fuzzers

install: all ## install to PREFIX (default /usr/local)
	@cmake --install build $(if $(PREFIX),--prefix $(PREFIX))

bench: all ## time every stage beside the peers, on this machine (minutes)
	@tools/install-dependencies bench
	@bench/run

bench-full: all ## the same, with up to 100 million points and the slowest peers (hours)
	@tools/install-dependencies bench
	@bench/run --full

study: ## make a page of docs/ (NAME=paper, QUICK=1: a small one); alone, list them
	@tools/study $(NAME) $(if $(QUICK),--quick) $(if $(FULL),--full) $(if $(TIMES),--times)

examples: ## run examples/ and draw their pictures; or one: NAME=jigsaw
	@tools/install-dependencies test
	@test -e build/CMakeCache.txt || cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target example_programs lavdm_python lavdm_python_modules
	@examples/run $(NAME)

octave: all ## the functions for GNU Octave in build/octave: docs/octave.md
	@test -e build/octave/lavdm_mex.mex || { tools/install-dependencies; cmake --preset release; cmake --build build; }
	@echo "In Octave: addpath $(CURDIR)/build/octave"

format: ## clang-format every source
	@git ls-files '*.c' '*.h' | xargs clang-format -i

docs: all ## regenerate docs/options.md, docs/lavdm.1 and the types of Python's estimators from the options table
	@build/lavdm options --markdown > docs/options.md
	@build/lavdm help --man > docs/lavdm.1
	@PYTHONPATH=build/python /usr/bin/python3 -B tools/stubs.py > build/estimators.pyi
	@mv build/estimators.pyi python/lavdm/estimators.pyi

clean:
	@rm -rf build build-* demo

help:
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 16
