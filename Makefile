# SPDX-License-Identifier: MIT
#
# make                 build/wrapgen; VARIANT=debug|san|fuzz|cover: the same below build/<variant>/
# make demo            the examples, compared with PyTorch's results
# make test            every test that needs only a compiler; WITHOUT=cli,readme: all but those
# make test-torch      the tests that need PyTorch, which it puts into .venv; TORCH=parity: one suite, whole; cuda: on a GPU;
#                      TORCH_VERSION=2.14.1: with that version, in .venv-2.14.1; PYTHON_VERSION=3.12: under that Python
# make bench           how fast, as ratios within one run; BENCH=torch: whole calls from Python; BENCH=launch:
#                      from a call to cuLaunchKernel, compared with Triton
# make gpu             examples/triton on the GPU that is there, through its driver alone
# make prove           that generated code is safe, with Frama-C: tests/prove/README.md
# make portability     generated code and the tool on other compilers and machines, emulated, and a table of them
# make host-check      HOST=DIR: does a tensor library of your own do what PyTorch does? templates/hosts/VERBS.md
# make coverage        the lines of gen/ that no suite runs, and why: tests/coverage/explained
# make schema          graph.schema.json, host.schema.json and the tables of SPEC.md, after a change of schema/spec.def
# make format          clang-format over our C; format-check only tells
# make install         DESTDIR, PREFIX: the tool, its templates, and what CMake, Meson, man and shells need
# make deb             a Debian package
# make sbom            what the tool consists of, as SPDX
# make clean           removes build/
# make help            this list
#
# CC for another machine builds the tool for it; BUILD_CC is then a compiler for this one.
# V=1 shows commands. demo and test install what is missing first (.ci/setup.sh says what it does). A new file needs no line
# here, unless cmd/freeze links it.

VARIANT ?= release
BUILD   ?= $(if $(filter release,$(VARIANT)),build,build/$(VARIANT))
PREFIX  ?= /usr/local
SAY      = $(if $(V),,@echo '  $(CC) $@';)

WARN = -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual -Wmissing-prototypes -Werror

# What a variant adds; EXTRA comes from whoever calls make.
FLAGS_release =
FLAGS_debug   = -O0 -g3
FLAGS_san     = -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_fuzz    = $(FLAGS_san) -fsanitize=fuzzer-no-link
FLAGS_cover   = -O0 --coverage
ifeq ($(filter $(VARIANT),release debug san fuzz cover),)
$(error VARIANT is release, debug, san, fuzz or cover, not '$(VARIANT)')
endif
ifeq ($(VARIANT),fuzz)
CC = clang
endif
ADDED = $(strip $(FLAGS_$(VARIANT)) $(EXTRA))

# No path of the folder that it is built in stands in an object, so the tool has the same bytes wherever it is built.
COMPILE = $(CC) $(strip -std=c11 $(WARN) -D_POSIX_C_SOURCE=200809L -I. -O2 -g -ffile-prefix-map=$(CURDIR)=. $(ADDED) $(CPPFLAGS) $(CFLAGS))
LINK    = $(CC) $(ADDED) $(LDFLAGS)
LDLIBS  = -lcyaml -lyaml -pthread

