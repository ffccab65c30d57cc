# Every target sets up what it needs; nothing has to be installed by hand but Python 3.11+.
SHELL := /bin/sh
PYTHON ?= python3
PORT ?= 8000
PYTEST_ARGS ?= -n 2
VENV := .venv/bin/python

.PHONY: help demo test lint lock setup setup-dev worker clean

help:
	@echo "make demo    set everything up and serve the demo study on http://127.0.0.1:$(PORT)"
	@echo "make test    set everything up and run the whole test suite"
	@echo "make lint    ruff, mypy, missing migrations, Django's own checks"
	@echo "make lock    resolve the locked dependencies again (needs uv)"
	@echo "make clean   remove the virtual environment and collected files (never the database)"

.venv/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit("Gavel needs Python 3.11 or newer; this is %s. Set PYTHON=/path/to/python3.11" % sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@echo "Setting up .venv; the first time this takes a few minutes."
	@$(PYTHON) -m venv .venv

# A stamp remembers which lock file is installed, so that a second run installs nothing.
.venv/runtime.stamp: requirements.lock | .venv/pyvenv.cfg
	@echo "Installing what Gavel needs to run."
	@$(VENV) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch .venv/runtime.stamp

.venv/dev.stamp: requirements-dev.lock | .venv/pyvenv.cfg
	@echo "Installing what its tests need."
	@$(VENV) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch .venv/dev.stamp .venv/runtime.stamp

setup: .venv/runtime.stamp

setup-dev: .venv/dev.stamp

demo: setup
	@$(VENV) manage.py migrate --verbosity 0
	@$(VENV) manage.py load_demo
	@$(VENV) manage.py serve --port $(PORT)

test: setup-dev
	$(VENV) -m pytest $(PYTEST_ARGS)

lint: setup-dev
	$(VENV) -m ruff check .
	$(VENV) -m ruff format --check .
	$(VENV) -m mypy annotation agent evaluation gavel_site
	$(VENV) manage.py makemigrations --check --dry-run
	$(VENV) manage.py check --fail-level WARNING

lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --upgrade pyproject.toml -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header pyproject.toml --extra dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf .venv staticfiles .pytest_cache .mypy_cache .ruff_cache .hypothesis
