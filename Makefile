# Two commands matter: `make test` runs everything that CI runs, `make` builds.
.PHONY: all test packages tools python wheels arm wasm fuzz bench lab deb deb-of clean

# Word lists for the spelling tests, a browser for the pages, and real servers and clients of mail for ours.
PACKAGES := wamerican wportuguese wdutch chromium spamc postfix dovecot-imapd dovecot-sieve redis-server redis-tools curl \
  openssl python3-venv debhelper iproute2
# What tries everything that the description of the JSON interface allows, and a server of S3.
WHEELS := schemathesis==4.32.5 openapi-spec-validator==0.9.0 moto[s3,server]==5.2.5
TOOLS := target/tools
FUZZ_SECONDS ?= 600

# Where cargo builds, and beside it the environment of the Python tests.
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
PYTHON ?= python3
ENVIRONMENT := $(TARGET)/python

all:
	cargo build --release --workspace

test: packages tools
	@echo "== formatting and lints"
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	@echo "== the library with few features"
	for features in "" cascade std std,train std,cascade std,similar std,spell,serde; do \
	  cargo clippy -p tamis --no-default-features --features "$$features" --locked -- -D warnings || exit 1; \
	done
	@echo "== crates of a program with one Bloom filter"
	test "$$(cargo tree -p tamis --no-default-features -e normal --prefix none | sort -u | wc -l)" -le 7
	@echo "== tests of every crate, and the commands of every document"
	cargo test --workspace --locked
	@echo "== documentation"
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
	@echo "== release build, and the README's first command"
	cargo build --release --locked
	cargo run --release --locked -- mail eval examples/mail
	$(MAKE) --no-print-directory python wasm
	@echo "everything passed"

# The Python package: a wheel in a fresh environment, its tests, the examples of its documents, and its types. The command is
# asked for the same, so it is built, too.
python: packages
	@echo "== Python: a fresh environment in $(ENVIRONMENT)"
	rm -rf $(ENVIRONMENT) $(TARGET)/wheels
	$(PYTHON) -m venv $(ENVIRONMENT)
	$(ENVIRONMENT)/bin/pip install -q 'maturin>=1.9,<2'
	@echo "== Python: the wheel, and what its tests need"
	cargo build --release --locked -p tamis-cli
	cd crates/tamis-python && $(ENVIRONMENT)/bin/maturin build --release --locked -q -o $(TARGET)/wheels
	$(ENVIRONMENT)/bin/pip install -q "$$(ls $(TARGET)/wheels/tamis-*.whl)[spark,test]"
	@echo "== Python: tests and examples"
	cd crates/tamis-python && TAMIS=$(TARGET)/release/tamis $(ENVIRONMENT)/bin/python -m pytest -q
	@echo "== Python: filters in an environment without pyarrow"
	rm -rf $(ENVIRONMENT)-bare
	$(PYTHON) -m venv $(ENVIRONMENT)-bare
	$(ENVIRONMENT)-bare/bin/pip install -q --no-deps numpy "$$(ls $(TARGET)/wheels/tamis-*.whl)"
	$(ENVIRONMENT)-bare/bin/python crates/tamis-python/tests/bare.py
	@echo "== Python: types"
	cd crates/tamis-python && $(ENVIRONMENT)/bin/python -m mypy
	cd crates/tamis-python && $(ENVIRONMENT)/bin/python -m mypy.stubtest tamis._tamis --concise

# Wheels for every Linux of two architectures, for Python 3.10 and later: zig links against the oldest system libraries.
WHEEL_TARGETS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu

wheels:
	rm -rf $(TARGET)/wheels/linux
	$(PYTHON) -m venv $(ENVIRONMENT)-wheels
	$(ENVIRONMENT)-wheels/bin/pip install -q 'maturin>=1.9,<2' ziglang
	rustup target add $(WHEEL_TARGETS)
	for target in $(WHEEL_TARGETS); do \
	  (cd crates/tamis-python && PATH="$(ENVIRONMENT)-wheels/bin:$$PATH" maturin build --release --locked --zig \
	    --target $$target --compatibility manylinux2014 -o $(TARGET)/wheels/linux) || exit 1; \
	done
	ls $(TARGET)/wheels/linux

# A Debian package of the release build, into target/deb.
deb: packages
	cargo build --release --locked -p tamis-cli
	$(MAKE) --no-print-directory deb-of TAMIS=$(TARGET)/release/tamis DEB=$(TARGET)/deb

