# `make` alone says what there is. The work is done by manage.py and tools/.
SHELL := /bin/sh
PYTHON_HERE := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help demo demo-fresh quick test rehearse bench load install-test upgrade-test faults lint types format clean run-environment dev-environment

help: ## this list
	@echo "Fibre dispatch"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: run-environment ## board, phone, seller server and a sandbox seller on this machine; Ctrl-C ends all
	@DEPLOYMENT=demo exec $(PYTHON_HERE) manage.py demo $(ARGS)

demo-fresh: run-environment ## the same, starting over with empty data
	@DEPLOYMENT=demo exec $(PYTHON_HERE) manage.py demo --fresh $(ARGS)

quick: dev-environment ## two minutes: lint, types, conventions, unit tests of the apps that were changed
	@$(PYTHON_HERE) -m tools.check --quick $(ARGS)

test: dev-environment ## lint, types, import map, migrations and all tests
	@$(PYTHON_HERE) -m tools.check $(ARGS)

rehearse: run-environment ## a whole day without a person: 40 jobs, every message compared
	@DEPLOYMENT=demo exec $(PYTHON_HERE) manage.py rehearse $(ARGS)

bench: dev-environment ## measures: a table and var/bench.json; ARGS=--quick takes five minutes
	@$(PYTHON_HERE) -m tools.bench $(ARGS)

load: dev-environment ## phones, boards and a seller until something gives way; ARGS='--soak 120' for hours
	@$(PYTHON_HERE) -m tools.load $(ARGS)

faults: dev-environment ## everything that can fail does; ARGS=--short plays the form for every CI run
	@$(PYTHON_HERE) -m tools.faults $(ARGS)

install-test: dev-environment ## as root: install.sh in a clean Debian root, up to a closed job (a quarter of an hour)
	@$(PYTHON_HERE) -m tools.install_test $(ARGS)

upgrade-test: dev-environment ## the last release and this code side by side under load, and back (a quarter of an hour)
	@$(PYTHON_HERE) -m tools.upgrade_test $(ARGS)

lint: dev-environment ## ruff: rules and format
	@$(PYTHON_HERE) -m ruff check . && $(PYTHON_HERE) -m ruff format --check .

types: dev-environment ## mypy, strict
	@$(PYTHON_HERE) -m tools.check --only types

format: dev-environment ## let ruff write the format
	@$(PYTHON_HERE) -m ruff format . && $(PYTHON_HERE) -m ruff check --fix .

clean: ## remove what was built (not the demo's data: make demo-fresh does that)
	rm -rf .venv .uv .mypy_cache .ruff_cache .pytest_cache .hypothesis var/static

run-environment:
	@tools/environment.sh run

dev-environment:
	@tools/environment.sh dev
