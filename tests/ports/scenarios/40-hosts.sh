# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# All machines of tests/hosts, recorded on little-endian ones, are judged as they are there.
# shellcheck shell=bash

built
NFSRDMA=$nfsrdma NFSRDMA_SOURCE=$source "$source/tests/cli/hosts.sh"
note "$(tail -n 1 "$work/log")"
