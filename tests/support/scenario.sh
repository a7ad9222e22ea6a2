# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# How a scenario in a guest ends, for scenario.sh of tests/testbed and tests/system. $work is the
# scenario's own folder.
# shellcheck shell=bash
: "${work:?}"

# The sentence is for run; the preceding output is already in the log.
fail() { printf '%s\n' "$*" >"$work/why"; exit 1; }
skip() { printf '%s\n' "$*" >"$work/why"; exit 77; }

# A command that ends the scenario without a message is still named.
trap 'printf "line %s: %s\n" "$LINENO" "$BASH_COMMAND" >"$work/why"' ERR

# For the reader, printed below the scenario's line.
note() { printf '%s\n' "$*" | tee -a "$work/note"; }

# For run: this scenario is too slow for every run.
only_nightly() { :; }
