# Commands that set everything up on a fresh Debian machine: make demo, make check, make python, make molecules, make docs, make deb. The build itself is Meson's.
# make install PREFIX=/opt/midpool puts it there, make uninstall with the same PREFIX removes it; DESTDIR stands in front of both.
BUILD ?= build
MESON_FLAGS ?=
PREFIX ?=
DESTDIR ?=

.PHONY: all molecules demo check bench results install uninstall prefix clean setup fuzz arm cuda check-cuda python docs deb

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja: | setup
	@meson setup $(BUILD) $(MESON_FLAGS)

setup:
	@sh scripts/setup

# The program once more, with RDKit: it reads tables of SMILES.
molecules:
	@sh scripts/setup molecules
	@$(MAKE) --no-print-directory all

demo: all
	@$(BUILD)/midpool demo

check: setup
	@sh scripts/check

# The Python package in $(BUILD)/python, and its tests. PYTHONPATH=$(BUILD)/python python3 -c "import midpool"
python:
	@sh scripts/setup python
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) $(MESON_FLAGS)
	@meson configure $(BUILD) -Dpython=enabled
	@ninja -C $(BUILD) python
	@meson test -C $(BUILD) --suite python --print-errorlogs

# The documents as a site in $(BUILD)/site, for a browser without network; with a page for each command where the program is built.
docs:
	@sh scripts/setup docs
	@rm -rf $(BUILD)/site
	@python3 scripts/site/build.py $(BUILD)/site $(BUILD)/docs/man

bench: all
	@$(BUILD)/midpool bench gemm
	@sh scripts/bench $(BUILD)/midpool

# docs/results.md and the README's chart from the store that is kept beside them, docs/results.db.xz; it trains nothing.
# make results RESULTS=FILE keeps another store of `midpool reproduce` there first. Each text of SHOWN is one call, and names what the store holds whole.
RESULTS ?=
SHOWN = "classification,improvement --datasets MUTAG,PTC_MR,ENZYMES,PROTEINS,NCI1,NCI109,Mutagenicity,IMDB-BINARY,IMDB-MULTI --pools sag,topk --seeds 3" \
	"classification --datasets MUTAG,PTC_MR --pools set2set,sort,diff,edge,mincut,haar,mem,gmt --seeds 1" \
	"classification --datasets PROTEINS,IMDB-BINARY --pools edge,haar --seeds 1" \
	"classification --datasets MUTAG,PTC_MR --pools gsa,asap --seeds 1" \
	"classification --datasets MUTAG,PTC_MR,PROTEINS,IMDB-BINARY --pools hgpsl,att,vip,cgi,tap,rep,ug,ipool --seeds 1" \
	"generalisation --datasets COLORS-3" "robustness --datasets MUTAG --seeds 3" "score-correctness --datasets MUTAG --seeds 3" \
	"reconstruction --datasets RING,GRID,COMMUNITY,DAVID"
results: all
	@$(if $(RESULTS),scripts/results-store pack '$(RESULTS)' docs/results.db.xz)
	@scripts/results-store unpack docs/results.db.xz $(BUILD)/results.db
	@rm -rf $(BUILD)/shown && mkdir $(BUILD)/shown
	@n=10; for what in $(SHOWN); do n=$$((n + 1)); \
		$(BUILD)/midpool reproduce $$what --show --store $(BUILD)/results.db --out $(BUILD)/shown/$$n.html \
			--markdown $(BUILD)/shown/$$n.txt --figures $(BUILD)/shown/$$n > /dev/null || exit 1; \
		grep -q '^|' $(BUILD)/shown/$$n.txt || { echo "make results: the store has nothing of $$what" >&2; exit 1; }; done
	@cat $(BUILD)/shown/*.txt > $(BUILD)/shown/all
	@sed -i -e '/^<!-- reproduced -->/,/^<!-- end -->/{//!d}' -e '/^<!-- reproduced -->/r $(BUILD)/shown/all' docs/results.md
	@cp $(BUILD)/shown/11/classification-1.svg docs/mid.svg

# The program for 64-bit ARM in build-arm; scripts/run-arm runs it under qemu.
arm:
	@sh scripts/setup arm
	@[ -f build-arm/build.ninja ] || meson setup build-arm --cross-file scripts/arm64.ini -Drdkit=disabled -Dfetch=disabled
	@ninja -C build-arm midpool

# Kernels for a GPU of NVIDIA, beside the program: needs nvcc.
cuda: $(BUILD)/build.ninja
	@ninja -C $(BUILD) midpool_cuda.so

# The tests of its kernels on the GPU of this machine; make check has them on an emulated one.
check-cuda: all cuda
	@MIDPOOL_CUDA_TEST=device meson test -C $(BUILD) --suite cuda --print-errorlogs

# Debian packages in $(BUILD)/deb: midpool, libmidpool1, libmidpool-dev, python3-midpool.
deb:
	@sh scripts/setup deb
	@sh scripts/deb $(BUILD)/deb

fuzz: setup
	@sh scripts/fuzz 60

# Without PREFIX the one that Meson was set up with stays, /usr/local at first.
prefix: $(BUILD)/build.ninja
	@$(if $(PREFIX),meson configure $(BUILD) --prefix '$(abspath $(PREFIX))' && ninja -C $(BUILD) build.ninja > /dev/null)

install: prefix
	@ninja -C $(BUILD)
	@DESTDIR='$(DESTDIR)' meson install -C $(BUILD) --no-rebuild

uninstall: prefix
	@sh scripts/uninstall $(BUILD) '$(DESTDIR)'

clean:
	rm -rf $(BUILD) build-asan build-tsan build-clang build-fuzz build-arm