# A Debian package of the command TAMIS, into the folder DEB. It is put together in a copy, since debhelper writes beside its rules.
deb-of:
	rm -rf $(DEB)/tree && mkdir -p $(DEB)/tree
	cp -a debian contrib docs README.md $(DEB)/tree/
	cd $(DEB)/tree && TAMIS=$(TAMIS) dpkg-buildpackage -b -uc -us
	rm -rf $(DEB)/tree

# Installs what the tests need and is missing, and says so. Node.js drives the browser, Java runs Spark.
packages:
	@missing=""; \
	command -v npm >/dev/null || missing="$$missing nodejs npm"; \
	command -v java >/dev/null || missing="$$missing default-jre-headless"; \
	for package in $(PACKAGES); do \
	  dpkg -s $$package >/dev/null 2>&1 || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "== installing$$missing"; \
	  sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  echo "postfix postfix/main_mailer_type select No configuration" | $$sudo debconf-set-selections; \
	  $$sudo apt-get update -q && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y --no-install-recommends $$missing; \
	fi

# Installs into target/ what the tests of the server need beside.
tools: packages
	@if ! $(TOOLS)/venv/bin/python -c 'import moto.server, openapi_spec_validator, schemathesis' 2>/dev/null; then \
	  echo "== installing $(WHEELS) into $(TOOLS)/venv"; \
	  python3 -m venv $(TOOLS)/venv && $(TOOLS)/venv/bin/pip install -q $(foreach wheel,$(WHEELS),'$(wheel)'); \
	fi
	@if [ ! -d $(TOOLS)/node_modules/axe-core ]; then \
	  echo "== installing what drives the browser into $(TOOLS)"; \
	  cp crates/tamis-server/page/tests/package*.json $(TOOLS)/ && cd $(TOOLS) && npm ci --silent --no-audit --no-fund; \
	fi

# The library on another processor, by emulation: Debian's compiler for aarch64, and what of the tests is about bits: the laws of
# filters, golden files, vectors of hashes, kernels. Emulation is slow, so this is no part of `make test`.
ARM := aarch64-unknown-linux-gnu
ON_ARM := RUSTC=/usr/bin/rustc CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" PROPTEST_CASES=16
arm:
	@if ! dpkg -s rustc-web libstd-rust-web-dev:arm64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user >/dev/null 2>&1; then \
	  echo "== installing a compiler for aarch64, and an emulator"; \
	  sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$sudo dpkg --add-architecture arm64 && $$sudo apt-get update -q && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y --no-install-recommends \
	    rustc-web libstd-rust-web-dev:arm64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user; \
	fi
	@echo "== the library on aarch64"
	$(ON_ARM) cargo test --release --locked -p tamis --target $(ARM) --lib -- simd memory
	$(ON_ARM) cargo test --release --locked -p tamis --target $(ARM) --test hash_vectors
	$(ON_ARM) cargo test --release --locked -p tamis --target $(ARM) --test filters --test cascade -- laws golden

# The library for WebAssembly, with the core of the standard library and `alloc` alone: Debian's compiler, and its sources.
WASM := wasm32-unknown-unknown
wasm:
	@if ! dpkg -s rustc-web rust-web-src lld >/dev/null 2>&1; then \
	  echo "== installing a compiler for WebAssembly"; \
	  sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$sudo apt-get update -q && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y --no-install-recommends rustc-web rust-web-src lld; \
	fi
	@echo "== the library on WebAssembly, without std"
	RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 cargo build --release --locked -p tamis --no-default-features --features cascade \
	  --target $(WASM) -Zbuild-std=core,alloc

# Long runs, outside of `make test`.
fuzz:
	cd fuzz && for target in filter_file filter_operations signature_scan similar_file cascade_file mail_message spamd_request api_body; do \
	  mkdir -p corpus/$$target; \
	  RUSTC_BOOTSTRAP=1 cargo fuzz run $$target corpus/$$target corpus-seeds/$$target -- \
	    -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048 || exit 1; \
	done

# Every experiment at full size, with ten seeds: each verdict has to hold.
lab:
	for seed in 1 2 3 4 5 6 7 8 9 10; do \
	  cargo run --release --locked -- lab report --seed $$seed -o target/lab/$$seed || exit 1; \
	done

bench:
	cargo run --release -p tamis-bench -- filter --quick

clean:
	cargo clean
