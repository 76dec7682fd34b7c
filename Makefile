# Two commands matter: `make test` runs everything that CI runs, `make` builds.
.PHONY: all test packages tools fuzz bench lab clean

# Word lists for the spelling tests, a browser for the pages, and real servers and clients of mail for ours.
PACKAGES := wamerican wportuguese wdutch chromium spamc postfix dovecot-imapd dovecot-sieve curl openssl python3-venv
# What tries everything that the description of the JSON interface allows.
WHEELS := schemathesis==4.32.5 openapi-spec-validator==0.9.0
TOOLS := target/tools
FUZZ_SECONDS ?= 600

all:
	cargo build --release --workspace

test: packages tools
	@echo "== formatting and lints"
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo clippy -p tamis --no-default-features --locked -- -D warnings
	@echo "== tests of every crate, and the commands of every document"
	cargo test --workspace --locked
	@echo "== documentation"
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
	@echo "== release build, and the README's first command"
	cargo build --release --locked
	cargo run --release --locked -- mail eval examples/mail
	@echo "everything passed"

# Installs what the tests need and is missing, and says so.
packages:
	@missing=""; \
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
	@command -v npm >/dev/null || { \
	  echo "== installing nodejs npm"; \
	  sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y --no-install-recommends nodejs npm; \
	}
	@if ! $(TOOLS)/venv/bin/python -m pip show -q schemathesis 2>/dev/null; then \
	  echo "== installing $(WHEELS) into $(TOOLS)/venv"; \
	  python3 -m venv $(TOOLS)/venv && $(TOOLS)/venv/bin/pip install -q $(WHEELS); \
	fi
	@if [ ! -d $(TOOLS)/node_modules/axe-core ]; then \
	  echo "== installing what drives the browser into $(TOOLS)"; \
	  cp crates/tamis-server/page/tests/package*.json $(TOOLS)/ && cd $(TOOLS) && npm ci --silent --no-audit --no-fund; \
	fi

# Long runs, outside of `make test`.
fuzz:
	cd fuzz && for target in filter_file filter_operations signature_scan similar_file cascade_file mail_message spamd_request api_body; do \
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
