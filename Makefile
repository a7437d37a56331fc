# Two commands set everything up on a fresh Debian machine: make demo, make check. The build itself is Meson's.
BUILD ?= build
MESON_FLAGS ?=

.PHONY: all demo check bench install clean setup fuzz

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja: | setup
	@meson setup $(BUILD) $(MESON_FLAGS)

setup:
	@sh scripts/setup

demo: all
	@$(BUILD)/midpool demo

check: setup
	@sh scripts/check

bench: all
	@$(BUILD)/midpool bench gemm
	@sh scripts/bench $(BUILD)/midpool

fuzz: setup
	@sh scripts/fuzz 60

install: all
	@meson install -C $(BUILD)

clean:
	rm -rf $(BUILD) build-asan build-tsan build-clang build-fuzz
