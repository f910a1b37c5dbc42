# make help lists what there is. Works with GNU make 3.81 and later.

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip install --disable-pip-version-check --no-input -c requirements.lock

# Texts reach the shell as environment variables, so that quotes and dollars in them stay what they are.
export QUESTION = $(value Q)
ifdef MODEL
export TAO_MODEL = $(value MODEL)
endif

.DEFAULT_GOAL := help
.PHONY: help ask question setup test check bench eval tasks lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# A model file is fetched where it is not there yet; what is there is found in a fraction of a second.
fetched = $(BIN)/tao model path $(1) >/dev/null 2>&1 || $(BIN)/tao model pull $(1)

# ── using it ─────────────────────────────────────────────────────────────────

ask: question $(VENV)/local.done ## Ask a question:  make ask Q="What is 17*23+5?"  (sets up everything; MODEL=openai:gpt-5.5 asks another)
	@case "$${TAO_MODEL:-local}" in local) $(call fetched,);; local:*) $(call fetched,"$${TAO_MODEL#local:}");; esac
	@$(BIN)/tao ask "$$QUESTION" $(ARGS)

question:
	@test -n "$$QUESTION" || { echo 'Give a question: make ask Q="今天是几号？50天之后是几号？"'; exit 2; }

# ── working on it ────────────────────────────────────────────────────────────

setup: $(VENV)/dev.done ## Make .venv with all that the other targets need; instant the second time

test: $(VENV)/dev.done ## Run the whole test suite  (ARGS="-k word" for a part of it)
	@$(call fetched,smollm2-135m)
	$(BIN)/python -m pytest $(ARGS)

check: $(VENV)/dev.done ## Lint, types, layers, sizes, spelling
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python -m pytest -q tests/architecture

bench: $(VENV)/dev.done ## Measure what tao itself costs, against a scripted model
	$(BIN)/python benchmarks/overhead.py $(ARGS)

# Without anything said, the suite that lies beside the checkout, where one does.
SUITE ?= $(wildcard ../shared/suite)

eval: tasks $(VENV)/dev.done ## Solve tasks with the local model:  make eval SUITE=folder, or TASKS=tasks.jsonl TOOLS=tools.py:make
	@$(call fetched,)
ifdef TASKS
	$(BIN)/tao eval "$(TASKS)" $(if $(TOOLS),--tools "$(TOOLS)") $(ARGS)
else
	$(BIN)/python benchmarks/suite.py --suite "$(SUITE)" $(ARGS)
endif

tasks:
	@test -n "$(TASKS)$(SUITE)" || { echo 'Give a folder with tools.py, world.json and tasks.jsonl: make eval SUITE=folder'; \
		echo 'or tasks, one JSON object a line: make eval TASKS=tasks.jsonl TOOLS=tools.py:make ARGS="--out report"'; exit 2; }

lock: $(VENV)/dev.done ## Write requirements.lock anew from pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --no-annotate --no-header --upgrade --quiet \
		--output-file requirements.lock.new >/dev/null
	@{ head -n 1 requirements.lock; cat requirements.lock.new; } > requirements.lock.whole
	@mv requirements.lock.whole requirements.lock; rm requirements.lock.new
	@git --no-pager diff --stat requirements.lock

clean: ## Remove .venv and everything that tools leave behind  (models and recorded runs stay)
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ── setting up ───────────────────────────────────────────────────────────────

# A Python of at least 3.11 that can make virtual environments, under any of its usual names.
$(BIN)/python:
	@for name in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python); do \
		if "$$name" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then found="$$name"; break; fi; \
	done; \
	if test -z "$$found"; then \
		echo 'tao needs Python 3.11 or later with the module venv (on Debian and Ubuntu: apt install python3 python3-venv).'; \
		echo 'If it is installed under another name: make PYTHON=/path/to/python3 …'; \
		echo '需要 Python 3.11 或更高版本，并带有 venv 模块（Debian/Ubuntu：apt install python3 python3-venv）。'; \
		exit 1; \
	fi; \
	echo "Setting up, once, a few minutes: Python environment, packages, model file · 首次准备，需要几分钟：环境、软件包、模型"; \
	echo "Creating $(VENV) with $$("$$found" --version)"; "$$found" -m venv $(VENV)

$(VENV)/local.done: pyproject.toml requirements.lock | $(BIN)/python
	$(PIP) --quiet --editable '.[local,search]'
	@touch $@

$(VENV)/dev.done: pyproject.toml requirements.lock $(wildcard tests/environments/*.txt) | $(BIN)/python
	$(PIP) --editable '.[local,search,web,python,sql,postgres,units,calendar,rates,prices,otel,mcp,openapi,eval,dev]'
	@for list in requirements consumers games; do \
		$(BIN)/python -m pip install --disable-pip-version-check --no-input --quiet --no-deps -r tests/environments/$$list.txt \
		|| echo "tests/environments/$$list.txt could not be installed; the tests that need it will be skipped."; \
	done
	@touch $(VENV)/local.done $@
