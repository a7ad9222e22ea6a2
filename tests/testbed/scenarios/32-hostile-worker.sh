# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A hostile program in place of the worker, as root and as a user: with Yama and without, with
# namespaces and without.
# shellcheck disable=SC2034 # for run
scenario_timeout=1800
hostile_worker
