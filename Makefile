# SPDX-License-Identifier: MIT
#
# make                  build/wrapgen                     make VARIANT=debug|san|fuzz    the same below build/<variant>/
# make demo             the examples, compared with PyTorch's results
# make test             every test that needs nothing but a compiler
# make bench            how fast, as ratios               make format                    clang-format over our C
# make install          DESTDIR, PREFIX                   make clean                V=1 shows commands
#
# demo and test install what is missing first (.ci/setup.sh says what it does). A new file needs no line here.

VARIANT ?= release
BUILD   ?= $(if $(filter release,$(VARIANT)),build,build/$(VARIANT))
PREFIX  ?= /usr/local
SAY      = $(if $(V),,@echo '  $(CC) $@';)

ifeq ($(VARIANT),fuzz)
CC = clang
endif

WARN     = -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual -Wmissing-prototypes -Werror
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_release = -O2 -g
MODE_debug   = -O0 -g3
MODE_san     = -O1 -g $(SANITIZE)
MODE_fuzz    = -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link
MODE         = $(or $(MODE_$(VARIANT)),$(error VARIANT is release, debug, san or fuzz, not '$(VARIANT)'))

ALL_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I. $(CPPFLAGS)
ALL_CFLAGS   = -std=c11 $(WARN) $(MODE) $(EXTRA) $(CFLAGS)
LDLIBS       = -lcyaml -lyaml

SOURCES   = $(wildcard cmd/*.c gen/*.c schema/*.c)
OBJECTS   = $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/embedded.o
TEMPLATES = $(shell find templates -type f ! -name '.*')
FORMATTED = $(shell find cmd gen schema templates tests examples -name '*.[ch]' ! -path '*/golden/*' ! -path '*/generated/*')

$(BUILD)/wrapgen: $(OBJECTS)
	$(SAY)$(CC) $(MODE) $(EXTRA) $(LDFLAGS) -o $@ $(OBJECTS) $(LDLIBS)

# The flags are a prerequisite, so that another compiler or another EXTRA builds anew.
$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/embedded.o: $(BUILD)/embedded.c
	$(SAY)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# The folders are prerequisites too: a file that goes away changes its folder.
$(BUILD)/embedded.c: gen/embed.sh $(TEMPLATES) $(shell find templates -type d)
	@mkdir -p $(@D)
	$(SAY)sh gen/embed.sh $(TEMPLATES) >$@.new && mv $@.new $@

$(BUILD)/flags: always
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)' >$@

-include $(OBJECTS:.o=.d)

setup:
	@sh .ci/setup.sh build

demo: setup
	@$(MAKE) --no-print-directory $(BUILD)/wrapgen
	@WRAPGEN=$(CURDIR)/$(BUILD)/wrapgen CC='$(CC)' sh examples/demo/run.sh

test: setup
	@$(MAKE) --no-print-directory $(BUILD)/wrapgen
	@WRAPGEN=$(CURDIR)/$(BUILD)/wrapgen BUILD=$(CURDIR)/$(BUILD) VARIANT=$(VARIANT) CC='$(CC)' EXTRA='$(EXTRA)' sh tests/run.sh

bench: setup
	@$(MAKE) --no-print-directory $(BUILD)/wrapgen
	@WRAPGEN=$(CURDIR)/$(BUILD)/wrapgen BUILD=$(CURDIR)/$(BUILD) CC='$(CC)' sh tests/bench/run.sh

format:
	clang-format-14 -i $(FORMATTED)

format-check:
	clang-format-14 --dry-run -Werror $(FORMATTED)

install: $(BUILD)/wrapgen
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include/wrapgen $(DESTDIR)$(PREFIX)/share/wrapgen
	install -m 755 $(BUILD)/wrapgen $(DESTDIR)$(PREFIX)/bin/wrapgen
	install -m 644 $(wildcard templates/core/wg_*.[ch] templates/hosts/*/wg_*.[ch]) $(DESTDIR)$(PREFIX)/include/wrapgen
	install -m 644 $(wildcard schema/*.json schema/*.md) LICENSE templates/LICENSE $(DESTDIR)$(PREFIX)/share/wrapgen

clean:
	rm -rf build

always:
.PHONY: always setup demo test bench format format-check install clean