SOURCES   = $(wildcard cmd/*.c gen/*.c gen/*/*.c schema/*.c)
OBJECTS   = $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/embedded.o $(BUILD)/frozen.o
EMBEDDED  = $(shell find templates schema/codes cmd/pages -type f ! -name '.*' ! -path 'templates/selftest/*' ! -path 'templates/ops/*')

# The templates of ops, which stand in templates/ops/ by family, each in a file of its own.
FAMILIES  = $(wildcard templates/ops/*.mustache)
OPS       = $(shell sed -n 's,^{{! ==== \([a-z_0-9]*\) ==== }}$$,$(BUILD)/templates/op/\1.mustache,p' $(FAMILIES))

# The program that compiles templates, which runs on the machine that builds: for another one, set BUILD_CC.
BUILD_CC ?= $(CC)
FREEZE    = cmd/freeze/freeze.c $(patsubst %,gen/base/%.c,arena diag diag_render str table utf8) \
    $(patsubst %,gen/render/%.c,mustache mustache_build mustache_frozen mustache_names mustache_scan)
TEMPLATES = $(filter templates/%.mustache,$(EMBEDDED)) $(OPS)

# The library of self-tests (templates/selftest/README.md), made of all of templates/selftest/ and shipped like the core.
SELFTEST  = $(addprefix $(BUILD)/templates/selftest/,wg_mock.h wg_selftest.h wg_selftest.c)
SELFTEST_HEADERS = templates/selftest/selftest.h templates/selftest/selftest_call.h
SELFTEST_SOURCES = gen/base/arena.c $(wildcard templates/selftest/*.c)
FORMATTED = $(shell find cmd gen schema templates tests examples -name '*.[ch]' ! -path '*/golden/*' ! -path '*/generated/*') $(wildcard templates/hosts/*/*pp templates/hosts/*/*/*pp tests/torch/cpp/*pp)

# All of the tool but its command line, for tests that are programs in C.
LIBRARY   = $(filter-out $(BUILD)/cmd/%,$(OBJECTS))

$(BUILD)/wrapgen: $(OBJECTS)
	$(SAY)$(LINK) -o $@ $(OBJECTS) $(LDLIBS)

$(BUILD)/libwrapgen.a: $(LIBRARY)
	$(SAY)rm -f $@ && $(AR) rcs $@ $(LIBRARY)

# The flags and BUILD_CC are a prerequisite, so that another compiler or another EXTRA builds anew. An object is as old as the start of its
# compilation: a header that changes meanwhile, as when branches are switched, is newer than it.
$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY)touch $@.begun && $(COMPILE) -MMD -MP -c -o $@ $< && touch -r $@.begun $@ && rm -f $@.begun

$(BUILD)/embedded.o: $(BUILD)/embedded.c $(BUILD)/flags
	$(SAY)$(COMPILE) -c -o $@ $<

$(BUILD)/frozen.o: $(BUILD)/frozen.c $(BUILD)/flags
	$(SAY)$(COMPILE) -c -o $@ $<

$(BUILD)/frozen.c: $(BUILD)/freeze $(TEMPLATES) $(shell find templates -type d)
	$(SAY)$(BUILD)/freeze $(TEMPLATES) >$@.new && mv $@.new $@

$(BUILD)/freeze: $(FREEZE) $(wildcard gen/base/*.h gen/render/mustache*.h) gen/render/frozen.h gen/render/view_keys.def $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY)$(BUILD_CC) -std=c11 $(WARN) -I. -O1 -o $@ $(FREEZE)

# The folders are prerequisites too: a file that goes away changes its folder.
$(BUILD)/embedded.c: gen/base/embed.sh $(EMBEDDED) $(OPS) $(SELFTEST) $(shell find templates schema/codes cmd/pages -type d)
	@mkdir -p $(@D)
	$(SAY)MADE=$(BUILD) sh gen/base/embed.sh $(EMBEDDED) $(OPS) $(SELFTEST) >$@.new && mv $@.new $@

$(OPS): $(BUILD)/templates/ops.split ;
$(BUILD)/templates/ops.split: gen/render/split_ops.sh $(FAMILIES)
	@mkdir -p $(@D)
	$(SAY)sh gen/render/split_ops.sh $(BUILD)/templates/op $(FAMILIES) && touch $@

AMALGAMATE = CC="$(CC)" sh gen/render/amalgamate.sh $(SELFTEST_HEADERS)
SELFTEST_NEEDS = gen/render/amalgamate.sh $(wildcard gen/*/*.h gen/*/*.def schema/*.h schema/*.def templates/selftest/*.h)

$(BUILD)/templates/selftest/wg_mock.h: templates/selftest/wg_mock.h
	@mkdir -p $(@D)
	$(SAY)sed 's,"../core/,",' $< >$@.new && mv $@.new $@

$(BUILD)/templates/selftest/wg_selftest.h: $(SELFTEST_NEEDS)
	@mkdir -p $(@D)
	$(SAY)$(AMALGAMATE) >$@.new && mv $@.new $@

$(BUILD)/templates/selftest/wg_selftest.c: $(SELFTEST_NEEDS) $(SELFTEST_SOURCES)
	@mkdir -p $(@D)
	$(SAY)$(AMALGAMATE) -- $(SELFTEST_SOURCES) >$@.new && mv $@.new $@

# The schema for editors is printed by the tool from the tables that load the YAML.
schema/graph.schema.json: $(BUILD)/wrapgen always
	$(if $(V),,@)$(BUILD)/wrapgen --print-schema >$@.new && mv $@.new $@

schema/host.schema.json: $(BUILD)/wrapgen always
	$(if $(V),,@)$(BUILD)/wrapgen --print-host-schema >$@.new && mv $@.new $@

# Its tables of keys; the rest is written by hand.
schema/SPEC.md: always
	$(if $(V),,@)sh schema/page.sh >$(BUILD)/SPEC.md && cp $(BUILD)/SPEC.md $@

schema: schema/graph.schema.json schema/host.schema.json schema/SPEC.md

# Looked at once, before anything is compiled with these flags: a file that includes what the tool needs.
$(BUILD)/flags: always
	@mkdir -p $(@D)
	@echo '$(COMPILE) $(BUILD_CC)' | cmp -s - $@ || { $(COMPILE) -E gen/yaml/load.c >/dev/null || { \
		echo "wrapgen needs a C compiler (here '$(CC)'), make, libyaml and libcyaml. On Debian and Ubuntu:"; \
		echo '    apt install gcc libc6-dev make libyaml-dev libcyaml-dev'; \
		exit 1; } >&2; echo '$(COMPILE) $(BUILD_CC)' >$@; }

-include $(OBJECTS:.o=.d)

setup setup-test setup-prove:
	@CC='$(CC)' sh .ci/setup.sh $(if $(filter setup,$@),build,$(@:setup-%=%))

# What the scripts get: the tool, the compiler, the flags of this variant, and where to build.
RUN = @$(MAKE) --no-print-directory -j2 $(BUILD)/wrapgen $(BUILD)/libwrapgen.a && \
	env MAKEFLAGS= VARIANT=release WRAPGEN='$(abspath $(BUILD)/wrapgen)' BUILD='$(abspath $(BUILD))' CC='$(CC)' EXTRA='$(ADDED)'

demo: setup
	$(RUN) sh examples/demo/run.sh

test: setup-test
	$(RUN) WITHOUT=$(WITHOUT) sh tests/run.sh

test-torch: setup
	@CC='$(CC)' TORCH_VERSION='$(TORCH_VERSION)' PYTHON_VERSION='$(PYTHON_VERSION)' sh .ci/setup.sh torch
	$(RUN) TORCH_VERSION='$(TORCH_VERSION)' PYTHON_VERSION='$(PYTHON_VERSION)' sh tests/torch/run.sh $(TORCH)

portability: setup
	@CC='$(CC)' sh .ci/setup.sh portability
	$(RUN) sh tests/portability/run.sh $(TARGET)

host-check:
	@sh tests/host_check/check.sh $(or $(HOST),$(error HOST=DIR is the folder of a host))

coverage: setup-test
	@$(MAKE) --no-print-directory VARIANT=cover BUILD=build/cover $(if $(SUITES),,uncounted) measured SUITES='$(SUITES)'

uncounted:
	@rm -rf $(BUILD)

measured:
	$(RUN) sh tests/coverage/run.sh $(SUITES)

prove: setup-prove
	$(RUN) sh tests/prove/run.sh $(PROVE)

bench: setup
	$(RUN) sh tests/bench/run.sh $(BENCH)

gpu: setup
	$(RUN) sh tests/launch/run.sh --gpu

format:
	clang-format-14 -i $(FORMATTED)

format-check:
	clang-format-14 --dry-run -Werror $(FORMATTED)

install: $(BUILD)/wrapgen
	@sh cmd/install/install.sh $(BUILD)/wrapgen '$(DESTDIR)' '$(PREFIX)'

deb: $(BUILD)/wrapgen
	@sh cmd/install/deb.sh $(BUILD)/wrapgen $(BUILD)

sbom: $(BUILD)/wrapgen
	@sh cmd/install/sbom.sh $(BUILD)/wrapgen

help:
	@sed -n 's/^# make/make/p' Makefile

clean:
	rm -rf build

.DELETE_ON_ERROR:
always:
.PHONY: always help schema setup setup-test setup-prove demo test host-check prove coverage uncounted measured test-torch portability bench gpu format format-check install deb sbom clean
